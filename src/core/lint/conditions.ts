import type { Pointer } from '../values/pointer.ts'
import { isEquivalent } from './formats.ts'
import type { WlanView } from './view.ts'

/** The keys of `rateset`. */
export const rateBands = ['24', '5', '6'] as const

/** True if RadSec is on, but no server is set for it. */
export function lacksRadsecServer(wlan: WlanView): boolean {
  return (
    wlan.empty('/radsec/servers', '/radsec/proxy_hosts', '/radsec/mxcluster_ids') &&
    wlan.off('/radsec/use_mxedge') &&
    wlan.off('/radsec/use_site_mxedge')
  )
}

/** True if a change needs a secret that is neither declared nor hidden: the live WLAN, without this condition, uses none. */
export function hidesNone(
  secret: Pointer,
  condition: string,
  wlan: WlanView,
  before: WlanView | undefined
): boolean {
  return wlan.written(secret) === undefined && before?.lacks(condition) === true
}

/** Returns a test for entries of `bands`: `5-dedicated` counts as band 5. */
export function isOnBand(band: string): (entry: string) => boolean {
  const prefix = `${band}-`
  return entry => entry === band || entry.startsWith(prefix)
}

const isSix = isOnBand('6')

/** True if the files or the service set the bands, with a 6 GHz one; the documented default depends on the access points. */
export function isSentOnSix(wlan: WlanView): boolean {
  return wlan.hasEntry('/bands', isSix) && wlan.isDecided('/bands')
}

/** True if the files or the service set the bands, and all of them are 6 GHz bands. */
export function isOnlyOnSix(wlan: WlanView): boolean {
  return wlan.lacksEntry('/bands', band => !isSix(band)) && wlan.isDecided('/bands')
}

/** True for a WPA3 cipher in `auth.pairwise`. */
export function isWpa3(cipher: string): boolean {
  return cipher === 'wpa3'
}

/** True if the value was live before the change: the change does not bring it in. */
export function isStored(wlan: WlanView, before: WlanView | undefined, field: Pointer): boolean {
  const [now, was] = [wlan.written(field), before?.written(field)]
  return now !== undefined && was !== undefined && isEquivalent(now, was)
}

import type { Pointer } from '../model/pointer.ts'
import type { WlanView } from './view.ts'

/** The lists of RADIUS servers, with the member that names the server. */
export const serverLists: readonly (readonly [list: Pointer, host: Pointer])[] = [
  ['/auth_servers', '/host'],
  ['/acct_servers', '/host'],
  ['/coa_servers', '/ip']
]

/** The keys of `rateset`. */
export const rateBands = ['24', '5', '6'] as const

/** The authentication types that a pre-shared key belongs to. */
export const pskTypes = ['psk', 'psk-tkip', 'psk-wpa2-tkip'] as const

/** No RADIUS server, cloud NAC or RadSec can authenticate clients. */
export function lacksRadius(wlan: WlanView): boolean {
  const lacksRadsec = wlan.off('/radsec/enabled') || lacksRadsecServer(wlan)
  return wlan.empty('/auth_servers') && wlan.off('/mist_nac/enabled') && lacksRadsec
}

/** RadSec has no server to connect to. */
export function lacksRadsecServer(wlan: WlanView): boolean {
  return (
    wlan.empty('/radsec/servers', '/radsec/proxy_hosts', '/radsec/mxcluster_ids') &&
    wlan.off('/radsec/use_mxedge') &&
    wlan.off('/radsec/use_site_mxedge')
  )
}

/** The fields of `lacksRadius`. */
export const radiusFields: readonly Pointer[] = [
  '/auth_servers',
  '/mist_nac/enabled',
  '/radsec/enabled'
]

/** The network is open, without encryption by OWE. */
export function isUnencrypted(wlan: WlanView): boolean {
  return wlan.is('/auth/type', 'open') && wlan.is('/auth/owe', 'disabled')
}

/** The network is for guests: open, or with a portal. */
export function isForGuests(wlan: WlanView): boolean {
  return wlan.is('/auth/type', 'open') || wlan.on('/portal/enabled')
}

/** Access points bridge the traffic themselves; it goes through no tunnel. */
export function isBridgedLocally(wlan: WlanView): boolean {
  return wlan.is('/interface', 'all', 'eth0', 'eth1', 'eth2', 'eth3')
}

/** The files or the service name the bands; the documented default depends on the access points. */
export function namesBands(wlan: WlanView): boolean {
  return wlan.filled('/bands') && wlan.origin('/bands') !== 'default'
}

/** A test for an entry of `bands`: `5-dedicated` is on band 5. */
export function isOnBand(band: string): (entry: string) => boolean {
  const prefix = `${band}-`
  return entry => entry === band || entry.startsWith(prefix)
}

const isSix = isOnBand('6')

/** The files or the service name the bands, and each of them is a 6 GHz one. */
export function isOnlyOnSix(wlan: WlanView): boolean {
  return namesBands(wlan) && wlan.lacksEntry('/bands', band => !isSix(band))
}

/** The cipher is WPA3, for tests of the entries of `auth.pairwise`. */
export function isWpa3(cipher: string): boolean {
  return cipher === 'wpa3'
}

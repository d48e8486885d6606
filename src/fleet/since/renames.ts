import type { DesiredWlan } from '../../core/model/desired.ts'
import { groupBy } from '../../core/values/collections.ts'
import { member, type Value } from '../../core/values/value.ts'

/** The SSIDs that identify the live WLAN of a declaration without `id`. */
export function ssidsOf({ matchSsid, fields }: DesiredWlan): Value[] {
  return [matchSsid, member(fields, 'ssid')].filter(ssid => ssid !== undefined)
}

/**
 * The WLANs of a site with the SSIDs that the base declares at their addresses as `$match`: a changed `ssid` is a rename.
 * An `id` or `$match` in the files takes precedence. So does a changed key: another declaration has the former SSID
 * and is no rename itself, or one at the base has the new SSID and is gone.
 */
export function withRenames(
  now: readonly DesiredWlan[],
  then: readonly DesiredWlan[]
): DesiredWlan[] {
  const [keysNow, keysThen] = [keysBySsid(now), keysBySsid(then)]
  const former = new Map(then.map(({ key, fields }) => [key, member(fields, 'ssid')]))
  const current = new Map(now.map(wlan => [wlan.key, wlan]))
  const known = new Map<string, boolean>()
  const isRename = (key: string): boolean => {
    const [wlan, ssid] = [current.get(key), former.get(key)]
    if (wlan === undefined || ssid === undefined) return false
    if (wlan.id !== undefined || wlan.matchSsid !== undefined) return false
    const result = known.get(key)
    if (result !== undefined) return result
    known.set(key, false)
    const owners = keysThen.get(member(wlan.fields, 'ssid')) ?? []
    const isMoved = owners.some(owner => !current.has(owner))
    const isFree = !isMoved && (keysNow.get(ssid) ?? []).every(isRename)
    known.set(key, isFree)
    return isFree
  }
  return now.map(wlan => {
    const matchSsid = former.get(wlan.key)
    return typeof matchSsid === 'string' && isRename(wlan.key) ? { ...wlan, matchSsid } : wlan
  })
}

/** The keys of the declarations that identify a live WLAN by an SSID. */
function keysBySsid(wlans: readonly DesiredWlan[]): ReadonlyMap<Value | undefined, string[]> {
  const pairs = wlans
    .filter(({ id }) => id === undefined)
    .flatMap(wlan => ssidsOf(wlan).map(ssid => ({ ssid, key: wlan.key })))
  const groups = groupBy(pairs, ({ ssid }) => ssid)
  return new Map([...groups].map(([ssid, all]) => [ssid, all.map(({ key }) => key)]))
}

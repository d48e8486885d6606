import { soughtSsids } from '../../core/diff/match.ts'
import type { DesiredWlan } from '../../core/model/desired.ts'
import { groupBy } from '../../core/values/collections.ts'
import { sameId } from '../../core/values/uuid.ts'
import { member, type Value } from '../../core/values/value.ts'

interface WlanPairs {
  readonly declared: ReadonlyMap<DesiredWlan, DesiredWlan | undefined>
  readonly removed: readonly DesiredWlan[]
}

/** Pairs WLANs by key, unless the two identify different live WLANs; otherwise by `id` or SSID. */
export function pairWlans(now: readonly DesiredWlan[], then: readonly DesiredWlan[]): WlanPairs {
  const managed = now.filter(isManaged)
  const byKey = new Map(managed.map(wlan => [wlan.key, wlan]))
  const declared = new Map<DesiredWlan, DesiredWlan | undefined>(
    managed.map(wlan => [wlan, undefined])
  )
  const unpaired = then.filter(isManaged).filter(old => {
    const wlan = byKey.get(old.key)
    if (wlan === undefined || identifySame(wlan, old) === false) return true
    declared.set(wlan, old)
    return false
  })
  const removed = unpaired.filter(old => {
    const wlan = managed.find(
      each => declared.get(each) === undefined && identifySame(each, old) === true
    )
    if (wlan !== undefined) declared.set(wlan, old)
    return wlan === undefined
  })
  return { declared, removed }
}

function isManaged({ managed }: DesiredWlan): boolean {
  return managed === undefined
}

/** True if two declarations identify the same live WLAN; undefined if that is uncertain. */
function identifySame(a: DesiredWlan, b: DesiredWlan): boolean | undefined {
  if (a.id !== undefined && b.id !== undefined) return sameId(a.id, b.id)
  if (a.id !== undefined || b.id !== undefined) return undefined
  return shareSsid(a, b)
}

/** True if two declarations identify the same live WLAN, or if only one has an id, and they share an SSID. */
export function mayIdentifySame(a: DesiredWlan, b: DesiredWlan): boolean {
  return identifySame(a, b) ?? shareSsid(a, b)
}

function shareSsid(a: DesiredWlan, b: DesiredWlan): boolean {
  const ssids = new Set(soughtSsids(b))
  return soughtSsids(a).some(ssid => ssids.has(ssid))
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
  const managed = then.filter(isManaged)
  const [keysNow, keysThen] = [keysBySsid(now), keysBySsid(managed)]
  const former = new Map(managed.map(({ key, fields }) => [key, member(fields, 'ssid')]))
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

function keysBySsid(wlans: readonly DesiredWlan[]): ReadonlyMap<Value | undefined, string[]> {
  const pairs = wlans
    .filter(({ id }) => id === undefined)
    .flatMap(wlan => soughtSsids(wlan).map(ssid => ({ ssid, key: wlan.key })))
  const groups = groupBy(pairs, ({ ssid }) => ssid)
  return new Map([...groups].map(([ssid, all]) => [ssid, all.map(({ key }) => key)]))
}

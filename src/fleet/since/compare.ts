import type { DesiredSite, DesiredWlan, WlanSinceBase } from '../../core/model/desired.ts'
import { type Finding, finding } from '../../core/model/finding.ts'
import { type Field, wlanField } from '../../core/schema/field.ts'
import { compact } from '../../core/values/collections.ts'
import { child, type Pointer } from '../../core/values/pointer.ts'
import { isObject, member, type ValueObject } from '../../core/values/value.ts'
import { coversSite, isSelected, type Selection } from '../select.ts'
import type { FleetSite } from '../sites.ts'
import { mergedPointers } from '../wlans/layers.ts'
import type { Base } from './base.ts'
import { pairWlans, withRenames } from './pairs.ts'
import { changedPeriods, isSameValue, siteKey } from './same.ts'

/**
 * Adds the differences from the base to each site, by effective value: with profiles, variables and overrides
 * resolved. Sites are returned as they are if the files of the base are invalid.
 */
export function compareWithBase(
  sites: readonly DesiredSite[],
  base: Base,
  selection: Selection
): readonly DesiredSite[] {
  const { name: revision, before } = base
  if (before === undefined) return sites
  const known = new Set(base.sites.map(siteKey))
  return sites.map(site => {
    const earlier = before.get(siteKey(site))
    if (earlier !== undefined) return compareSite(site, earlier, base, selection)
    const added = known.has(siteKey(site)) ? [] : site.wlans
    const wlans = new Map(added.map(wlan => [wlan.key, sinceNew(wlan)]))
    return { ...site, sinceBase: { revision, wlans, removed: [] } }
  })
}

function compareSite(
  site: DesiredSite,
  earlier: DesiredSite,
  { name: revision, placesOf }: Base,
  selection: Selection
): DesiredSite {
  const known = withRenames(site.wlans, earlier.wlans)
  const { declared, removed } = pairWlans(known, earlier.wlans)
  const wlans = new Map(
    [...declared].flatMap(([wlan, old]): [string, WlanSinceBase][] => {
      if (old === undefined) return [[wlan.key, sinceNew(wlan)]]
      const difference = compareWlan(wlan, old)
      if (wlan.excluded || difference === undefined) return []
      const placeOf = difference.removed.length > 0 ? placesOf(siteKey(site), old.key) : undefined
      const placed = difference.removed.map(pointer => ({
        pointer,
        place: { ...(placeOf?.(pointer) ?? old.place), revision }
      }))
      return [[wlan.key, { ...difference, removed: placed }]]
    })
  )
  const gone = removed
    .filter(({ key }) => isSelected(selection, site, key))
    .map(wlan => ({ ...wlan, place: { ...wlan.place, revision } }))
  return { ...site, wlans: known, sinceBase: { revision, wlans, removed: gone } }
}

function sinceNew({ periods }: DesiredWlan): WlanSinceBase {
  return { changed: [''], removed: [], ...compact({ periods }) }
}

function compareWlan(wlan: DesiredWlan, old: DesiredWlan) {
  const changed: Pointer[] = []
  const removed: Pointer[] = []
  compareFields(wlanField, old.fields, wlan.fields, '', { changed, removed })
  const periods = changedPeriods(wlan, old)
  if (changed.length + removed.length + periods.length === 0) return undefined
  return { changed, removed, ...(periods.length > 0 && { periods }), fieldsAtBase: old.fields }
}

function compareFields(
  field: Field,
  before: ValueObject,
  now: ValueObject,
  at: Pointer,
  result: { readonly changed: Pointer[]; readonly removed: Pointer[] }
): void {
  for (const name of new Set([...Object.keys(before), ...Object.keys(now)])) {
    const pointer = child(at, name)
    const inner = field.member(name)
    const [was, is] = [member(before, name), member(now, name)]
    if (is === undefined) result.removed.push(...mergedPointers(was, inner, pointer))
    else if (isObject(was) && isObject(is) && inner.compare !== 'whole') {
      compareFields(inner, was, is, pointer, result)
    } else if (!isSameValue(is, was)) result.changed.push(pointer)
  }
}

/** A warning for each site that only the base declares, and the selection covers; none if its files are invalid. */
export function removedSites(
  base: Base,
  declared: readonly FleetSite[],
  selection: Selection
): Finding[] {
  if (base.before === undefined) return []
  const known = new Set(declared.map(siteKey))
  return base.sites.flatMap(site => {
    if (known.has(siteKey(site)) || !coversSite(selection, site)) return []
    const { place } = site.declaredAt()
    const where = place && { place: { ...place, revision: base.name } }
    const about = { ...where, address: site.name }
    return finding('NO_LONGER_DECLARED', about, base.name, { site: site.name })
  })
}

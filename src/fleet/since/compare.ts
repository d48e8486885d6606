import { mergedPointers } from '../../core/diff/overlay.ts'
import type {
  DesiredSite,
  DesiredWlan,
  SiteSinceBase,
  WlanSinceBase
} from '../../core/model/desired.ts'
import { type Finding, finding } from '../../core/model/finding.ts'
import type { RuleSite } from '../../core/model/fleet-rules.ts'
import { type Field, wlanField } from '../../core/schema/field.ts'
import { append, compact } from '../../core/values/collections.ts'
import { child, type Pointer } from '../../core/values/pointer.ts'
import { listFirst } from '../../core/values/text.ts'
import { isObject, isSameJson, member, type ValueObject } from '../../core/values/value.ts'
import { ruleSiteOf } from '../policy/rules/effective.ts'
import { coversSite, isSelected, type Selection } from '../select.ts'
import type { FleetSite } from '../sites.ts'
import type { Base } from './base.ts'
import { mayIdentifySame, pairWlans, withRenames } from './pairs.ts'
import { isSameValue, siteKey } from './same.ts'

interface ComparedFleet {
  readonly sites: readonly DesiredSite[]
  readonly removed: readonly Finding[]
  /** What the files relax, as one finding; none if they relax nothing. */
  readonly relaxed: readonly Finding[]
}

const MAX_NAMED = 3

/** `selected`: the sites of the run; `declared`: all of the files. `relaxed`: what the policy of the files relaxes. */
export function compareWithBase(
  base: Base,
  selected: readonly DesiredSite[],
  declared: readonly FleetSite[],
  { relaxed }: { readonly relaxed: readonly string[] },
  selection: Selection
): ComparedFleet {
  const sites = withDifferences(selected, base, selection)
  const exposed = sites.flatMap(unprotected)
  const kept = exposed.length > 0 ? [`protection of ${listFirst(exposed, MAX_NAMED)}`] : []
  const all = [...relaxed, ...kept]
  return {
    sites,
    removed: removedSites(base, declared, selection),
    relaxed: all.length === 0 ? [] : [finding('POLICY_RELAXED', {}, all)]
  }
}

/** Adds the differences by effective value, with profiles, variables and overrides resolved. */
function withDifferences(
  sites: readonly DesiredSite[],
  base: Base,
  selection: Selection
): readonly DesiredSite[] {
  const { name: revision, before } = base
  const known = new Map(base.sites.map(site => [siteKey(site), site]))
  return sites.map(site => {
    const was = known.get(siteKey(site))
    if (was === undefined) {
      const wlans = new Map(site.wlans.map(({ key }) => [key, NEW]))
      return { ...site, isNew: true, sinceBase: { revision, wlans, removed: [] } }
    }
    const earlier = before.get(siteKey(site))
    const compared = earlier
      ? compareSite(site, earlier, base, selection)
      : { ...site, sinceBase: { revision, wlans: new Map(), removed: [] } }
    const seen = otherwiseSeen(site, was)
    return { ...compared, sinceBase: { ...compared.sinceBase, ...(seen && { site: seen }) } }
  })
}

export function otherwiseSeen(now: RuleSite, then: FleetSite): RuleSite | undefined {
  const { vars, ...was } = ruleSiteOf(then)
  const seen = { ...was, ...(now.vars && { vars }) }
  const { id, name, groups = [] } = now
  const isSame = isSameJson({ ...seen, id }, { id, name, groups, ...compact({ vars: now.vars }) })
  return isSame ? undefined : seen
}

function compareSite(
  site: DesiredSite,
  earlier: DesiredSite,
  { name: revision, keyPlaceOf }: Base,
  selection: Selection
): DesiredSite & { readonly sinceBase: SiteSinceBase } {
  const known = withRenames(site.wlans, earlier.wlans)
  const { declared, removed } = pairWlans(known, earlier.wlans)
  const wlans = new Map(
    [...declared].flatMap(([wlan, old]): [string, WlanSinceBase][] => {
      if (old === undefined) return [[wlan.key, NEW]]
      const difference = compareWlan(wlan, old)
      if (wlan.excluded || difference === undefined) return []
      const placed = difference.removed.map(pointer => ({
        pointer,
        place: { ...(keyPlaceOf(siteKey(site), old.key, pointer) ?? old.place), revision }
      }))
      return [[wlan.key, { ...difference, removed: placed }]]
    })
  )
  const gone = removed
    .filter(({ key }) => isSelected(selection, site, key))
    .map(wlan => ({ ...wlan, place: { ...wlan.place, revision } }))
  const renamed = [...declared].flatMap(([{ key }, old]): [string, string][] =>
    old === undefined || old.key === key ? [] : [[key, old.key]]
  )
  const kept = earlier.wlans.filter(({ protect, managed }) => protect && managed !== false)
  return {
    ...site,
    wlans: known,
    sinceBase: {
      ...{ revision, wlans, removed: gone },
      ...(renamed.length > 0 && { keys: new Map(renamed) }),
      ...(kept.length > 0 && { protected: kept })
    }
  }
}

function unprotected({ wlans, sinceBase }: DesiredSite): string[] {
  const kept = sinceBase?.protected ?? []
  const isKept = (was: DesiredWlan) => wlans.some(is => is.protect && mayIdentifySame(is, was))
  return kept.filter(was => !isKept(was)).map(({ address }) => address)
}

const NEW: WlanSinceBase = { changed: [''], removed: [] }

function compareWlan(wlan: DesiredWlan, old: DesiredWlan) {
  const changed: Pointer[] = []
  const removed: Pointer[] = []
  compareFields(wlanField, old.fields, wlan.fields, '', { changed, removed })
  if (changed.length + removed.length === 0) return undefined
  return { changed, removed, fieldsAtBase: old.fields }
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
    if (is === undefined) append(result.removed, mergedPointers(was, inner, pointer))
    else if (isObject(was) && isObject(is) && inner.compare !== 'whole') {
      compareFields(inner, was, is, pointer, result)
    } else if (!isSameValue(is, was)) result.changed.push(pointer)
  }
}

function removedSites(base: Base, declared: readonly FleetSite[], selection: Selection): Finding[] {
  const known = new Set(declared.map(siteKey))
  return base.sites.flatMap(site => {
    if (known.has(siteKey(site)) || !coversSite(selection, site)) return []
    const { source, offset } = site.declaredBy
    const place = { ...source.place(offset), revision: base.name }
    const about = { place, address: site.name }
    return finding('NO_LONGER_DECLARED', about, base.name, { site: site.name })
  })
}

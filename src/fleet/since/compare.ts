import type {
  DesiredSite,
  DesiredWlan,
  RemovedField,
  SiteSinceBase,
  WlanSinceBase
} from '../../core/model/desired.ts'
import { finding, type Location } from '../../core/model/finding.ts'
import { type Field, wlanField } from '../../core/schema/field.ts'
import { compact } from '../../core/values/collections.ts'
import { child, type Pointer, steps } from '../../core/values/pointer.ts'
import { sameId } from '../../core/values/uuid.ts'
import { isObject, member, type ValueObject } from '../../core/values/value.ts'
import type { Findings } from '../findings.ts'
import { referencesOnly } from '../secrets/source.ts'
import { coversSite, isSelected, type Selection } from '../select.ts'
import type { FleetSite } from '../sites.ts'
import { mergedPointers } from '../wlans/layers.ts'
import { Profiles } from '../wlans/profiles.ts'
import { isReference } from '../wlans/references.ts'
import type { Entry, Node } from '../yaml/tree.ts'
import type { BaseRevision } from './base.ts'
import { changedPeriods, contextOf, type SitesById, sameValue, siteKey } from './changed.ts'
import { ssidsOf, withRenames } from './renames.ts'

/** The base revision, and its declarations of WLANs that may have changed since. */
export interface BaseDeclarations {
  readonly base: BaseRevision
  readonly before: SitesById
}

/**
 * Adds the differences from the base to each site, by effective value: with profiles, variables and overrides
 * resolved. A site that only the base declares is a finding if `selection` covers it.
 */
export function compareWithBase(
  sites: readonly DesiredSite[],
  { base, before }: BaseDeclarations,
  selection: Selection,
  declared: readonly FleetSite[],
  findings: Findings
): DesiredSite[] {
  reportRemovedSites(base, declared, selection, findings)
  const then = new Map(base.sites.map(site => [siteKey(site), site]))
  const places = new BasePlaces(base)
  const unchanged: SiteSinceBase = { revision: base.name, wlans: new Map(), removed: [] }
  return sites.map(site => {
    const [earlier, candidates] = [then.get(siteKey(site)), before.get(siteKey(site))]
    if (earlier === undefined) return { ...site, sinceBase: newSite(site, base.name) }
    if (candidates === undefined) return { ...site, sinceBase: unchanged }
    const blocks = earlier.wlans()
    const known = withRenames(site.wlans, candidates.wlans.filter(isManaged))
    const pairs = pairManaged(known, candidates.wlans, key => blocks.has(key))
    const wlans = new Map(
      [...pairs.declared].flatMap(([wlan, old]) => {
        const since = old === undefined ? sinceNew(wlan) : compareWlan(wlan, old, earlier, places)
        return since === undefined ? [] : [[wlan.key, since]]
      })
    )
    const removed = pairs.removed
      .filter(({ key }) => isSelected(selection, site, key))
      .map(wlan => ({ ...wlan, place: places.mark(wlan.place) }))
    return { ...site, wlans: known, sinceBase: { revision: base.name, wlans, removed } }
  })
}

function reportRemovedSites(
  base: BaseRevision,
  declared: readonly FleetSite[],
  selection: Selection,
  findings: Findings
): void {
  const known = new Set(declared.map(siteKey))
  for (const site of base.sites) {
    if (known.has(siteKey(site)) || !coversSite(selection, site)) continue
    const { place } = site.declaredAt()
    const where = place && { place: { ...place, revision: base.name } }
    const about = { ...where, address: site.name, ...(site.owner && { owner: site.owner }) }
    findings.push(finding('NO_LONGER_DECLARED', about, base.name, { site: site.name }))
  }
}

function sinceNew({ periods }: DesiredWlan): WlanSinceBase {
  return { changed: [''], removed: [], ...compact({ periods }) }
}

function newSite({ wlans }: DesiredSite, revision: string): SiteSinceBase {
  return { revision, wlans: new Map(wlans.map(wlan => [wlan.key, sinceNew(wlan)])), removed: [] }
}

/** The declared WLANs with their base declarations, and those that only the base declares. */
interface WlanPairs {
  readonly declared: ReadonlyMap<DesiredWlan, DesiredWlan | undefined>
  readonly removed: readonly DesiredWlan[]
}

function isManaged({ managed }: DesiredWlan): boolean {
  return managed === undefined
}

/** As `pairWlans`, but only for managed WLANs; others count as not declared. */
export function pairManaged(
  now: readonly DesiredWlan[],
  then: readonly DesiredWlan[],
  isKnown: (key: string) => boolean
): WlanPairs {
  const unmanaged = new Set(then.filter(wlan => !isManaged(wlan)).map(({ key }) => key))
  const isManagedThen = (key: string) => isKnown(key) && !unmanaged.has(key)
  return pairWlans(now.filter(isManaged), then.filter(isManaged), isManagedThen)
}

/**
 * Pairs WLANs by key, unless the two identify different live WLANs; otherwise by `id` or SSID. `isKnown` is
 * true for the keys that the base declares: a WLAN with such a key that is not in `then` is unchanged.
 */
function pairWlans(
  now: readonly DesiredWlan[],
  then: readonly DesiredWlan[],
  isKnown: (key: string) => boolean
): WlanPairs {
  const byKey = new Map(now.map(wlan => [wlan.key, wlan]))
  const thenKeys = new Set(then.map(({ key }) => key))
  const fresh = now.filter(({ key }) => thenKeys.has(key) || !isKnown(key))
  const declared = new Map<DesiredWlan, DesiredWlan | undefined>(
    fresh.map(wlan => [wlan, undefined])
  )
  const unpaired = then.filter(old => {
    const wlan = byKey.get(old.key)
    if (wlan === undefined || identifySame(wlan, old) === false) return true
    declared.set(wlan, old)
    return false
  })
  const removed = unpaired.filter(old => {
    const wlan = fresh.find(
      each => declared.get(each) === undefined && identifySame(each, old) === true
    )
    if (wlan !== undefined) declared.set(wlan, old)
    return wlan === undefined
  })
  return { declared, removed }
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
  const ssids = new Set(ssidsOf(b))
  return ssidsOf(a).some(ssid => ssids.has(ssid))
}

/** The differences between two declarations; undefined if the effective values are equal. */
function compareWlan(
  wlan: DesiredWlan,
  old: DesiredWlan,
  site: FleetSite,
  places: BasePlaces
): WlanSinceBase | undefined {
  if (wlan.excluded) return undefined
  const changed: Pointer[] = []
  const removed: Pointer[] = []
  compareFields(wlanField, old.fields, wlan.fields, '', { changed, removed })
  const periods = changedPeriods(wlan, old)
  if (changed.length + removed.length + periods.length === 0) return undefined
  return {
    changed,
    ...(periods.length > 0 && { periods }),
    removed: places.ofFields(site, removed, old),
    fieldsAtBase: old.fields
  }
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
    } else if (!sameValue(is, was)) result.changed.push(pointer)
  }
}

/**
 * Finds the place at which the base declares a field: in an override, in the block of the WLAN, or in a
 * profile.
 */
class BasePlaces {
  readonly #revision: string
  readonly #profiles: Profiles
  /** Cache of the places in the profiles that blocks extend, by pointer; weak keys bound it. */
  readonly #known = new WeakMap<Node, Map<Pointer, Location | undefined>>()

  constructor({ name, profiles }: BaseRevision) {
    this.#revision = name
    this.#profiles = new Profiles(profiles, contextOf(referencesOnly()))
  }

  /** The place, marked as a place in the base. */
  mark(place: Location): Location {
    return { ...place, revision: this.#revision }
  }

  ofFields(
    site: FleetSite,
    pointers: readonly Pointer[],
    { key, place }: Pick<DesiredWlan, 'key' | 'place'>
  ): RemovedField[] {
    if (pointers.length === 0) return []
    const own = site.wlans().get(key)?.value
    const override = site.overrides.get(key)
    if (own?.kind !== 'map') return pointers.map(pointer => ({ pointer, place: this.mark(place) }))
    const profile = this.#profiles.extended(own)?.fields
    return pointers.map(pointer => {
      const overridden = override && placeIn(override, pointer)
      const found =
        overridden ?? placeIn(own, pointer) ?? (profile && this.#inProfile(profile, pointer))
      return { pointer, place: found === undefined ? this.mark(place) : this.mark(found) }
    })
  }

  #inProfile(profile: Node, pointer: Pointer): Location | undefined {
    const known = this.#known.get(profile) ?? new Map<Pointer, Location | undefined>()
    this.#known.set(profile, known)
    if (!known.has(pointer)) known.set(pointer, placeIn(profile, pointer))
    return known.get(pointer)
  }
}

/**
 * The place of the key of a field, or of the key with the reference that contains it; undefined without one.
 */
function placeIn(node: Node, pointer: Pointer): Location | undefined {
  let entry: Entry | undefined
  let inner: Node = node
  for (const step of steps(pointer)) {
    if (inner.kind !== 'map' || (entry !== undefined && isReference(inner))) break
    entry = inner.entries.get(step)
    if (entry === undefined) return undefined
    inner = entry.value
  }
  return entry?.value.source.place(entry.offset)
}

import { recordChanges } from '../diff/record-changes.ts'
import type { Site } from '../model/desired.ts'
import type { EstateDiff, EstateState, StateChange } from '../model/estate-diff.ts'
import type { LiveSite, LiveWlan } from '../model/live.ts'
import type { PatchOperation } from '../model/plan.ts'
import { partsInUse } from '../schema/in-use.ts'
import { byCodeUnit, groupBy, sortBy } from '../values/collections.ts'
import type { ValueObject } from '../values/value.ts'
import { effectsOf } from './effects/effects.ts'
import { surroundingsAt } from './effects/exposure.ts'
import { isOpen, networkOf } from './undeclared/undeclared.ts'

/** Compares two states; `equal` is the number of sites that they lack since they are equal. */
export function diffOf(
  before: EstateState,
  after: EstateState,
  equal: number
): Omit<EstateDiff, 'rules'> {
  const [earlier, later] = [sitesById(before.sites), sitesById(after.sites)]
  const unread = sortBy([...before.unread, ...after.unread], ({ site }) => site.name)
  const skipped = new Set(unread.map(({ site }) => site.id.toLowerCase()))
  const isIn = (own: ReadonlyMap<string, LiveSite>, isWhole: boolean, { site }: LiveSite) =>
    own.has(site.id.toLowerCase()) || (isWhole && !skipped.has(site.id.toLowerCase()))
  const was = before.sites.filter(live => isIn(later, after.isWhole, live))
  const is = after.sites.filter(live => isIn(earlier, before.isWhole, live))
  const only = (sites: readonly LiveSite[], others: ReadonlyMap<string, LiveSite>) =>
    sites
      .flatMap(({ site }) => (others.has(site.id.toLowerCase()) ? [] : site))
      .sort((a, b) => byCodeUnit(a.name, b.name))
  const [wasById, isById] = [sitesById(was), sitesById(is)]
  // A site is followed by its id when its name changes.
  const ids = [...new Set([...wasById.keys(), ...isById.keys()])].sort()
  const changes = ids.flatMap(id => siteChanges(wasById.get(id), isById.get(id)))
  const disappeared = only(was, later)
  const renamed = was.flatMap(({ site }) => {
    const name = later.get(site.id.toLowerCase())?.site.name ?? site.name
    return name === site.name ? [] : [{ before: site.name, after: name }]
  })
  return {
    states: [before, after],
    changes: sortBy(changes, ({ address }) => address),
    compared: equal + was.length - disappeared.length,
    appeared: only(is, earlier),
    disappeared,
    renamed: sortBy(renamed, ({ before: name }) => name),
    unread
  }
}

export function sitesById(sites: readonly LiveSite[]): ReadonlyMap<string, LiveSite> {
  return new Map(sites.map(live => [live.site.id.toLowerCase(), live]))
}

/** The changes by address, without what has no effect; undefined is a site that a state lacks. */
export function siteChanges(
  before: LiveSite | undefined,
  after: LiveSite | undefined
): StateChange[] {
  const site = (after ?? before)?.site
  if (site === undefined) return []
  const named = addressesOf(site, [...(before?.wlans ?? []), ...(after?.wlans ?? [])])
  const earlier = new Map(before?.wlans.map(wlan => [wlan.id.toLowerCase(), wlan]))
  const later = new Map(after?.wlans.map(wlan => [wlan.id.toLowerCase(), wlan]))
  const changes = [...new Set([...earlier.keys(), ...later.keys()])].flatMap(
    (id): StateChange[] => {
      const [was, is] = [earlier.get(id), later.get(id)]
      const { id: shown, ssid, record } = (is ?? was) as LiveWlan
      const about = { address: named.get(id) ?? '', site, wlan: { id: shown, ssid } }
      if (was === undefined || is === undefined || after === undefined) {
        const network = { network: networkOf(record), isOpen: isOpen(record) }
        return [{ kind: is ? 'added' : 'removed', ...about, ...network }]
      }
      const states = [was.record, is.record]
      const inUse = (record: ValueObject) => partsInUse(record, states)
      const { patch, secrets } = recordChanges(inUse(was.record), inUse(is.record))
      const effects = effectsOf(patch, was.record, secrets, {
        surroundings: surroundingsAt(after, is)
      })
      if (patch.length === 0) return []
      return [{ kind: 'changed', ...about, patch: patch.map(withRemoval), ...effects }]
    }
  )
  return changes.sort((a, b) => byCodeUnit(a.address, b.address))
}

function withRemoval(step: PatchOperation): PatchOperation {
  return step.op === 'replace' && step.value === null ? { op: 'remove', path: step.path } : step
}

function addressesOf({ name }: Site, wlans: readonly LiveWlan[]): ReadonlyMap<string, string> {
  // Of a WLAN in both states, the later SSID counts.
  const ssids = new Map(wlans.map(({ id, ssid }) => [id.toLowerCase(), ssid]))
  const bySsid = groupBy([...ssids], ([, ssid]) => ssid)
  return new Map(
    [...ssids].map(([id, ssid]) => {
      const isUnique = bySsid.get(ssid)?.length === 1
      return [id, `${name}/${ssid}${isUnique ? '' : ` (${id})`}`]
    })
  )
}

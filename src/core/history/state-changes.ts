import { diff, type FieldDifferences } from '../diff/diff.ts'
import type { Site } from '../model/desired.ts'
import type { LiveSite, LiveWlan } from '../model/live.ts'
import type { Change, PatchOperation } from '../model/plan.ts'
import { effectsOf } from '../plan/effects/effects.ts'
import { networkOf } from '../plan/undeclared/undeclared.ts'
import { byCodeUnit, groupBy } from '../values/collections.ts'
import type { Pointer } from '../values/pointer.ts'
import { Secret } from '../values/secret.ts'
import {
  fromEntries,
  isObject,
  mapMembers,
  mapValue,
  type Value,
  type ValueObject
} from '../values/value.ts'

/** What became of a WLAN between two states of its site. */
export type StateChange =
  | ({ readonly kind: 'changed'; readonly patch: readonly PatchOperation[] } & Changed &
      ReturnType<typeof effectsOf>)
  | ({ readonly kind: 'added' | 'removed'; readonly network: string } & Changed)

interface Changed {
  /** The site and the SSID, with the id where the site has several of that SSID: those of the later state. */
  readonly address: string
  readonly site: Site
  readonly wlan: { readonly id: string; readonly ssid: string }
}

/**
 * The changes of a site from one state to another, by address; undefined is a site that a state does not have. Every
 * field counts, declared or not, by the equivalences of a plan; secrets by whether they are set.
 */
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
      if (was === undefined || is === undefined) {
        return [{ kind: is ? 'added' : 'removed', ...about, network: networkOf(record) }]
      }
      const { patch, secrets } = recordChanges(was.record, is.record)
      const effects = effectsOf(patch, was.record, secrets)
      if (patch.length === 0) return []
      return [{ kind: 'changed', ...about, patch: patch.map(withRemoval), ...effects }]
    }
  )
  return changes.sort((a, b) => byCodeUnit(a.address, b.address))
}

/** The changes of all sites from one state to another. A site is followed by its id when its name changes. */
export function stateChanges(
  before: readonly LiveSite[],
  after: readonly LiveSite[]
): StateChange[] {
  const [earlier, later] = [sitesById(before), sitesById(after)]
  const ids = [...new Set([...earlier.keys(), ...later.keys()])].sort()
  return ids.flatMap(id => siteChanges(earlier.get(id), later.get(id)))
}

/** By id in lower case. */
export function sitesById(sites: readonly LiveSite[]): ReadonlyMap<string, LiveSite> {
  return new Map(sites.map(live => [live.site.id.toLowerCase(), live]))
}

/** The operation, as a removal if the later state lacks the field. */
function withRemoval(step: PatchOperation): PatchOperation {
  return step.op === 'replace' && step.value === null ? { op: 'remove', path: step.path } : step
}

/** What changed in the record of a WLAN, and the states of its secrets: `set` where only the later record has one. */
export function recordChanges(was: ValueObject, is: ValueObject): FieldDifferences {
  const forward = differences(is, was)
  // Of two values, one may count as the absence of the other: that is no change.
  const back = new Set(differences(was, is).patch.map(({ path }) => path))
  return { ...forward, patch: forward.patch.filter(({ path }) => back.has(path)) }
}

/** A field before and after a change; undefined is an absent one. */
export interface FieldChange {
  readonly pointer: Pointer
  readonly before: Value | undefined
  readonly after: Value | undefined
}

/** The fields of a patch, in its order. A patch does not test the value of a secret. */
export function fieldChangesOf({ patch }: Pick<Change, 'patch'>): FieldChange[] {
  const tests = new Map<Pointer, Value>()
  for (const step of patch) if (step.op === 'test') tests.set(step.path, step.value)
  return patch.flatMap(step => {
    if (step.op === 'test') return []
    const after = step.op === 'remove' ? undefined : (step.value ?? undefined)
    const tested = tests.has(step.path) ? (tests.get(step.path) ?? undefined) : SET
    const before = step.op === 'add' ? undefined : tested
    return [{ pointer: step.path, before, after }]
  })
}

function differences(record: ValueObject, other: ValueObject) {
  return diff(covering(comparable(record), comparable(other)), comparable(other))
}

/** Facts about the record itself, which no edit of a network changes. */
const IDENTITY = new Set(['id', 'site_id', 'org_id', 'created_time', 'modified_time'])

/** One value for every secret that is set. */
const SET = new Secret({ $live: true }, 'set')

function comparable(record: ValueObject): ValueObject {
  const fields = fromEntries(Object.entries(record).filter(([name]) => !IDENTITY.has(name)))
  return mapMembers(fields, field =>
    mapValue(field, each => (each instanceof Secret ? (each.empty ? '' : SET) : undefined))
  )
}

/** The fields of `record`, and as `null` those that only `other` has, so that a comparison sees what was removed. */
function covering(value: ValueObject, other: ValueObject): ValueObject {
  const names = new Set([...Object.keys(value), ...Object.keys(other)])
  return fromEntries(
    [...names].map(name => {
      const [inner, before] = [value[name], other[name]]
      if (isObject(inner) && isObject(before)) return [name, covering(inner, before)]
      return [name, inner ?? null]
    })
  )
}

/** By id in lower case. */
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

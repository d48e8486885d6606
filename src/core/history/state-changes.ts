import { diff } from '../diff/diff.ts'
import type { Site } from '../model/desired.ts'
import type { LiveSite, LiveWlan } from '../model/live.ts'
import type { Change, PatchOperation } from '../model/plan.ts'
import { effectsOf } from '../plan/effects/effects.ts'
import { networkOf } from '../plan/undeclared/undeclared.ts'
import { byCodeUnit, groupBy } from '../values/collections.ts'
import type { Pointer } from '../values/pointer.ts'
import { fromEntries, isObject, type Value, type ValueObject } from '../values/value.ts'

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
      const { patch: forward, secrets } = differences(is.record, was.record)
      // Of two values, one may count as the absence of the other: that is no change.
      const back = new Set(differences(was.record, is.record).patch.map(({ path }) => path))
      const patch = forward.filter(({ path }) => back.has(path))
      const effects = effectsOf(patch, was.record, secrets)
      return patch.length === 0 ? [] : [{ kind: 'changed', ...about, patch, ...effects }]
    }
  )
  return changes.sort((a, b) => byCodeUnit(a.address, b.address))
}

/** A field before and after a change; undefined is an absent one. */
export interface FieldChange {
  readonly pointer: Pointer
  readonly before: Value | undefined
  readonly after: Value | undefined
}

/** The fields of a patch, in its order. */
export function fieldChangesOf({ patch }: Pick<Change, 'patch'>): FieldChange[] {
  const tests = new Map<Pointer, Value>()
  for (const step of patch) if (step.op === 'test') tests.set(step.path, step.value)
  return patch.flatMap(step => {
    if (step.op === 'test') return []
    const after = step.op === 'remove' ? undefined : (step.value ?? undefined)
    return [{ pointer: step.path, before: tests.get(step.path), after }]
  })
}

function differences(record: ValueObject, other: ValueObject) {
  return diff(covering(record, other), withoutIdentity(other))
}

/** Facts about the record itself, which no edit of a network changes. */
const IDENTITY = new Set(['id', 'site_id', 'org_id', 'created_time', 'modified_time'])

function withoutIdentity(record: ValueObject): ValueObject {
  return fromEntries(Object.entries(record).filter(([name]) => !IDENTITY.has(name)))
}

/** The fields of `record`, and as `null` those that only `other` has, so that a comparison sees what was removed. */
function covering(record: ValueObject, other: ValueObject): ValueObject {
  return withoutIdentity(withAbsent(record, other))
}

function withAbsent(value: ValueObject, other: ValueObject): ValueObject {
  const names = new Set([...Object.keys(value), ...Object.keys(other)])
  return fromEntries(
    [...names].map(name => {
      const [inner, before] = [value[name], other[name]]
      if (isObject(inner) && isObject(before)) return [name, withAbsent(inner, before)]
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

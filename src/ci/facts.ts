import { agrees, type Comparison } from '../core/diff/agree.ts'
import { diff } from '../core/diff/diff.ts'
import { matchSite } from '../core/diff/match.ts'
import { mergedPointers } from '../core/diff/overlay.ts'
import type { SecretStates } from '../core/diff/secret-states.ts'
import type { Desired, DesiredSite, DesiredWlan } from '../core/model/desired.ts'
import type { LiveSite, LiveWlan } from '../core/model/live.ts'
import { patchedPointers } from '../core/model/plan.ts'
import { secretsToSend } from '../core/plan/rotation.ts'
import { fieldAt, wlanField } from '../core/schema/field.ts'
import { secretsShownAt } from '../core/schema/shown-secrets.ts'
import { partAt } from '../core/values/draft.ts'
import { isAtOrBelow, overlap, type Pointer, topLevelField } from '../core/values/pointer.ts'
import { Secret } from '../core/values/secret.ts'
import { type Value, type ValueObject, valueAt } from '../core/values/value.ts'
import type { Fact, Operation } from './permissions.ts'

export interface SeenWlan {
  readonly wlan: DesiredWlan
  readonly live: LiveWlan
  readonly differing: readonly Pointer[]
  readonly secrets: SecretStates
}

/** The declared WLANs of a site that have a live one, without the excluded ones. */
export function seenWlans(site: DesiredSite, live: LiveSite): ReadonlyMap<DesiredWlan, SeenWlan> {
  const secretsShown = secretsShownAt(live)
  const seen = [...matchSite(site, live)].flatMap(([wlan, match]): [DesiredWlan, SeenWlan][] => {
    if (!('live' in match) || wlan.excluded) return []
    const { record } = match.live
    const send = secretsToSend(wlan, record)
    const { patch, secrets = {} } = diff(wlan.fields, record, { secretsShown, send })
    return [[wlan, { wlan, live: match.live, differing: patchedPointers(patch), secrets }]]
  })
  return new Map(seen)
}

export function changedAt({ sinceBase }: DesiredSite, { key }: DesiredWlan): readonly Pointer[] {
  return sinceBase?.wlans.get(key)?.changed ?? []
}

/** The pointers of the declared fields at and below these pointers: members of objects, lists as a whole. */
export function declaredLeaves({ fields }: DesiredWlan, within: readonly Pointer[]): Pointer[] {
  const leaves = mergedPointers(fields, wlanField, '')
  return leaves.filter(leaf => leaf !== '' && within.some(at => overlap(leaf, at)))
}

/** The operation that makes a field as declared: of a field that is live already, too. */
export function operationAt(seen: SeenWlan, pointer: Pointer): Operation {
  const { wlan, live, secrets } = seen
  const states = Object.entries(secrets).filter(([at]) => isAtOrBelow(at, pointer))
  return {
    pointer,
    before: plain(live.record, pointer) ?? null,
    after: plain(wlan.fields, pointer) ?? null,
    ...(states.length > 0 && { secrets: Object.fromEntries(states) })
  }
}

/** The fields of a WLAN at the base that its fleet was loaded with; undefined if it was not declared. */
export function fieldsAtBase(
  { sites }: Desired,
  siteId: string,
  { key, fields }: DesiredWlan
): ValueObject | undefined {
  const site = sites.find(({ id }) => id.toLowerCase() === siteId.toLowerCase())
  const since = site?.sinceBase?.wlans.get(key)
  return since === undefined ? site && fields : since.fieldsAtBase
}

/** What decides about an operation, from the fields before and of the merge, those of the tip, and the live WLAN. */
export function factAt(
  seen: SeenWlan,
  pointer: Pointer,
  base: ValueObject | undefined,
  merge: ValueObject | undefined
): Fact {
  const { wlan, live, differing } = seen
  const { before, secrets } = operationAt(seen, pointer)
  const declared = base && valueAt(base, pointer)
  return {
    base: base && plain(base, pointer),
    merge: merge && plain(merge, pointer),
    tip: plain(wlan.fields, pointer),
    live: before,
    isTip: !differing.some(path => overlap(path, pointer)),
    isBase: declared !== undefined && isLive(declared, live, pointer),
    ...(secrets && { secrets })
  }
}

function isLive(declared: Value, { record }: LiveWlan, pointer: Pointer): boolean {
  const comparison: Comparison = { notCompared: [] }
  const field = fieldAt(pointer)
  const isEqual = agrees(field, valueAt(record, pointer), declared, pointer, comparison)
  return isEqual && comparison.notCompared.length === 0
}

/** A declared or live value as JSON, with secrets as references; undefined if there is none. */
function plain(fields: ValueObject, pointer: Pointer): Value | undefined {
  const value = valueAt(fields, pointer)
  if (value === undefined) return undefined
  return JSON.parse(JSON.stringify(value))
}

/**
 * Narrows a site to the fields that are chosen of its WLANs, each by the id of its live one: what a plan of it changes, and
 * judges. A secret in the same top-level field that is not known to differ travels along as declared.
 */
export function narrowTo(
  choose: (site: DesiredSite, wlan: DesiredWlan, seen?: SeenWlan) => readonly Pointer[] | undefined
) {
  return (site: DesiredSite, live: LiveSite): DesiredSite => {
    const seen = seenWlans(site, live)
    const wlans = site.wlans.map((wlan): DesiredWlan => {
      const found = seen.get(wlan)
      const pointers = choose(site, wlan, found)
      if (pointers === undefined) {
        return { ...wlan, excluded: true, ...(found && { id: found.live.id }) }
      }
      if (found === undefined) return wlan
      const fields = partAt(wlan.fields, [...pointers, ...secretsAlong(found, pointers)])
      return { ...wlan, id: found.live.id, fields }
    })
    return { ...site, wlans }
  }
}

function secretsAlong({ wlan, secrets }: SeenWlan, pointers: readonly Pointer[]): Pointer[] {
  const sent = new Set(pointers.map(topLevelField))
  return declaredLeaves(wlan, ['']).filter(at => {
    if (!sent.has(topLevelField(at)) || !(valueAt(wlan.fields, at) instanceof Secret)) return false
    return ['same', 'unknown'].includes(secrets[at] ?? 'same')
  })
}

import { compact, sortBy } from '../model/collections.ts'
import type { DesiredSite, Policy } from '../model/desired.ts'
import { aboutWlan, type Finding, finding } from '../model/finding.ts'
import { isInherited, type LiveSite, type LiveWlan, templateOf } from '../model/live.ts'
import { countUnwatched, type Plan, type Unmanaged, type Unwatched } from '../model/plan.ts'
import type { Pointer } from '../model/pointer.ts'
import { quote } from '../model/text.ts'
import { sameId } from '../model/uuid.ts'
import { isEmpty, isList, isObject, member, type Value, type ValueObject } from '../model/value.ts'
import {
  type FieldPath,
  type GuardField,
  guards,
  type ReadField,
  valueAtPath
} from '../schema/applicability.ts'
import type { Field } from '../schema/field.ts'
import { agrees } from './agree.ts'
import { matchSite } from './match.ts'

/**
 * The guard fields of a live WLAN that its declaration lacks, in the order of the schema: changes to them go
 * unnoticed. A field without an effect, such as in a block that is switched off, needs no declaration; nor
 * does an absent field whose absence cannot be declared.
 */
export function unwatchedFields(declared: ValueObject, live: ValueObject): readonly Pointer[] {
  return sharedList(unwatchedGuards(declared, live).map(({ pointer }) => pointer))
}

const sharedLists = new Map<string, readonly Pointer[]>()

/** The maximum number of lists to share. */
const MAX_SHARED = 1000

/**
 * The first list with the same pointers, because most WLANs of a large fleet have the same unwatched fields.
 */
function sharedList(pointers: readonly Pointer[]): readonly Pointer[] {
  const key = pointers.join('\n')
  const known = sharedLists.get(key)
  if (known !== undefined) return known
  if (sharedLists.size < MAX_SHARED) sharedLists.set(key, pointers)
  return pointers
}

function unwatchedGuards(declared: ValueObject, live: ValueObject): GuardField[] {
  const undeclared = guards().filter(({ path }) => !isHeld(declared, path))
  if (undeclared.length === 0) return undeclared
  const read: ReadField = path =>
    isHeld(declared, path) ? valueAtPath(declared, path) : valueAtPath(live, path)
  return undeclared.filter(
    ({ path, whenAbsent, isApplicable }) =>
      (whenAbsent !== undefined || !isEmpty(valueAtPath(live, path))) && isApplicable(read)
  )
}

/** True if a declaration contains the value at a path, or one that excludes it, such as `portal: null`. */
function isHeld(declared: ValueObject, path: FieldPath): boolean {
  let value: Value = declared
  for (const name of path) {
    if (!isObject(value)) return true
    const inner = member(value, name)
    if (inner === undefined) return false
    value = inner
  }
  return true
}

/** The maximum number of WLANs that a plan lists; the total counts the others. */
const MAX_LISTED = 5000

/**
 * The members of a plan about unwatched fields, for WLANs sorted by address; none if all fields are watched.
 */
export function unwatchedParts(
  all: readonly Unwatched[],
  earlier?: Plan['unwatched_total']
): Pick<Plan, 'unwatched' | 'unwatched_total'> {
  if (all.length === 0) return {}
  const total = earlier ?? countUnwatched({ unwatched: all })
  return {
    unwatched: all.slice(0, MAX_LISTED),
    ...(total.wlans > Math.min(all.length, MAX_LISTED) && { unwatched_total: total })
  }
}

/** The finding lists at most this many WLANs, and counts the others. */
const MAX_NAMED = 10

/** The refusal of unwatched fields, if the policy requires it. */
export function unwatchedRefusal(
  all: readonly Unwatched[],
  policy: Pick<Policy, 'unwatched'>
): readonly Finding[] {
  if (policy.unwatched !== 'error' || all.length === 0) return []
  const { fields, wlans } = countUnwatched({ unwatched: all })
  const named = all
    .slice(0, MAX_NAMED)
    .map(({ address, pointers }) => `${address} (${pointers.join(', ')})`)
  return [finding('UNWATCHED', {}, fields, wlans, named)]
}

/**
 * A finding for each unwatched guard field of a site that changed since an earlier state, read at `created`
 * (UTC). Equivalent values are not a change. WLANs that did not exist then have no findings.
 */
export function unwatchedChanges(
  site: DesiredSite,
  live: LiveSite,
  earlier: LiveSite,
  created: string
): readonly Finding[] {
  return [...matchSite(site, live)].flatMap(([wlan, match]) => {
    if (wlan.excluded || !('live' in match)) return []
    const before = earlier.wlans.find(({ id }) => sameId(id, match.live.id))
    if (before === undefined) return []
    return changedGuards(wlan.fields, before, match.live).map(({ pointer, was, is }) =>
      finding('UNWATCHED_CHANGED', aboutWlan(wlan), pointer, was, is, created)
    )
  })
}

interface ChangedGuard {
  readonly pointer: Pointer
  readonly was: string
  readonly is: string
}

function changedGuards(
  declared: ValueObject,
  { record: before }: LiveWlan,
  { record: after }: LiveWlan
): ChangedGuard[] {
  const undeclared = new Set([
    ...unwatchedGuards(declared, before),
    ...unwatchedGuards(declared, after)
  ])
  return [...undeclared].flatMap(guard => {
    const { pointer, path, field } = guard
    const was = guarded(field, valueAtPath(before, path)) ?? null
    const is = guarded(field, valueAtPath(after, path)) ?? null
    return isEquivalent(guard, was, is)
      ? []
      : [{ pointer, was: shown(field, was), is: shown(field, is) }]
  })
}

/** The guarded members of each object in a list, such as the hosts of RADIUS servers. */
function guarded(field: Field, value: Value | undefined): Value | undefined {
  const item = field.item()
  const names = item.memberNames().filter(name => item.member(name).guard)
  if (names.length === 0 || !isList(value)) return value
  return value.map(element =>
    Object.fromEntries(
      names.map(name => [name, (isObject(element) && member(element, name)) || null])
    )
  )
}

function isEquivalent({ field, pointer }: GuardField, a: Value, b: Value): boolean {
  const agree = (live: Value, declared: Value) =>
    agrees(field, live, declared, pointer, { notCompared: [] })
  return agree(a, b) || agree(b, a)
}

/** A value for a message; an absent one is described by the meaning of its absence. */
function shown(field: Field, value: Value): string {
  const actual = isEmpty(value) ? ((field.default as Value | undefined) ?? value) : value
  if (isEmpty(actual)) return 'none'
  const texts = isList(actual) ? actual.map(textOf) : [textOf(actual)]
  return isList(actual) ? `[${texts.join(', ')}]` : texts.join()
}

function textOf(value: Value): string {
  if (isObject(value)) return Object.values(value).map(textOf).join(' ')
  return typeof value === 'string' ? quote(value, 100) : JSON.stringify(value)
}

/** The live WLANs of a site that no file declares: its own, and those of the organization. */
export function listUndeclared(
  { name: site, owner }: DesiredSite,
  wlans: readonly LiveWlan[]
): { readonly unmanaged: readonly Unmanaged[]; readonly inherited: readonly Unmanaged[] } {
  const listed = (areInherited: boolean) =>
    wlans
      .filter(({ record }) => isInherited(record) === areInherited)
      .map(({ id, ssid, record }) => ({
        site,
        id,
        ssid,
        ...compact({ owner, template: templateOf(record) })
      }))
  return { unmanaged: listed(false), inherited: listed(true) }
}

/** By site, SSID and id. */
export function sortUnmanaged(wlans: readonly Unmanaged[]): Unmanaged[] {
  return sortBy(
    wlans,
    ({ site }) => site,
    ({ ssid }) => ssid,
    ({ id }) => id
  )
}

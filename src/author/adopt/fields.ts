import { agrees } from '../../core/diff/agree.ts'
import { matchSite } from '../../core/diff/match.ts'
import { partnersOf } from '../../core/diff/overlay.ts'
import type { LeftField } from '../../core/model/adoption.ts'
import type { DesiredSite, Site } from '../../core/model/desired.ts'
import { isInherited, type LiveSite } from '../../core/model/live.ts'
import type { Change, PatchOperation, PlannedChange } from '../../core/model/plan.ts'
import { downgradesOf } from '../../core/plan/effects/downgrade.ts'
import { exposuresOf } from '../../core/plan/effects/exposure.ts'
import { Transition } from '../../core/plan/effects/transition.ts'
import {
  NOT_DECLARABLE,
  SECRET_VALUE,
  unwatchedFields,
  whyNotAdopted
} from '../../core/plan/undeclared/undeclared.ts'
import { undeclaredChanges, undoing } from '../../core/plan/undeclared/undeclared-changes.ts'
import { type Field, fieldAt, fieldIn } from '../../core/schema/field.ts'
import { guards } from '../../core/schema/in-use.ts'
import { isDeclarable } from '../../core/schema/validate.ts'
import { above, isAtOrBelow, overlap, type Pointer } from '../../core/values/pointer.ts'
import { Secret } from '../../core/values/secret.ts'
import {
  asNumber,
  holdsSecret,
  isEmpty,
  isList,
  isObject,
  member,
  secretsIn,
  type Value,
  type ValueObject,
  valueAt
} from '../../core/values/value.ts'

/** A field with drift, or an undeclared one, and the value to declare. */
export interface AdoptableField {
  readonly address: string
  readonly pointer: Pointer
  readonly value: Value
  /** True if the live value weakens security compared with the declared one, or with the default. */
  readonly lessSafe: boolean
  readonly isAdded?: true
}

export interface AdoptableFields {
  readonly adoptable: readonly AdoptableField[]
  readonly left: readonly LeftField[]
}

/** The declared fields with drift, with their live values. With `fields`, only those at or below these pointers. */
export function adoptableFields(
  changes: readonly PlannedChange[],
  fields: readonly Pointer[]
): AdoptableFields {
  const adoptable: AdoptableField[] = []
  const left: LeftField[] = []
  for (const { address, change, desired, live } of changes) {
    const isWeaker = weakenedBefore(change.patch, live.record)
    for (const pointer of changedFields(change).filter(at => isSelectedField(at, fields))) {
      const declared = valueAt(desired.fields, pointer) ?? null
      const result = adoptableValue(pointer, declared, valueAt(live.record, pointer), live.record)
      if ('reason' in result) left.push({ address, pointer, ...result })
      else adoptable.push({ address, pointer, ...result, lessSafe: isWeaker(pointer) })
    }
  }
  return { adoptable, left }
}

/** Tells whether a field of the live record weakens security, compared with the record after the patch. */
function weakenedBefore(patch: readonly PatchOperation[], live: ValueObject) {
  const edit = new Transition(patch, live).reversed()
  const weakened = downgradesOf(edit, exposuresOf(edit)).map(({ pointer }) => pointer)
  return (pointer: Pointer) => weakened.some(at => overlap(at, pointer))
}

/** The unwatched fields of the declared WLANs of a site, with their live values. */
export function adoptableUndeclared(
  site: DesiredSite,
  live: LiveSite,
  fields: readonly Pointer[]
): AdoptableFields & { readonly wlans: readonly UndeclaredWlan[] } {
  const [adoptable, left]: [AdoptableField[], LeftField[]] = [[], []]
  const wlans: UndeclaredWlan[] = []
  for (const [desired, match] of matchSite(site, live)) {
    if (desired.excluded || !('live' in match) || isInherited(match.live.record)) continue
    const { address } = desired
    wlans.push({ address, site, desired, live: match.live })
    const { record } = match.live
    const notDefault = undeclaredChanges(desired.fields, record)
    const isWeaker = weakenedBefore(undoing(notDefault, record), record)
    // The first servers are a change of none, but who adds them is not known.
    const servers = notDefault.flatMap(({ field: { danger }, pointer }) =>
      danger === 'elsewhere' ? pointer : []
    )
    const unwatched = unwatchedFields(desired.fields, record, notDefault)
    for (const pointer of unwatched.filter(at => isSelectedField(at, fields))) {
      const result = undeclaredValue(pointer, desired.fields, record)
      if ('reason' in result) left.push({ address, pointer, ...result })
      else {
        const lessSafe = isWeaker(pointer) || servers.includes(pointer)
        adoptable.push({ address, pointer, ...result, lessSafe, isAdded: true })
      }
    }
  }
  return { adoptable, left, wlans }
}

/** A declared WLAN whose undeclared fields are adopted. */
export type UndeclaredWlan = Pick<PlannedChange, 'address' | 'desired' | 'live'> & {
  readonly site: Site
}

function undeclaredValue(
  pointer: Pointer,
  declared: ValueObject,
  live: ValueObject
): AdoptableValue {
  const reason = whyNotAdopted(pointer, declared, live)
  if (reason !== undefined) return { reason }
  const value = valueAt(live, pointer)
  const known = isEmpty(value) ? valueWhenAbsent(pointer, value) : value
  return adoptableValue(pointer, null, known, live)
}

/** The value that declares an absent guard field; a day with empty hours has that value. */
function valueWhenAbsent(pointer: Pointer, live: Value | undefined): Value | undefined {
  return guards().find(guard => guard.pointer === pointer)?.field.whenAbsent ?? live
}

type AdoptableValue = { readonly value: Value } | { readonly reason: string }

function adoptableValue(
  pointer: Pointer,
  declared: Value,
  live: Value | undefined,
  record: ValueObject
): AdoptableValue {
  const field = fieldIn(fieldAt(pointer), valueAt(record, above(pointer).at(-1) ?? ''))
  if (live === undefined || (live === null && !isDeclarable(pointer, live))) {
    // Without an empty value or a default, the layers below would provide the members of the object.
    const value = emptyValueAt(pointer) ?? field.default
    return value === undefined || isObject(declared) ? { reason: ABSENT } : { value }
  }
  const value = adoptValue(field, declared, live)
  // In a list, the drift may be in the secret of an element.
  if (value === undefined || !agrees(field, live, value, pointer)) {
    return { reason: SECRET_VALUE }
  }
  if ([...secretsIn(value)].some(isPlaintext)) return { reason: PLAINTEXT }
  return isDeclarable(pointer, value) ? { value } : { reason: NOT_DECLARABLE }
}

const ABSENT = 'the live WLAN does not have it: remove it from the files'
const PLAINTEXT = 'it contains a plaintext secret: use a reference, or edit it manually'

/** The given fields without drift at or below them. */
export function fieldsWithoutDrift(
  changes: readonly PlannedChange[],
  fields: readonly Pointer[]
): Pointer[] {
  const all = changes.flatMap(({ change }) => changedFields(change))
  return fields.filter(field => !all.some(pointer => isSelectedField(pointer, [field])))
}

function changedFields({ patch }: Pick<Change, 'patch'>): Pointer[] {
  return [...new Set(patch.map(({ path }) => path))]
}

function isSelectedField(pointer: Pointer, fields: readonly Pointer[]): boolean {
  return fields.length === 0 || fields.some(at => isAtOrBelow(pointer, at))
}

/**
 * The live value with the members that are declared. Undeclared members of an object stay undeclared, also in
 * the elements of a list; members that are absent live are removed; secrets stay references. Undefined if the
 * result would contain a live secret.
 */
function adoptValue(field: Field, declared: Value, live: Value): Value | undefined {
  if (declared instanceof Secret) return undefined
  if (isObject(declared) && isObject(live) && field.compare !== 'whole') {
    return adoptMembers(field, declared, live)
  }
  if (isList(live) && isList(declared) && declared.some(isObject)) {
    return adoptItems(field, declared, live)
  }
  if (holdsSecret(live)) return undefined
  return field.compare === 'loose' ? asNumber(live) : live
}

function adoptMembers(field: Field, declared: ValueObject, live: ValueObject) {
  const members: [string, Value][] = []
  for (const [name, value] of Object.entries(declared)) {
    if (value instanceof Secret) {
      members.push([name, value])
      continue
    }
    const found = member(live, name)
    if (found === undefined) continue
    const taken = adoptValue(field.member(name), value, found)
    if (taken === undefined) return undefined
    members.push([name, taken])
  }
  return Object.fromEntries(members)
}

/** In the live order: each live element with the members of its declared partner. */
function adoptItems(field: Field, declared: readonly Value[], live: readonly Value[]) {
  const partners = partnersOf(field, declared, live)
  const items: Value[] = []
  for (const [at, element] of live.entries()) {
    const partner = partners[at]
    if (partner === undefined && holdsSecret(element)) return undefined
    const item = partner === undefined ? element : adoptValue(field.item(), partner, element)
    if (item === undefined) return undefined
    items.push(item)
  }
  return items
}

function isPlaintext({ reference }: Secret): boolean {
  return !('$env' in reference || '$file' in reference)
}

/** The value that declares a field empty; undefined if the schema allows none. */
function emptyValueAt(pointer: Pointer): Value | undefined {
  const nothings: readonly Value[] = [null, '', [], {}]
  return nothings.find(nothing => isDeclarable(pointer, nothing))
}

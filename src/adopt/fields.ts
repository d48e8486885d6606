import type { LeftField } from '../model/adoption.ts'
import { ssidProblem } from '../model/names.ts'
import type { Change, PlannedChange } from '../model/plan.ts'
import { overlap, type Pointer, steps } from '../model/pointer.ts'
import { Secret } from '../model/secret.ts'
import {
  holdsSecret,
  isList,
  isObject,
  member,
  secretsIn,
  type Value,
  type ValueObject,
  valueAt
} from '../model/value.ts'
import { agrees } from '../plan/agree.ts'
import { inverse } from '../plan/diff.ts'
import { downgradesOf } from '../plan/downgrade.ts'
import { partnersOf } from '../plan/overlay.ts'
import { type Field, fieldAt } from '../schema/field.ts'
import { type SchemaError, wlanErrors } from '../schema/validate.ts'

/** A declared field that differs, and what the files should say of it. */
export interface AdoptableField {
  readonly address: string
  readonly pointer: Pointer
  readonly value: Value
  /** The network as it is live is less safe in this than it was declared. */
  readonly lessSafe: boolean
}

/**
 * What is to be adopted of the changes of a plan: of each field the live value, as far as it is
 * declared. Without `fields` all that differ; else those at these pointers or below.
 */
export function adoptableFields(
  changes: readonly PlannedChange[],
  fields: readonly Pointer[]
): { readonly wants: readonly AdoptableField[]; readonly left: readonly LeftField[] } {
  const wants: AdoptableField[] = []
  const left: LeftField[] = []
  for (const { address, change, desired, live } of changes) {
    const weakened = downgradesOf(inverse(change.patch))
    for (const pointer of changedFields(change).filter(at => isSelectedField(at, fields))) {
      const declared = valueAt(desired.fields, pointer) ?? null
      const wanted = adoptableValue(pointer, declared, valueAt(live.record, pointer))
      if ('reason' in wanted) left.push({ address, pointer, ...wanted })
      else {
        const lessSafe = weakened.some(at => overlap(at, pointer))
        wants.push({ address, pointer, ...wanted, lessSafe: lessSafe })
      }
    }
  }
  return { wants, left }
}

/** What the files should say of a field, or why that cannot be had. */
function adoptableValue(
  pointer: Pointer,
  declared: Value,
  live: Value | undefined
): { readonly value: Value } | { readonly reason: string } {
  if (live === undefined) {
    // What an object declares would come back from the layers below.
    const value = emptyValueAt(pointer)
    return value === undefined || isObject(declared) ? { reason: ABSENT } : { value }
  }
  const field = fieldAt(pointer)
  const value = adoptValue(field, declared, live)
  // In a list it may be the secret of an element that differs.
  if (value === undefined || !agrees(field, live, value, pointer, { notCompared: [] })) {
    return { reason: 'a secret is never adopted' }
  }
  if ([...secretsIn(value)].some(isPlaintext)) return { reason: PLAINTEXT }
  return isDeclarable(pointer, value) ? { value } : { reason: NOT_DECLARABLE }
}

const ABSENT = 'it is absent live, and cannot be declared so: take it out of the files'
const PLAINTEXT = 'a secret stands there in clear: refer to it, or edit it by hand'
const NOT_DECLARABLE = 'what is live cannot be declared: the field does not take it'

/** Those of the named fields in which no change differs, neither there nor below. */
export function fieldsWithoutDrift(
  changes: readonly PlannedChange[],
  fields: readonly Pointer[]
): Pointer[] {
  const all = changes.flatMap(({ change }) => changedFields(change))
  return fields.filter(field => !all.some(pointer => isSelectedField(pointer, [field])))
}

/** The fields that a change would write. */
export function changedFields({ patch }: Pick<Change, 'patch'>): Pointer[] {
  return [...new Set(patch.map(({ path }) => path))]
}

function isSelectedField(pointer: Pointer, fields: readonly Pointer[]): boolean {
  return fields.length === 0 || fields.some(at => pointer === at || pointer.startsWith(`${at}/`))
}

/**
 * What a declared value has to become to say what is live. Of an object, members that nobody declared
 * stay undeclared, also in the elements of a list, and what is gone is declared no more; secrets stay
 * the references they are. Undefined if a live secret would have to be written down.
 */
export function adoptValue(field: Field, declared: Value, live: Value): Value | undefined {
  if (declared instanceof Secret) return undefined
  if (isObject(declared) && isObject(live) && field.compare !== 'whole') {
    return adoptMembers(field, declared, live)
  }
  if (isList(live) && isList(declared) && declared.some(isObject)) {
    return adoptItems(field, declared, live)
  }
  return holdsSecret(live) ? undefined : live
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

/** In the live order: each live element as far as the declared one that stands for it goes. */
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

type Kind = SchemaError['kind']

/** What the loader refuses; the service may know more names and values than the schema does. */
const fatalErrors: readonly Kind[] = ['type', 'range', 'length', 'pattern', 'missing-field']

/** True if a field may be declared with this value. */
export function isDeclarable(pointer: Pointer, value: Value): boolean {
  if (pointer !== '/ssid') return isAccepted(pointer, value, fatalErrors)
  return typeof value === 'string' && ssidProblem(value) === undefined
}

/** How a field declares that there is nothing; undefined for one that cannot. */
export function emptyValueAt(pointer: Pointer): Value | undefined {
  const nothings: readonly Value[] = [null, '', [], {}]
  return nothings.find(nothing => isAccepted(pointer, nothing, [...fatalErrors, 'enum']))
}

function isAccepted(pointer: Pointer, value: Value, kinds: readonly Kind[]): boolean {
  const wlan = steps(pointer).reduceRight<Value>((inner, step) => ({ [step]: inner }), value)
  return wlanErrors(wlan).every(
    error => !kinds.includes(error.kind) || !overlap(error.pointer, pointer)
  )
}

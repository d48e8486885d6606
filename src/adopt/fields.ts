import type { LeftField } from '../model/adoption.ts'
import type { Change, PlannedChange } from '../model/plan.ts'
import { overlap, type Pointer } from '../model/pointer.ts'
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
import { downgradesOf } from '../plan/impact.ts'
import { partnersOf } from '../plan/overlay.ts'
import { type Field, fieldAt } from '../schema/field.ts'
import { mayBeDeclared, nothingAt } from './fit.ts'

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
    for (const pointer of differing(change).filter(at => isMeant(at, fields))) {
      const declared = valueAt(desired.fields, pointer) ?? null
      const wanted = wantedOf(pointer, declared, valueAt(live.record, pointer))
      if ('reason' in wanted) left.push({ address, pointer, ...wanted })
      else {
        const lessSafe = weakened.some(at => overlap(at, pointer))
        wants.push({ address, pointer, ...wanted, lessSafe })
      }
    }
  }
  return { wants, left }
}

/** What the files should say of a field, or why that cannot be had. */
function wantedOf(
  pointer: Pointer,
  declared: Value,
  live: Value | undefined
): { readonly value: Value } | { readonly reason: string } {
  if (live === undefined) {
    // What an object declares would come back from the layers below.
    const value = nothingAt(pointer)
    return value === undefined || isObject(declared) ? { reason: ABSENT } : { value }
  }
  const field = fieldAt(pointer)
  const value = adopted(field, declared, live)
  // In a list it may be the secret of an element that differs.
  if (value === undefined || !agrees(field, live, value, pointer, { notCompared: [] })) {
    return { reason: 'a secret is never adopted' }
  }
  if ([...secretsIn(value)].some(isInClear)) return { reason: IN_CLEAR }
  return mayBeDeclared(pointer, value) ? { value } : { reason: UNFIT }
}

const ABSENT = 'it is absent live, and cannot be declared so: take it out of the files'
const IN_CLEAR = 'a secret stands there in clear: refer to it, or edit it by hand'
const UNFIT = 'what is live cannot be declared: the field does not take it'

/** Those of the named fields in which no change differs, neither there nor below. */
export function differingNowhere(
  changes: readonly PlannedChange[],
  fields: readonly Pointer[]
): Pointer[] {
  const all = changes.flatMap(({ change }) => differing(change))
  return fields.filter(field => !all.some(pointer => isMeant(pointer, [field])))
}

/** The fields that a change would write. */
export function differing({ patch }: Pick<Change, 'patch'>): Pointer[] {
  return [...new Set(patch.map(({ path }) => path))]
}

function isMeant(pointer: Pointer, fields: readonly Pointer[]): boolean {
  return fields.length === 0 || fields.some(at => pointer === at || pointer.startsWith(`${at}/`))
}

/**
 * What a declared value has to become to say what is live. Of an object, members that nobody declared
 * stay undeclared, also in the elements of a list, and what is gone is declared no more; secrets stay
 * the references they are. Undefined if a live secret would have to be written down.
 */
export function adopted(field: Field, declared: Value, live: Value): Value | undefined {
  if (declared instanceof Secret) return undefined
  if (isObject(declared) && isObject(live) && field.compare !== 'whole') {
    return adoptedMembers(field, declared, live)
  }
  if (isList(live) && isList(declared) && declared.some(isObject)) {
    return adoptedItems(field, declared, live)
  }
  return holdsSecret(live) ? undefined : live
}

function adoptedMembers(field: Field, declared: ValueObject, live: ValueObject) {
  const members: [string, Value][] = []
  for (const [name, value] of Object.entries(declared)) {
    if (value instanceof Secret) {
      members.push([name, value])
      continue
    }
    const found = member(live, name)
    if (found === undefined) continue
    const taken = adopted(field.member(name), value, found)
    if (taken === undefined) return undefined
    members.push([name, taken])
  }
  return Object.fromEntries(members)
}

/** In the live order: each live element as far as the declared one that stands for it goes. */
function adoptedItems(field: Field, declared: readonly Value[], live: readonly Value[]) {
  const partners = partnersOf(field, declared, live)
  const items: Value[] = []
  for (const [at, element] of live.entries()) {
    const partner = partners[at]
    if (partner === undefined && holdsSecret(element)) return undefined
    const item = partner === undefined ? element : adopted(field.item(), partner, element)
    if (item === undefined) return undefined
    items.push(item)
  }
  return items
}

function isInClear({ reference }: Secret): boolean {
  return !('$env' in reference || '$file' in reference)
}

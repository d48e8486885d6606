import type { ChangedElement, ElementChanges, PatchOperation } from '../model/plan.ts'
import { type Field, fieldAt, wlanField } from '../schema/field.ts'
import { compact } from '../values/collections.ts'
import { child, type Pointer, steps } from '../values/pointer.ts'
import {
  below,
  fromEntries,
  holdsSecret,
  isList,
  isObject,
  isSameButSecrets,
  member,
  secretReferenceIn,
  type Value,
  type ValueObject
} from '../values/value.ts'

/**
 * The differences of a patch's lists by element, by the pointer of the list; undefined if no operation
 * changes such a list.
 *
 * | field                              | name of its elements                    |
 * |------------------------------------|-----------------------------------------|
 * | a list of objects with a `key`     | that member, e.g. the host of a server  |
 * | a `comma-list`, such as of VLANs   | their text                              |
 * | an object that is compared `whole` | their name                              |
 *
 * Secrets have states of their own and are excluded.
 */
export function elementsOf(
  patch: readonly PatchOperation[]
): Readonly<Record<Pointer, ElementChanges>> | undefined {
  const tests = new Map<Pointer, Value>()
  const found: [Pointer, ElementChanges][] = []
  for (const operation of patch) {
    if (operation.op === 'test') tests.set(operation.path, operation.value)
    else if (operation.op !== 'remove') {
      const { path, value } = operation
      const before = tests.get(path)
      const changes = changesOf(fieldAt(path), before, value)
      if (changes !== undefined) found.push([path, changes])
    }
  }
  return found.length === 0 ? undefined : Object.fromEntries(found)
}

function changesOf(
  field: Field,
  before: Value | undefined,
  after: Value
): ElementChanges | undefined {
  const [was, is] = [namedElements(field, before ?? null), namedElements(field, after)]
  if (was === undefined || is === undefined) return undefined
  if (field.key === undefined && (was.length === 0 || is.length === 0)) return undefined
  const changes = compared(was, is, field.key !== undefined)
  return Object.keys(changes).length === 0 ? undefined : changes
}

interface NamedElement {
  readonly name: string
  /** The value without the member that contains the name. */
  readonly value: Value
}

/** The elements in order; undefined if they have no names. */
function namedElements(field: Field, value: Value): readonly NamedElement[] | undefined {
  const { key, compare } = field
  if (key !== undefined) return value === null ? [] : numbered(elementsWithKey(value, key))
  if (compare === 'comma-list') return numbered(listedTexts(value))
  if (compare !== 'whole' || !isObject(value)) return undefined
  if (secretReferenceIn(value) !== undefined) return undefined
  return Object.entries(value).map(([name, inner]) => ({ name, value: inner }))
}

function elementsWithKey(list: Value, key: string): readonly NamedElement[] | undefined {
  if (!isList(list)) return undefined
  const named = list.flatMap((element): NamedElement[] => {
    const name = isObject(element) ? member(element, key) : undefined
    if (!isObject(element) || typeof name !== 'string' || name === '') return []
    const others = Object.entries(element).filter(([each]) => each !== key)
    return [{ name, value: fromEntries(others) }]
  })
  return named.length === list.length ? named : undefined
}

function listedTexts(value: Value): readonly NamedElement[] | undefined {
  const parts = isList(value) ? value : typeof value === 'object' ? [] : String(value).split(',')
  const isFlat = parts.every(part => typeof part === 'string' || typeof part === 'number')
  if (!isFlat) return undefined
  const names = parts.map(part => String(part).trim()).filter(name => name !== '')
  return names.map(name => ({ name, value: null }))
}

/** Numbers repeated names: `10.0.0.1`, `10.0.0.1 #2`. */
function numbered(elements: readonly NamedElement[] | undefined) {
  const counts = new Map<string, number>()
  return elements?.map(({ name, value }) => {
    const nth = (counts.get(name) ?? 0) + 1
    counts.set(name, nth)
    return { name: nth === 1 ? name : `${name} #${nth}`, value }
  })
}

function compared(
  before: readonly NamedElement[],
  after: readonly NamedElement[],
  isOrdered: boolean
): ElementChanges {
  const was = new Map(before.map(({ name, value }) => [name, value]))
  const is = new Map(after.map(({ name, value }) => [name, value]))
  const kept = after.filter(({ name }) => was.has(name))
  const nextKept = isOrdered ? keptAfter(after, was) : new Map<string, string>()
  const added = after.flatMap(({ name, value }) =>
    was.has(name)
      ? []
      : { element: name, ...withoutSecrets(value), ...compact({ before: nextKept.get(name) }) }
  )
  const removed = before.flatMap(({ name }) => (is.has(name) ? [] : name))
  const changed = kept.flatMap(({ name, value }) => changedElement(name, was.get(name), value))
  const orderBefore = before.flatMap(({ name }) => (is.has(name) ? name : []))
  const isMoved = isOrdered && kept.some(({ name }, at) => name !== orderBefore[at])
  return compact({
    added: added.length === 0 ? undefined : added,
    removed: removed.length === 0 ? undefined : removed,
    changed: changed.length === 0 ? undefined : changed,
    order: isMoved ? after.map(({ name }) => name) : undefined
  })
}

/** For each element, the next element that both sides have. */
function keptAfter(
  after: readonly NamedElement[],
  was: ReadonlyMap<string, unknown>
): ReadonlyMap<string, string> {
  const next = new Map<string, string>()
  let kept: string | undefined
  for (const { name } of after.toReversed()) {
    if (kept !== undefined) next.set(name, kept)
    if (was.has(name)) kept = name
  }
  return next
}

function withoutSecrets(value: Value): { readonly value?: Value } {
  if (!isObject(value)) return value === null || holdsSecret(value) ? {} : { value }
  const plain = Object.entries(value).filter(([, inner]) => !holdsSecret(inner))
  return plain.length === 0 ? {} : { value: fromEntries(plain) }
}

function changedElement(name: string, before: Value | undefined, after: Value): ChangedElement[] {
  const [was, is] = [before ?? null, after]
  if (isSameButSecrets(was, is)) return []
  if (!isObject(was) || !isObject(is))
    return [{ element: name, fields: [{ path: '', before: was, after: is }] }]
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])]
  const fields = names.flatMap(each => {
    const [from, to] = [member(was, each), member(is, each)]
    if (
      secretReferenceIn(from ?? null) !== undefined ||
      secretReferenceIn(to ?? null) !== undefined
    )
      return []
    if (isSameButSecrets(from, to)) return []
    return [{ path: child('', each), ...compact({ before: from, after: to }) }]
  })
  return fields.length === 0 ? [] : [{ element: name, fields }]
}

/** Names of list elements by pointer: `/auth_servers/0` is `10.0.0.2`. Undefined without any. */
export function listElementNames(
  wlan: ValueObject,
  pointers: readonly Pointer[]
): Readonly<Record<Pointer, string>> | undefined {
  const names = new Map<Pointer, string>()
  for (const pointer of pointers) {
    let [value, at, field]: [Value | undefined, Pointer, Field] = [wlan, '', wlanField]
    for (const step of steps(pointer)) {
      const inner = below(value, step)
      at = child(at, step)
      const name =
        isList(value) && field.key !== undefined && isObject(inner) && member(inner, field.key)
      if (typeof name === 'string' && name !== '') names.set(at, name)
      field = isList(value) ? field.item() : field.member(step)
      value = inner
    }
  }
  return names.size === 0 ? undefined : Object.fromEntries(names)
}

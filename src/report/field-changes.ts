import { byCodeUnit } from '../model/collections.ts'
import type { Change, PatchOperation } from '../model/plan.ts'
import type { Pointer } from '../model/pointer.ts'
import { isList, isObject, type Value } from '../model/value.ts'
import { excerpts, LONGEST_VALUE, partExcerpts } from './excerpt.ts'
import { isSecret, secretSource, shown, shownParts } from './shown.ts'

/** The operations of a change that do something: all but the tests. */
export function fieldsOf({ patch }: Change): PatchOperation[] {
  return patch.filter(({ op }) => op !== 'test')
}

/** True for a field that gets less safe, or in which something does. */
export function isDowngrade({ downgrades }: Change, { path }: PatchOperation): boolean {
  if (downgrades === undefined) return false
  const sorted = remembered(downgradeIndex, downgrades, outermost)
  const inside = sorted[firstFrom(sorted, `${path}/`)] ?? ''
  const around = sorted[firstFrom(sorted, `${path}/\u0000`) - 1] ?? ''
  return inside.startsWith(`${path}/`) || `${path}/`.startsWith(around || '\n')
}

/** The downgrades of a change, keyed by its list of them; an entry lives as long as that list. */
const downgradeIndex = new WeakMap<readonly Pointer[], readonly string[]>()

/** The pointers with a `/` at their end, sorted, without those that lie in another one. */
function outermost(pointers: readonly Pointer[]): readonly string[] {
  const kept: string[] = []
  for (const each of pointers.map(pointer => `${pointer}/`).sort(byCodeUnit)) {
    const last = kept.at(-1)
    if (last === undefined || !each.startsWith(last)) kept.push(each)
  }
  return kept
}

/** The index of the first text that does not sort before this one. */
function firstFrom(sorted: readonly string[], text: string): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? '') < text) low = middle + 1
    else high = middle
  }
  return low
}

function remembered<K extends object, V>(index: WeakMap<K, V>, key: K, make: (key: K) => V): V {
  const known = index.get(key)
  if (known !== undefined) return known
  const made = make(key)
  index.set(key, made)
  return made
}

export function isSecretField(field: PatchOperation): boolean {
  return isSecret(afterOf(field))
}

/** Secrets are told by where they come from: no value, and nothing that was made of one. */
export function secretText(field: PatchOperation): {
  readonly what: string
  readonly source?: string
} {
  const source = secretSource(afterOf(field))
  const what = `(secret) ${field.op === 'add' ? 'set' : 'changed'}`
  return { what, ...(source === undefined ? {} : { source }) }
}

export function afterOf(field: PatchOperation): Value {
  return 'value' in field ? field.value : null
}

/** The value that goes, on one line; a secret's is not in the patch. */
export function beforeOf(change: Change, field: PatchOperation): string {
  const old = oldValue(change, field)
  if (old !== undefined) return shown(old)
  return field.op === 'add' ? '(unset)' : '(secret)'
}

/** What of a value goes, what comes, each part on one line, and how many parts stay. */
export interface BeforeAfter {
  readonly gone: readonly string[]
  readonly come: readonly string[]
  readonly kept: number
}

/** `before → after` on one line, each in so many characters, with their first difference. */
export function exchangeLine(change: Change, field: PatchOperation, longest: number): string {
  return excerpts([beforeOf(change, field), shown(afterOf(field))], longest).join(' → ')
}

/** What a field that is too large for one line exchanges; of what stays only the number. */
export function beforeAfterOf(change: Change, field: PatchOperation): BeforeAfter {
  const old = oldValue(change, field)
  const absent = field.op === 'add' ? [] : [beforeOf(change, field)]
  const before = old === undefined ? absent : shownParts(old)
  const after = shownParts(afterOf(field))
  const inParts = areAlike(old, afterOf(field))
  const [going, coming] = inParts
    ? [without(before, after), without(after, before)]
    : [before, after]
  // Nothing goes or comes where only the order is another one.
  const [gone, come] = going.length + coming.length === 0 ? [before, after] : [going, coming]
  return {
    ...partExcerpts(gone, come, LONGEST_VALUE),
    kept: after.length - come.length
  }
}

function areAlike(a: Value | undefined, b: Value): boolean {
  return (isList(a) && isList(b)) || (isObject(a) && isObject(b))
}

/** The texts of a list that another one does not have; of repeated ones as many as it has less. */
function without(texts: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>()
  for (const other of others) left.set(other, (left.get(other) ?? 0) + 1)
  return texts.filter(text => {
    const count = left.get(text) ?? 0
    left.set(text, count - 1)
    return count <= 0
  })
}

/** The value that the `test` before an operation names. */
function oldValue({ patch }: Change, { path }: PatchOperation): Value | undefined {
  return remembered(testIndex, patch, testsIn).get(path)
}

/** The tested values of a patch by their pointers; an entry lives as long as the patch. */
const testIndex = new WeakMap<readonly PatchOperation[], ReadonlyMap<Pointer, Value>>()

function testsIn(patch: readonly PatchOperation[]): ReadonlyMap<Pointer, Value> {
  const tests = new Map<Pointer, Value>()
  for (const step of patch) {
    if (step.op === 'test' && !tests.has(step.path)) tests.set(step.path, step.value)
  }
  return tests
}

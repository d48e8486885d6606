import type { Change, Operation } from '../model/plan.ts'
import { overlap } from '../model/pointer.ts'
import { isList, isObject, type Value } from '../model/value.ts'
import { isSecret, secretSource, shown, shownParts } from './shown.ts'

/** The operations of a change that do something: all but the tests. */
export function fieldsOf({ patch }: Change): Operation[] {
  return patch.filter(({ op }) => op !== 'test')
}

/** True for a field that gets less safe, or in which something does. */
export function isDowngrade({ downgrades = [] }: Change, { path }: Operation): boolean {
  return downgrades.some(pointer => overlap(pointer, path))
}

export function isSecretField(field: Operation): boolean {
  return isSecret(afterOf(field))
}

/** Secrets are told by where they come from: no value, and nothing that was made of one. */
export function secretText(field: Operation): { readonly what: string; readonly source?: string } {
  const source = secretSource(afterOf(field))
  const what = `(secret) ${field.op === 'add' ? 'set' : 'changed'}`
  return { what, ...(source === undefined ? {} : { source }) }
}

export function afterOf(field: Operation): Value {
  return 'value' in field ? field.value : null
}

/** The value that goes, on one line; a secret's is not in the patch. */
export function beforeOf(change: Change, field: Operation): string {
  const old = oldValue(change, field)
  if (old !== undefined) return shown(old)
  return field.op === 'add' ? '(unset)' : '(secret)'
}

/** What of a value goes, what comes, each part on one line, and how many parts stay. */
export interface Exchange {
  readonly gone: readonly string[]
  readonly come: readonly string[]
  readonly kept: number
}

/** What a field that is too large for one line exchanges; of what stays only the number. */
export function exchangeOf(change: Change, field: Operation): Exchange {
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
  return { gone, come, kept: after.length - come.length }
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
function oldValue({ patch }: Change, { path }: Operation): Value | undefined {
  const test = patch.find(operation => operation.op === 'test' && operation.path === path)
  return test !== undefined && 'value' in test ? test.value : undefined
}

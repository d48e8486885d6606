import type { Change, PatchOperation, SecretState } from '../model/plan.ts'
import { type Field, fieldAt, wlanField } from '../schema/field.ts'
import { sortBy } from '../values/collections.ts'
import { child, type Pointer } from '../values/pointer.ts'
import { isServiceVariable, Secret } from '../values/secret.ts'
import {
  isEmpty,
  isList,
  isObject,
  member,
  secretReferenceIn,
  type Value,
  type ValueObject,
  valueAt
} from '../values/value.ts'
import { type Comparison, secretStateOf } from './agree.ts'
import { partnersOf } from './overlay.ts'

/** The states of secrets, by the pointer of their declaration. */
export type SecretStates = Readonly<Record<Pointer, SecretState>>

/** The part of a comparison that is about secrets. */
export type ShownSecrets = Pick<Comparison, 'secretsShown' | 'send'>

/**
 * The states of all declared secrets, including lists: the elements of a list are compared with the live ones
 * that an update would merge them into. A secret that is declared empty has a state unless it is `same`.
 */
export function secretStatesOf(
  declared: ValueObject,
  live: ValueObject,
  options: ShownSecrets
): Map<Pointer, SecretState> {
  const states = new Map<Pointer, SecretState>()
  collectStates({ field: wlanField, live, declared, at: '' }, options, states)
  return states
}

interface Pair {
  readonly field: Field
  readonly live: Value | undefined
  readonly declared: Value
  readonly at: Pointer
}

function collectStates(
  { field, live, declared, at }: Pair,
  options: ShownSecrets,
  states: Map<Pointer, SecretState>
): void {
  if (field.secret && !isList(declared)) {
    const state = secretStateOf(live, declared, options)
    const isDeclared = declared instanceof Secret || isServiceVariable(declared)
    if (!isDeclared && state === 'same') return
    states.set(at, state === 'unknown' && options.send?.has(at) ? 'rotates' : state)
  } else if (isList(declared)) {
    const partners = counterparts(field, isList(live) ? live : [], declared)
    for (const [place, element] of declared.entries()) {
      // The live list has no such element, so it has none of its secrets, whether the service hides them or
      // not.
      const isNew = field.key !== undefined && partners[place] === undefined && isList(live)
      collectStates(
        { field: field.item(), live: partners[place], declared: element, at: child(at, place) },
        isNew ? { ...options, secretsShown: () => true } : options,
        states
      )
    }
  } else if (isObject(declared)) {
    for (const [name, value] of Object.entries(declared)) {
      const below = isObject(live) ? member(live, name) : undefined
      collectStates(
        { field: field.member(name), live: below, declared: value, at: child(at, name) },
        options,
        states
      )
    }
  }
}

/** The live element for each declared one: at the same index if all keys are equal, otherwise by its key. */
function counterparts(
  field: Field,
  live: readonly Value[],
  declared: readonly Value[]
): readonly (Value | undefined)[] {
  const { key } = field
  if (key === undefined) return live
  const keyOf = (value: Value | undefined) => (isObject(value) ? member(value, key) : undefined)
  const isInPlace =
    live.length === declared.length &&
    declared.every((element, place) => keyOf(element) === keyOf(live[place]))
  return isInPlace ? live : partnersOf(field, live, declared)
}

/** The state of a secret in a saved change; `same` if it lists none. */
export function shownState({ secrets = {} }: Change, pointer: Pointer): SecretState {
  return Object.hasOwn(secrets, pointer) ? (secrets[pointer] ?? 'same') : 'same'
}

/**
 * The credible states of a saved change: those of secrets that it sends by a declared reference or could not compare. A
 * secret that it changes cannot be `same`, and one that it could not compare is `unknown`. Undefined if there are none.
 */
export function plausibleStates(change: Change): SecretStates | undefined {
  const { patch, secrets = {}, not_compared: notCompared = [], request } = change
  const written = new Map(patch.flatMap(({ op, path }) => (op === 'test' ? [] : [[path, op]])))
  const entries = Object.entries(secrets).flatMap(([pointer, state]): [Pointer, SecretState][] => {
    if (notCompared.includes(pointer)) return [[pointer, 'unknown']]
    if (!isDeclaredIn(request.body, pointer)) return []
    return [[pointer, possibleState(state, written.get(pointer))]]
  })
  const missing = notCompared.filter(pointer => !Object.hasOwn(secrets, pointer))
  const all = [...entries, ...missing.map((at): [Pointer, SecretState] => [at, 'unknown'])]
  return all.length === 0 ? undefined : Object.fromEntries(sortBy(all, ([pointer]) => pointer))
}

/** The state that an operation allows; without an operation, the secret is in a list or object, or does not change. */
function possibleState(state: SecretState, op: PatchOperation['op'] | undefined): SecretState {
  if (op === undefined || state === 'rotates') return state
  if (op === 'add') return 'set'
  return state === 'set' ? 'set' : 'changed'
}

/** True for a value that a secret field can declare: a reference, a variable, or none. */
function isDeclaredIn(body: ValueObject, pointer: Pointer): boolean {
  const value = valueAt(body, pointer)
  if (value === undefined || !fieldAt(pointer).secret) return false
  const reference = secretReferenceIn(value)
  if (reference === undefined) return !isObject(value) || isEmpty(value)
  return !('$live' in reference)
}

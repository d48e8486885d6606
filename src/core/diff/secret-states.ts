import type { Change, SecretState } from '../model/plan.ts'
import { type Field, wlanField } from '../schema/field.ts'
import { child, type Pointer } from '../values/pointer.ts'
import { isServiceVariable, Secret } from '../values/secret.ts'
import { below, isList, isObject, member, type Value, type ValueObject } from '../values/value.ts'
import { type Comparison, secretStateOf } from './agree.ts'
import { partnersOf } from './overlay.ts'

/** The states of secrets, by the pointer of their declaration. */
export type SecretStates = Readonly<Record<Pointer, SecretState>>

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
  for (const { at, value, other, isNew } of secretPairs(wlanField, declared, live)) {
    // The live list has no such element, so it has none of its secrets, whether the service hides them or not.
    const shown = isNew ? { secretsShown: () => true } : options
    const state = secretStateOf(other, value, shown)
    const isDeclared = value instanceof Secret || isServiceVariable(value)
    if (!isDeclared && state === 'same') continue
    states.set(at, state === 'unknown' && options.send?.has(at) ? 'rotates' : state)
  }
  return states
}

interface SecretPair {
  readonly at: Pointer
  readonly value: Value
  readonly other: Value | undefined
  /** True in an element that the list of the other record lacks. */
  readonly isNew: boolean
}

/** Pairs declared secret fields with those of another record; list elements by the list's key. */
export function* secretPairs(
  field: Field,
  value: Value,
  other: Value | undefined,
  at: Pointer = '',
  isNew = false
): Generator<SecretPair> {
  if (field.secret && !isList(value)) yield { at, value, other, isNew }
  else if (isList(value)) {
    const partners = counterparts(field, isList(other) ? other : [], value)
    for (const [place, element] of value.entries()) {
      const partner = partners[place]
      const isAdded = field.key !== undefined && partner === undefined && isList(other)
      yield* secretPairs(field.item(), element, partner, child(at, place), isNew || isAdded)
    }
  } else if (isObject(value)) {
    for (const [name, inner] of Object.entries(value)) {
      yield* secretPairs(field.member(name), inner, below(other, name), child(at, name), isNew)
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

export function shownState({ secrets = {} }: Change, pointer: Pointer): SecretState {
  return Object.hasOwn(secrets, pointer) ? (secrets[pointer] ?? 'same') : 'same'
}

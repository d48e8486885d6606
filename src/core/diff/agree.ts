import type { SecretState } from '../model/plan.ts'
import { type Field, fieldIn } from '../schema/field.ts'
import { byCodeUnit } from '../values/collections.ts'
import { child, type Pointer } from '../values/pointer.ts'
import { isServiceVariable, Secret } from '../values/secret.ts'
import {
  canonical,
  fromEntries,
  holdsSecret,
  isEmpty,
  isList,
  isObject,
  isSameJson,
  isUnset,
  mapValue,
  member,
  secretReferenceIn,
  secretsIn,
  type Value,
  type ValueObject,
  valueText
} from '../values/value.ts'

/*
 * What equal means, by the question:
 *
 * | question                                               | function                                   |
 * |--------------------------------------------------------|--------------------------------------------|
 * | does the live value satisfy the declared one?          | `agrees`                                   |
 * | has a complete value changed?                          | `agreesBothWays`; as a value, `normalForm` |
 * | may one declaration replace another in the files?      | `agreesExactly`; as a key, `comparisonKey` |
 * | are they certainly equal, at little cost?              | `isIdentical`                              |
 * | is it the same JSON?                                   | `isSameJson` in `core/values/value.ts`     |
 * | does only a secret differ?                             | `isSameButSecrets` there                   |
 * | is it the same secret, or may it be?                   | `Secret.equals`, `Secret.mayEqual`         |
 * | is it the same id of the service?                      | `sameId` in `core/values/uuid.ts`          |
 * | would a lint rule see a difference, in any notation?   | `isEquivalent` in `core/lint/formats.ts`   |
 */

export interface Comparison {
  /** The secrets that could not be compared because one of the values is unknown. */
  readonly notCompared: Pointer[]
  /**
   * True if the response with the live value shows a secret in plaintext: in that case a live secret that is
   * empty or absent is not set, otherwise it is unknown. Default: false.
   */
  readonly secretsShown?: () => boolean
  /** Unknown secrets that count as a difference, so that they are sent. */
  readonly send?: ReadonlySet<Pointer>
}

/**
 * True if the live value agrees with the declared one by the comparison of the field.
 *
 * | `compare`      | declared and live agree if                                            |
 * |----------------|-----------------------------------------------------------------------|
 * | (none)         | they are the same JSON value; numbers by value                        |
 * | `set`          | they have the same members, in any order and number, or as one text   |
 * | `loose`        | they are equal as strings: `143` and `"143"`                          |
 * | `ignore-case`  | they are equal without regard to case                                 |
 * | `comma-list`   | they contain the same entries: `"10, 20"`, `"20,10"` and `[10, 20]`   |
 * | `whole`        | the objects are equal, including undeclared members, at any depth     |
 *
 * An object compared as `whole` may also be declared as a list of its names (`portal.sponsors`). Other
 * objects agree if every declared member does; a list of objects agrees if it has the same length and each
 * element agrees with the one at its index. Empty values agree with each other and with absence. A declared
 * documented default agrees with an absent or null live value. A secret that cannot be compared agrees and is
 * recorded: it is never a change by itself.
 */
export function agrees(
  field: Field,
  live: Value | undefined,
  declared: Value,
  at: Pointer = '',
  comparison: Comparison = { notCompared: [] }
): boolean {
  if (field.secret && !isList(declared)) {
    return secretAgrees(live, declared, at, comparison)
  }
  if (isIdentical(live, declared)) return true
  if (isAbsent(field, declared) && isAbsent(field, live)) return true
  if ((live === undefined || live === null) && isDefault(field, declared, at)) return true
  switch (field.compare ?? 'value') {
    case 'set':
      return sameSorted(memberKeys(field, live), memberKeys(field, declared))
    case 'loose':
      return loose(live) === loose(declared)
    case 'ignore-case':
      return caseless(live) === caseless(declared)
    case 'comma-list':
      return sameSorted(commaList(live), commaList(declared))
    case 'whole':
      return wholeAgrees(field, live, declared, at, comparison)
    case 'value':
      return structureAgrees(field, live, declared, at, comparison)
  }
}

/**
 * True if two complete values agree, or mean the same, such as a default and an absent value:
 * `agrees` alone ignores live members that are not declared.
 */
export function agreesBothWays(
  field: Field,
  a: Value | undefined,
  b: Value | undefined,
  at: Pointer
): boolean {
  if (agrees(field, a, b ?? null, at) && agrees(field, b, a ?? null, at)) return true
  if ([a, b].some(value => value !== undefined && holdsSecret(value))) return false
  return isSameJson(normalForm(field, a, at), normalForm(field, b, at))
}

/**
 * The form that complete values have in common if they agree both ways, as JSON: digests and approvals compare it, so that a
 * value that is only written differently is no other one. Values that equal an absent one are null, or no members.
 * References of declared secrets stay as they are; a live secret that travels along is null, whether a token sees it or not.
 */
export function normalForm(field: Field, value: Value | undefined, at: Pointer = ''): Value {
  if (value === undefined || isAbsent(field, value)) return null
  const reference = secretReferenceIn(value)
  if (reference !== undefined && '$live' in reference) return null
  if (value instanceof Secret || field.secret) return canonical(value)
  if (isDefault(field, value, at)) return null
  switch (field.compare ?? 'value') {
    case 'loose':
      return loose(value) ?? null
    case 'ignore-case':
      return caseless(value) ?? null
    case 'set':
      return memberKeys(field, value) ?? value
    case 'comma-list':
      return commaList(value)?.sort(byCodeUnit) ?? value
    case 'whole':
      if (isList(value) || (isObject(value) && Object.values(value).every(isEmpty)))
        return namesOf(value)?.sort(byCodeUnit) ?? null
      break
    case 'value':
      if (isList(value)) {
        const items = value.map((item, n) => normalForm(field.item(), item, child(at, n)))
        return field.item().secret && items.every(item => item === null) ? null : items
      }
  }
  if (!isObject(value)) return value
  const members = Object.keys(value)
    .sort(byCodeUnit)
    .map(name => {
      const own = fieldIn(field.member(name), value)
      return [name, normalForm(own, value[name], child(at, name))] as const
    })
    .filter(([, inner]) => field.compare === 'whole' || inner !== null)
  return members.length === 0 ? null : fromEntries(members)
}

/**
 * True for declarations with the same members whose values agree by the comparisons of their fields. An empty
 * value agrees with no absent one, a default neither; a secret agrees with one of the same known value.
 */
export function agreesExactly(field: Field, a: Value, b: Value): boolean {
  if (a === b) return true
  if (a instanceof Secret || b instanceof Secret) {
    return a instanceof Secret && b instanceof Secret && a.equals(b)
  }
  if (field.compare !== undefined && !holdsSecret(a) && !holdsSecret(b)) {
    return comparisonKey(canonical(a), field) === comparisonKey(canonical(b), field)
  }
  if (isList(a)) {
    const item = field.item()
    return (
      isList(b) &&
      a.length === b.length &&
      a.every((element, place) => agreesExactly(item, element, b[place] ?? null))
    )
  }
  if (!isObject(a)) return false
  const names = Object.keys(a)
  return (
    isObject(b) &&
    Object.keys(b).length === names.length &&
    names.every(
      name =>
        Object.hasOwn(b, name) &&
        agreesExactly(field.member(name), a[name] ?? null, b[name] ?? null)
    )
  )
}

/** Values that agree have equal keys: `40` and `"40"`. An unknown secret, and a value with one, equals only itself. */
export function comparisonKey(value: Value, field?: Field): unknown {
  if (value instanceof Secret) return value.known ? `secret ${value.reveal()}` : value
  switch (holdsSecret(value) ? undefined : field?.compare) {
    case 'loose':
      return JSON.stringify(loose(value))
    case 'ignore-case':
      return JSON.stringify(caseless(value))
    case 'set':
      return JSON.stringify(isList(value) ? sortedKeys(value, field?.item()) : value)
    case 'comma-list':
      return JSON.stringify(commaList(value)?.sort(byCodeUnit) ?? value)
    default:
      return [...secretsIn(value)].every(({ known }) => known)
        ? JSON.stringify(
            mapValue(value, inner => (inner instanceof Secret ? inner.reveal() : undefined))
          )
        : value
  }
}

function sortedKeys(list: readonly Value[], item: Field | undefined): string[] {
  return [...new Set(list.map(member => String(comparisonKey(member, item))))].sort(byCodeUnit)
}

/** The service treats an object of nulls as absent, except a map that is compared as a whole. */
export function isAbsent({ emptyIsValue, compare }: Field, value: Value | undefined): boolean {
  if (isEmpty(value)) return !(emptyIsValue && value === '')
  return isObject(value) && compare !== 'whole' && Object.values(value).every(each => each === null)
}

/**
 * True for the value that the service certainly uses if the field is absent: the documented default; without one, a
 * block is off. Any other declared value is a change.
 */
function isDefault(field: Field, value: Value, at: Pointer): boolean {
  const usual = field.default
  if (usual === undefined) return value === false && at.endsWith('/enabled')
  return !isEmpty(usual) && agrees(field, usual, value)
}

/** True for values that agree under every comparison: equal values, or lists of equal values. False for two secrets. */
export function isIdentical(live: Value | undefined, declared: Value): boolean {
  if (live === declared) return true
  if (!isList(live) || !isList(declared) || live.length !== declared.length) return false
  return declared.every((element, place) => element === live[place])
}

function structureAgrees(
  field: Field,
  live: Value | undefined,
  declared: Value,
  at: Pointer,
  comparison: Comparison
): boolean {
  if (isList(declared)) return listAgrees(field, live, declared, at, comparison)
  if (!isObject(declared)) return live === declared
  const names = Object.keys(declared)
  const disagreeing = names.filter(
    name => !memberAgrees(field, live, declared, name, at, comparison)
  )
  return disagreeing.length === 0 && (isObject(live) || isEmpty(live))
}

/** Compares every element, so that each secret that cannot be compared is recorded. */
function listAgrees(
  field: Field,
  live: Value | undefined,
  declared: readonly Value[],
  at: Pointer,
  comparison: Comparison
): boolean {
  const elements = isList(live) ? live : []
  const isHidden = field.item().secret && isEmpty(live) && !comparison.secretsShown?.()
  const disagreeing = declared.filter(
    (element, place) =>
      !agrees(field.item(), elements[place], element, child(at, place), comparison)
  )
  if (disagreeing.length > 0) return false
  return isHidden || (isList(live) && elements.length === declared.length)
}

/** A member that only one side has is a difference. */
function wholeAgrees(
  field: Field,
  live: Value | undefined,
  declared: Value,
  at: Pointer,
  comparison: Comparison
): boolean {
  if (isList(declared)) return sameSorted(namesOf(live), namesOf(declared))
  if (!isObject(declared) || !isObject(live)) return live === declared
  const names = Object.keys(declared)
  return (
    sameSorted(Object.keys(live), names) &&
    names.every(name => memberAgrees(field, live, declared, name, at, comparison)) &&
    names.every(name => memberAgrees(field, declared, live, name, at, { notCompared: [] }))
  )
}

function namesOf(value: Value | undefined): string[] | undefined {
  if (isList(value)) return value.map(valueText)
  return isObject(value) ? Object.keys(value) : undefined
}

function memberAgrees(
  field: Field,
  live: Value | undefined,
  declared: ValueObject,
  name: string,
  at: Pointer,
  comparison: Comparison
): boolean {
  const liveMember = isObject(live) ? member(live, name) : undefined
  const declaredMember = member(declared, name) ?? null
  const own = fieldIn(field.member(name), live)
  return agrees(own, liveMember, declaredMember, child(at, name), comparison)
}

function secretAgrees(
  live: Value | undefined,
  declared: Value,
  at: Pointer,
  comparison: Comparison
): boolean {
  const state = secretStateOf(live, declared, comparison)
  if (state === 'unknown' && comparison.send?.has(at)) return false
  if (state === 'unknown') comparison.notCompared.push(at)
  return state === 'same' || state === 'unknown'
}

/**
 * The state of a secret that is declared, or declared empty.
 *
 * | live                              | declared     | state                                         |
 * |-----------------------------------|--------------|-----------------------------------------------|
 * | any                               | not resolved | `unknown`                                     |
 * | hidden                            | any          | `unknown`                                     |
 * | shown                             | a secret     | `same` or `changed`                           |
 * | empty or absent, others are shown | a secret     | `set`                                         |
 * | empty or absent, none is shown    | a secret     | `unknown`: the service may hide it that way   |
 * | empty or absent                   | empty        | `same`                                        |
 * | shown                             | empty        | `changed`                                     |
 */
export function secretStateOf(
  live: Value | undefined,
  declared: Value,
  { secretsShown = () => false }: Pick<Comparison, 'secretsShown'>
): SecretState {
  const [found, wanted] = [asSecret(live), asSecret(declared)]
  if (!(wanted instanceof Secret)) return stateOfNone(found)
  if (!wanted.known) return 'unknown'
  if (isUnset(found)) return wanted.empty ? 'same' : secretsShown() ? 'set' : 'unknown'
  if (!(found instanceof Secret && found.known)) return 'unknown'
  return wanted.equals(found) ? 'same' : 'changed'
}

function stateOfNone(live: Value | undefined): SecretState {
  if (isUnset(live)) return 'same'
  return live instanceof Secret && !live.certain ? 'unknown' : 'changed'
}

/** A variable of the service in a secret field is compared like a secret. */
function asSecret(value: Value | undefined): Value | undefined {
  return isServiceVariable(value) ? new Secret({ $plaintext: true }, value) : value
}

/** Of a list, or of a text with commas; undefined for another value. Empty members are none. */
function memberKeys(field: Field, value: Value | undefined): string[] | undefined {
  const list = isList(value) ? value.map(each => loose(canonical(each)) ?? null) : commaList(value)
  return list && sortedKeys(dropEmpty(list), field.item())
}

function dropEmpty<Item extends Value>(list: readonly Item[]): readonly Item[] {
  return list.filter(each => each !== null && each !== '')
}

function sameSorted(a: readonly string[] | undefined, b: readonly string[] | undefined): boolean {
  if (a === undefined || b === undefined || a.length !== b.length) return false
  const sorted = [...b].sort(byCodeUnit)
  return [...a].sort(byCodeUnit).every((text, place) => text === sorted[place])
}

function loose(value: Value | undefined): Value | undefined {
  return typeof value === 'number' ? String(value) : value
}

function caseless(value: Value | undefined): Value | undefined {
  return typeof value === 'string' ? value.toLowerCase() : value
}

function commaList(value: Value | undefined): string[] | undefined {
  if (!isList(value) && typeof value !== 'string' && typeof value !== 'number') return undefined
  const parts = isList(value) ? dropEmpty(value) : String(value).split(',')
  return [...dropEmpty(parts.map(part => valueText(part).trim()))]
}

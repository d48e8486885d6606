import { byCodeUnit } from '../model/collections.ts'
import { child, type Pointer } from '../model/pointer.ts'
import { isServiceVariable, Secret } from '../model/secret.ts'
import {
  canonical,
  isEmpty,
  isList,
  isObject,
  member,
  type Value,
  type ValueObject
} from '../model/value.ts'
import type { Field } from '../schema/field.ts'

/** The state of a comparison. */
export interface Comparison {
  /** The secrets that could not be compared because one side is unknown. */
  readonly notCompared: Pointer[]
}

/**
 * True if the live value agrees with the declared one by the rule of the field.
 *
 * | `compare`      | declared and live agree when                                          |
 * |----------------|-----------------------------------------------------------------------|
 * | (none)         | they are the same JSON value; numbers by value                        |
 * | `set`          | they have the same members, in any order and however often            |
 * | `loose`        | they are the same as strings: `143` and `"143"`                       |
 * | `ignore-case`  | they are the same without regard to case                              |
 * | `comma-list`   | they list the same: `"10, 20"`, `"20,10"` and `[10, 20]`              |
 * | `whole`        | the objects are the same, undeclared members included, at any depth   |
 *
 * An object compared as `whole` may also be declared as a list of its names (`portal.sponsors`). Other
 * objects agree when every declared member does; a list of objects when it has the same length and each
 * element agrees with the one at its index. Empty values agree with each other and with absence. A declared
 * documented default agrees with an absent or null live value. A secret that cannot be compared agrees and is
 * recorded: it is never a change by itself.
 */
export function agrees(
  field: Field,
  live: Value | undefined,
  declared: Value,
  at: Pointer,
  comparison: Comparison
): boolean {
  if (field.secret && !isList(declared)) {
    return secretAgrees(asSecret(live), asSecret(declared) ?? null, at, comparison)
  }
  if (isSame(live, declared) || (isEmpty(declared) && isEmpty(live))) return true
  if ((live === undefined || live === null) && isDefault(field, declared, at)) return true
  switch (field.compare ?? 'value') {
    case 'set':
      return sameMembers(field, live, declared)
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

/** True for the value that the service uses where the field is absent; a block without a switch is off. */
function isDefault(field: Field, value: Value, at: Pointer): boolean {
  const usual = field.default as Value | undefined
  if (usual === undefined) return value === false && at.endsWith('/enabled')
  return !isEmpty(usual) && agrees(field, usual, value, at, { notCompared: [] })
}

/**
 * True for values that agree by every rule: the same value, or lists of the same values. False for two
 * secrets.
 */
export function isSame(live: Value | undefined, declared: Value): boolean {
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

/** Visits every element, so that each secret that cannot be compared is recorded. */
function listAgrees(
  field: Field,
  live: Value | undefined,
  declared: readonly Value[],
  at: Pointer,
  comparison: Comparison
): boolean {
  const elements = isList(live) ? live : []
  const disagreeing = declared.filter(
    (element, place) =>
      !agrees(field.item(), elements[place], element, child(at, place), comparison)
  )
  return disagreeing.length === 0 && isList(live) && elements.length === declared.length
}

/** Compares the members of both sides: a member of one side only is a difference. */
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
  if (isList(value)) return value.map(String)
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
  return agrees(field.member(name), liveMember, declaredMember, child(at, name), comparison)
}

/** A live secret is unknown when the service hides it, or shows none where one is declared. */
function secretAgrees(
  live: Value | undefined,
  declared: Value,
  at: Pointer,
  { notCompared }: Comparison
): boolean {
  const shown = live instanceof Secret ? live : undefined
  const declaredIsSecret = declared instanceof Secret
  if (!declaredIsSecret && shown === undefined) return isEmpty(live)
  if (!declaredIsSecret && shown?.certain) return shown.empty
  if (declaredIsSecret && declared.known && shown?.known && !shown.empty) {
    return declared.equals(shown)
  }
  notCompared.push(at)
  return true
}

/** A variable of the service compares like the secret that it stands for. */
function asSecret(value: Value | undefined): Value | undefined {
  return isServiceVariable(value) ? new Secret({ $plaintext: true }, value) : value
}

function sameMembers(field: Field, live: Value | undefined, declared: Value): boolean {
  if (!isList(live) || !isList(declared)) return false
  const members = (list: readonly Value[]) => [...new Set(list.map(memberKey(field.item())))]
  return sameSorted(members(live), members(declared))
}

/** The key by which members of a set are equal. */
function memberKey(item: Field): (member: Value) => string {
  if (item.compare === 'loose') return member => String(loose(member))
  if (item.compare === 'ignore-case') return member => String(caseless(member))
  return member => JSON.stringify(canonical(member))
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
  return (isList(value) ? value : String(value).split(',')).map(part => String(part).trim())
}

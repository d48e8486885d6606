import { isAbsent } from '../diff/agree.ts'
import { type Field, fieldIn, isToldByOlder, wlanField } from '../schema/field.ts'
import { isSwitchedOn, UsedFields, valueAtPath } from '../schema/in-use.ts'
import { child, type Pointer } from '../values/pointer.ts'
import { Secret } from '../values/secret.ts'
import {
  fromEntries,
  isEmpty,
  isList,
  isObject,
  member,
  type Value,
  type ValueObject
} from '../values/value.ts'

export interface ValueVisitor {
  /** A value without secrets; null for an empty one, the documented default for an absent one. */
  value(pointer: Pointer, field: Field, value: Value): void
  /** The text of a known secret; empty if the secret is not set. */
  secret(pointer: Pointer, text: string): void
}

interface Part {
  readonly name: string
  readonly pointer: Pointer
  readonly field: Field
  readonly members: readonly Part[]
}

/**
 * Visits the writable fields of the schema that a WLAN uses, and its template. Lists and maps are one value; the
 * secrets of a list of objects are visited by the key of their element, e.g. `/auth_servers/10.0.0.1/secret`.
 * Of a block that is off it visits only the switch. Omits unknown secrets; an absent one is unknown unless
 * `showsSecrets` (the response shows another one).
 */
export function visitValues(
  record: ValueObject,
  showsSecrets: boolean,
  visitor: ValueVisitor
): void {
  const used = new UsedFields(({ path }) => valueAtPath(record, path))
  const visitAll = (parts: readonly Part[], object: Value | undefined): void => {
    for (const part of parts) {
      if (!used.has(part.field)) continue
      const value = isObject(object) ? member(object, part.name) : undefined
      if (part.members.length === 0) {
        const field = fieldIn(part.field, object)
        if (!isToldByOlder(field, value)) visitPart(part, value, showsSecrets, visitor)
      } else if (isSwitchedOn(part.field, isObject(value) ? value : {}))
        visitAll(part.members, value)
      else visitor.value(child(part.pointer, 'enabled'), part.field.member('enabled'), false)
    }
  }
  comparedParts ??= partsOf(wlanField, '')
  visitAll(comparedParts, record)
}

let comparedParts: readonly Part[] | undefined

function partsOf(field: Field, at: Pointer): Part[] {
  return field.memberNames().flatMap(name => {
    const pointer = child(at, name)
    const part = field.member(name)
    const isFact = part.readOnly && pointer !== '/template_id'
    if (isFact || part.volatile || pointer === '/ssid') return []
    const members = part.compare === 'whole' ? [] : partsOf(part, pointer)
    return [{ name, pointer, field: part, members }]
  })
}

function visitPart(
  { pointer, field }: Part,
  value: Value | undefined,
  showsSecrets: boolean,
  visitor: ValueVisitor
): void {
  if (field.holdsSecret) {
    const text = secretText(value, showsSecrets)
    if (text !== undefined) visitor.secret(pointer, text)
    return
  }
  const known = value ?? field.whenAbsent ?? null
  visitor.value(pointer, field, isAbsent(field, known) ? null : withoutSecrets(known))
  if (field.key !== undefined && isList(known)) {
    visitElementSecrets(pointer, field, known, showsSecrets, visitor)
  }
}

function visitElementSecrets(
  pointer: Pointer,
  field: Field,
  elements: readonly Value[],
  showsSecrets: boolean,
  visitor: ValueVisitor
): void {
  const item = field.item()
  const secrets = item.memberNames().filter(name => item.member(name).holdsSecret)
  const seen = new Set<string>()
  for (const element of elements) {
    const id = isObject(element) ? member(element, field.key ?? '') : undefined
    if (!isObject(element) || typeof id !== 'string' || seen.has(id)) continue
    seen.add(id)
    for (const name of secrets) {
      const text = secretText(member(element, name), showsSecrets)
      if (text !== undefined) visitor.secret(child(child(pointer, id), name), text)
    }
  }
}

function secretText(value: Value | undefined, showsSecrets: boolean): string | undefined {
  if (value instanceof Secret && !value.empty) return value.known ? value.reveal() : undefined
  if (value instanceof Secret || isEmpty(value)) return showsSecrets ? '' : undefined
  if (!isList(value)) return typeof value === 'string' ? value : undefined
  const texts = value.map(each => secretText(each, showsSecrets))
  return texts.includes(undefined) ? undefined : JSON.stringify(texts)
}

function withoutSecrets(value: Value): Value {
  if (value instanceof Secret) return null
  if (isList(value)) return value.map(withoutSecrets)
  if (!isObject(value)) return value
  const members = Object.entries(value).filter(([, each]) => !(each instanceof Secret))
  return fromEntries(members.map(([name, each]) => [name, withoutSecrets(each)] as const))
}

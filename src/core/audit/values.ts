import { isAbsent } from '../diff/agree.ts'
import { type Field, fieldIn, isToldByOlder, wlanField } from '../schema/field.ts'
import { isSwitchedOn, UsedFields, valueAtPath } from '../schema/in-use.ts'
import { append } from '../values/collections.ts'
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

export interface ComparedValue {
  readonly pointer: Pointer
  readonly field: Field
  /** Without secrets; null for an empty value, the documented default for an absent one. */
  readonly value: Value
}

export interface ComparedSecret {
  readonly pointer: Pointer
  /** Empty if the secret is not set. */
  readonly text: string
}

interface Part {
  readonly name: string
  readonly pointer: Pointer
  readonly field: Field
  readonly members: readonly Part[]
}

/** The writable fields of the schema, and the template, that WLANs are compared by. */
export function comparedParts(): readonly Part[] {
  parts ??= partsOf(wlanField, '')
  return parts
}

let parts: readonly Part[] | undefined

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

/**
 * The values of these parts that a WLAN uses. Lists and maps are one value. Of a block that is off it has only the
 * switch, of a disabled WLAN only that it is.
 */
export function valuesIn(record: ValueObject, parts: readonly Part[]): ComparedValue[] {
  const values: ComparedValue[] = []
  visitUsed(record, parts, ({ pointer, field }, value) => {
    if (field.holdsSecret) return
    const known = value ?? field.whenAbsent ?? null
    values.push({ pointer, field, value: isAbsent(field, known) ? null : withoutSecrets(known) })
  })
  return values
}

/**
 * The known secrets that a WLAN uses; an absent one is known if the response shows another one. Those of a list of
 * objects have the key of their element, e.g. `/auth_servers/10.0.0.1/secret`.
 */
export function secretsIn(record: ValueObject, showsSecrets: boolean): ComparedSecret[] {
  const secrets: ComparedSecret[] = []
  secretParts ??= partsWithSecrets(comparedParts())
  visitUsed(record, secretParts, (part, value) => {
    const { pointer, field } = part
    const text = field.holdsSecret ? secretText(value, showsSecrets) : undefined
    if (text !== undefined) secrets.push({ pointer, text })
    if (!field.holdsSecret && isList(value))
      append(secrets, elementSecrets(part, value, showsSecrets))
  })
  return secrets
}

let secretParts: readonly Part[] | undefined

function partsWithSecrets(parts: readonly Part[]): Part[] {
  return parts.flatMap(part => {
    const members = partsWithSecrets(part.members)
    const holdsSecret = part.field.holdsSecret || secretNames(part.field).length > 0
    return members.length > 0 || holdsSecret ? { ...part, members } : []
  })
}

/** The secret members of the elements of a list whose elements have a key. */
function secretNames(list: Field): string[] {
  if (list.key === undefined) return []
  const item = list.item()
  return item.memberNames().filter(name => item.member(name).holdsSecret)
}

function elementSecrets(
  { pointer, field }: Part,
  elements: readonly Value[],
  showsSecrets: boolean
): ComparedSecret[] {
  const names = secretNames(field)
  const seen = new Set<string>()
  return elements.flatMap(element => {
    const id = isObject(element) ? member(element, field.key ?? '') : undefined
    if (!isObject(element) || typeof id !== 'string' || seen.has(id)) return []
    seen.add(id)
    return names.flatMap(name => {
      const text = secretText(member(element, name), showsSecrets)
      return text === undefined ? [] : { pointer: child(child(pointer, id), name), text }
    })
  })
}

function visitUsed(
  record: ValueObject,
  parts: readonly Part[],
  visit: (part: Part, value: Value | undefined) => void
): void {
  const isDisabled = member(record, 'enabled') === false
  const used = new UsedFields(({ path }) => valueAtPath(record, path))
  const visitAll = (parts: readonly Part[], object: Value | undefined): void => {
    for (const part of parts) {
      if (!used.has(part.field) || (isDisabled && part.pointer !== '/enabled')) continue
      const value = isObject(object) ? member(object, part.name) : undefined
      if (part.members.length === 0) {
        if (!isToldByOlder(fieldIn(part.field, object), value)) visit(part, value)
      } else if (isSwitchedOn(part.field, isObject(value) ? value : {}))
        visitAll(part.members, value)
      else for (const each of part.members) if (each.name === 'enabled') visit(each, false)
    }
  }
  visitAll(parts, record)
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

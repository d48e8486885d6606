import { securityOf, vlanOf } from '../lint/labels.ts'
import { WlanView } from '../lint/view.ts'
import { fieldNames } from '../schema/documentation.ts'
import { type Field, fieldIn, wlanField } from '../schema/field.ts'
import { valueAtPath } from '../schema/in-use.ts'
import { fieldsCalled, nearest } from '../schema/nearest.ts'
import { steps } from '../values/pointer.ts'
import { below, isEmpty, isList, type Value, type ValueObject } from '../values/value.ts'

/** A declared or live WLAN that conditions and columns read. */
export interface Subject {
  readonly site: string
  /** The key of a declared WLAN; absent for one that is live only. */
  readonly wlan?: string | undefined
  readonly groups?: readonly string[] | undefined
  /** The declared fields, or the live record. */
  readonly fields: ValueObject
  /** True if a field that is absent may have any live value. Default: false. */
  readonly isDeclared?: true
  /** True if an absent secret may be one that the service hides. Default: false. */
  readonly hidesSecrets?: boolean
}

/** Why a condition or a name of a field is invalid, on one line, and how to fix it. */
export interface Problem {
  readonly problem: string
  readonly hint?: string
}

/** A field that a user named: `auth.type`, `auth_servers.host`, `/app_limit/apps/a.b`; or a fact such as `site`. */
export interface NamedField {
  readonly name: string
  readonly path: readonly string[]
  /** The schema of the field; that of an unknown field for a fact. */
  readonly schema: Field
  /** Reads a fact, which is not a field of the service. */
  readonly fact?: ReadFact
}

type ReadFact = (subject: Subject, view: WlanView) => Value | undefined

/** The facts of a WLAN that are not fields of the service. */
const facts: Readonly<Record<string, ReadFact>> = {
  site: ({ site }) => site,
  wlan: ({ wlan }) => wlan,
  groups: ({ groups }) => groups,
  security: (_, view) => securityOf(view),
  vlan: (_, view) => vlansOf(view)
}

function vlansOf(view: WlanView): Value | undefined {
  const [first, ...others] = vlanOf(view).split(', ')
  if (first === undefined || first === 'unknown') return undefined
  return others.length === 0 ? first : [first, ...others]
}

/** All names that `fieldNamed` knows without a record: the facts, then the documented fields. */
export function queryNames(): readonly string[] {
  return [...Object.keys(facts), ...fieldNames()]
}

/** The field with a name or a pointer; every index of a list may be omitted. It may be unknown; see `unknownField`. */
export function fieldNamed(name: string): NamedField {
  const path = name.startsWith('/') ? steps(name) : name.replace(/\[(\d*)\]/g, '.$1').split(/\.+/)
  const fact = path.length === 1 && Object.hasOwn(facts, name) ? facts[name] : undefined
  if (fact !== undefined) return { name, path, schema: wlanField.member(''), fact }
  return { name, path, schema: path.reduce(stepInto, wlanField) }
}

/** The schema of a member; of a list, that of its elements or their member. */
function stepInto(field: Field, step: string): Field {
  const item = field.item()
  if (!item.known) return field.member(step)
  return /^\d+$/.test(step) ? item : item.member(step)
}

/** One value for each element of the lists on the way; an absent field has its default, or null. */
export function valuesOf(subject: Subject, field: NamedField): readonly Value[] {
  return knownValues(subject, field).map(value =>
    isEmpty(value) ? defaultOf(subject, field) : (value ?? null)
  )
}

export function knownValues(
  subject: Subject,
  { path, fact }: NamedField
): readonly (Value | undefined)[] {
  const { fields, isDeclared } = subject
  if (fact === undefined) return valuesBelow(fields, path)
  return [
    fact(subject, isDeclared ? new WlanView({ declared: fields, showsSecrets }) : full(fields))
  ]
}

export function defaultOf(subject: Subject, { path, schema, fact }: NamedField): Value {
  if (fact !== undefined) return fact(subject, full(subject.fields)) ?? null
  return fieldIn(schema, valueAtPath(subject.fields, path.slice(0, -1))).whenAbsent ?? null
}

/** An absent field counts as its documented default. */
function full(live: ValueObject): WlanView {
  return new WlanView({ live, showsSecrets })
}

const showsSecrets = () => true

function valuesBelow(
  value: Value | undefined,
  [step, ...rest]: readonly string[]
): readonly (Value | undefined)[] {
  if (step === undefined) return [value]
  if (isList(value) && !/^\d+$/.test(step)) {
    return value.flatMap(element => valuesBelow(element, [step, ...rest]))
  }
  return valuesBelow(below(value, step), rest)
}

/** The problem of the first field that neither the schema nor one of the WLANs knows; undefined if there is none. */
export function unknownField(
  fields: readonly NamedField[],
  subjects: readonly Subject[]
): Problem | undefined {
  const unknown = fields.find(
    ({ path, schema, fact }) =>
      fact === undefined &&
      !schema.known &&
      !subjects.some(subject => valuesBelow(subject.fields, path).some(each => each !== undefined))
  )
  if (unknown === undefined) return undefined
  const called = fieldsCalled(unknown.path).map(place => place.replaceAll('[]', ''))
  const meant = called.join(' or ') || nearest(unknown.path.join('.'), queryNames())
  return {
    problem: `unknown field ${JSON.stringify(unknown.name)}`,
    hint: meant === undefined ? '`wlanctl schema wlan` lists the fields' : `did you mean ${meant}?`
  }
}

/** True for an object with fixed members, which no condition compares. */
export function isBlock({ schema }: NamedField): boolean {
  return schema.memberNames().length > 0
}

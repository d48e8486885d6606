import type { RuleSite, RuleSubject } from '../../../core/model/fleet-rules.ts'
import { type Field, fieldIn, wlanField } from '../../../core/schema/field.ts'
import { getOrInsert, objectOf } from '../../../core/values/collections.ts'
import { Secret } from '../../../core/values/secret.ts'
import {
  fromEntries,
  isEmpty,
  isList,
  isObject,
  member,
  type Value,
  type ValueObject
} from '../../../core/values/value.ts'
import type { FleetSite } from '../../sites.ts'
import type { RunTime } from '../../usage.ts'
import type { Node } from '../../yaml/tree.ts'
import { type Effective, type RuleObject, type RuleValue, Unknown } from './evaluation.ts'
import type { Schema } from './schema.ts'

const present = new Unknown(true)
const perhapsAbsent = new Unknown(false)

export function effective(fields: ValueObject, site?: RuleSite): Effective {
  const context = { $site: site === undefined ? perhapsAbsent : siteValue(site) }
  return {
    value: readable(fields, wlanField),
    context: { ...context, $live: perhapsAbsent },
    subject: { fields, site, isDeclared: true }
  }
}

/** A WLAN before or after a change; absent members of the named fields get their documented defaults. */
export function completed(
  { key, fields, live, site, showsSecrets }: RuleSubject & { readonly key?: string },
  named: Iterable<string>,
  readsLive: boolean
): Effective {
  return {
    value: readable(withDefaults(fields, named), wlanField, showsSecrets),
    context: {
      $site: siteValue(site),
      $live: readsLive ? readable(live, wlanField, showsSecrets) : perhapsAbsent
    },
    subject: { wlan: key, fields, site, showsSecrets }
  }
}

/** True if a schema certainly accepts every WLAN: it accepts one of which nothing is known. */
export function acceptsAll(schema: Schema, time: RunTime): boolean {
  if (schema.readsAll) return false
  const value = Object.fromEntries([...schema.named].map(name => [name, perhapsAbsent]))
  const context = { $site: perhapsAbsent, $live: perhapsAbsent }
  return schema.matches({ value, context, subject: { fields: {} } }, time)
}

/** A site as rules read it, without variables that refer to a secret. */
export function ruleSiteOf({
  id,
  name,
  groups,
  vars
}: RuleSource): RuleSite & { vars: ValueObject } {
  return { id, name, groups, vars: objectOf(vars.keys(), key => plain(vars.get(key))) }
}

type RuleSource = Pick<FleetSite, 'id' | 'name' | 'groups' | 'vars'>

/** Undefined if the node contains an instruction to wlanctl. */
function plain(node: Node | undefined): Value | undefined {
  if (node === undefined || node.kind === 'scalar') return node?.value
  const parts: (readonly [string, Value | undefined])[] =
    node.kind === 'list'
      ? node.items.map((item, index) => [String(index), plain(item)])
      : [...node.entries].map(([name, { value }]) => [
          name,
          name.startsWith('$') ? undefined : plain(value)
        ])
  const known = parts.flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const]
  )
  if (known.length < parts.length) return undefined
  return node.kind === 'list' ? known.map(([, value]) => value) : fromEntries(known)
}

function siteValue({ id, name, groups = [], vars = {} }: RuleSite): RuleObject {
  // `ruleSiteOf` made the variables, which contain no secrets.
  return { id, name, groups, vars: vars as RuleObject }
}

/** Without secrets and service variables. `showsSecrets`: whether an absent secret of a live record is not set. */
function readable(object: ValueObject, field: Field, showsSecrets?: () => boolean): RuleObject {
  const members = Object.entries(object).map(
    ([name, value]) => [name, readableValue(value, field.member(name), showsSecrets)] as const
  )
  const absent = secretsOf(field).filter(name => !Object.hasOwn(object, name))
  const isHidden = absent.length > 0 && showsSecrets?.() === false
  const hidden = isHidden ? absent.map(name => [name, perhapsAbsent] as const) : []
  return Object.fromEntries([...members, ...hidden])
}

function readableValue(value: Value, field: Field, showsSecrets?: () => boolean): RuleValue {
  if (isList(value)) return value.map(item => readableValue(item, field.item(), showsSecrets))
  if (isObject(value)) return readable(value, field, showsSecrets)
  if (value instanceof Secret || field.secret) return secretValue(value, showsSecrets)
  return typeof value === 'string' && value.includes('{{') ? present : value
}

function secretValue(value: Value, showsSecrets = () => true): RuleValue {
  const isEmpty = value instanceof Secret ? value.empty : value === null || value === ''
  if (isEmpty && showsSecrets()) return value === null ? null : ''
  return isEmpty || (value instanceof Secret && value.hidden) ? perhapsAbsent : present
}

/** Cache of the names of secret members by field; the number of fields in the schema bounds it. */
const secretNames = new WeakMap<Field, readonly string[]>()

function secretsOf(field: Field): readonly string[] {
  return getOrInsert(secretNames, field, () =>
    field.memberNames().filter(name => field.member(name).secret)
  )
}

function withDefaults(fields: ValueObject, named: Iterable<string>): ValueObject {
  const missing = objectOf(named, name =>
    complete(member(fields, name), fieldIn(wlanField.member(name), fields))
  )
  return { ...fields, ...missing }
}

function complete(value: Value | undefined, field: Field): Value | undefined {
  if (isList(value)) return value.map(item => complete(item, field.item()) ?? item)
  if (value !== undefined && value !== null && !isObject(value)) return value
  const byDefault = defaultOf(field) ?? value
  if (!isObject(value)) return byDefault
  const names = field.memberNames()
  if (names.length === 0) return value
  const members = objectOf(names, name =>
    complete(member(value, name), fieldIn(field.member(name), value))
  )
  return { ...value, ...members }
}

/** Cache of the defaults by field; the number of fields in the schema bounds it. */
const defaults = new WeakMap<Field, { readonly value: Value | undefined }>()

function defaultOf(field: Field): Value | undefined {
  return getOrInsert(defaults, field, () => {
    const members = objectOf(field.memberNames(), name => defaultOf(field.member(name)))
    return { value: field.default ?? (isEmpty(members) ? undefined : members) }
  }).value
}

import type { RuleSite, RuleSubject } from '../../model/fleet-rules.ts'
import { Secret } from '../../model/secret.ts'
import {
  fromEntries,
  isList,
  isObject,
  member,
  type Value,
  type ValueObject
} from '../../model/value.ts'
import { type Field, wlanField } from '../../schema/field.ts'
import type { FleetSite } from '../sites.ts'
import type { Node } from '../yaml/tree.ts'
import type { UnknownValue } from './reads.ts'

/** Rules read this string in place of every secret. */
const MASK = '(secret)'

/** A WLAN as rules read it. */
export interface Effective {
  /** Plain JSON without secrets. */
  readonly value: ValueObject
  /** `$site` and `$live` if they are known, for the rules that read them. */
  readonly context: Readonly<Partial<Record<'$site' | '$live', ValueObject>>>
  /** The number of values in it. */
  readonly size: number
  /** The number of characters of its strings. */
  readonly characters: number
  /** The places with unknown values, which break no rule. */
  readonly unknown: readonly UnknownValue[]
}

/**
 * The declared fields of a WLAN, with profiles and variables resolved: everything that the files determine.
 */
export function effective(fields: ValueObject, site?: RuleSite): Effective {
  const reader = new EffectiveReader(() => true)
  const value = reader.object(fields, wlanField, [])
  return reader.result(value, site && { $site: siteValue(site) })
}

/** A WLAN before or after a change; absent members of the named fields get their documented defaults. */
export function completed(
  { fields, live, site, showsSecrets }: RuleSubject,
  named: Iterable<string>,
  readsLive: boolean
): Effective {
  const reader = new EffectiveReader(showsSecrets)
  const value = reader.object(withDefaults(fields, named), wlanField, [])
  for (const name of named) {
    const part = member(value, name)
    if (part !== undefined) reader.findAbsentSecrets(part, wlanField.member(name), [name])
  }
  const record = readsLive && { $live: reader.object(live, wlanField, ['$live']) }
  return reader.result(value, { $site: siteValue(site), ...record })
}

/** A site as rules read it, without variables that refer to a secret. */
export function ruleSiteOf({
  id,
  name,
  groups,
  vars
}: RuleSource): RuleSite & { vars: ValueObject } {
  const values = [...vars].flatMap(([key, node]) => {
    const value = plain(node)
    return value === undefined ? [] : [[key, value] as const]
  })
  return { id, name, groups, vars: fromEntries(values) }
}

type RuleSource = Pick<FleetSite, 'id' | 'name' | 'groups' | 'vars'>

/** The node as plain data; undefined if it contains an instruction to wlanctl. */
function plain(node: Node): Value | undefined {
  if (node.kind === 'scalar') return node.value
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

function siteValue({ id, name, groups = [], vars = {} }: RuleSite): ValueObject {
  return { id, name, groups, vars }
}

/** Copies values without secrets, and records which of them are unknown. */
class EffectiveReader {
  readonly unknown: UnknownValue[] = []
  readonly #showsSecrets: () => boolean
  #size = 1
  #characters = 0

  constructor(showsSecrets: () => boolean) {
    this.#showsSecrets = showsSecrets
  }

  result(value: ValueObject, context: Effective['context'] = {}): Effective {
    return { value, context, size: this.#size, characters: this.#characters, unknown: this.unknown }
  }

  object(object: ValueObject, field: Field, path: readonly string[]): ValueObject {
    return fromEntries(
      Object.entries(object).map(([name, value]) => [
        name,
        this.#value(value, field.member(name), [...path, name])
      ])
    )
  }

  #value(value: Value, field: Field, path: readonly string[]): Value {
    this.#size += 1
    if (isList(value)) {
      return value.map((item, at) => this.#value(item, field.item(), [...path, String(at)]))
    }
    if (isObject(value)) return this.object(value, field, path)
    if (typeof value === 'string') this.#characters += value.length
    if (value instanceof Secret || field.secret) return this.#secret(value, path)
    if (typeof value === 'string' && value.includes('{{')) {
      this.unknown.push({ steps: path, isPresent: true })
    }
    return value
  }

  #secret(value: Value, path: readonly string[]): Value {
    const isEmpty = value instanceof Secret ? value.empty : value === null || value === ''
    if (isEmpty && this.#showsSecrets()) return value instanceof Secret ? '' : value
    const isPresent = !isEmpty && !(value instanceof Secret && value.hidden)
    this.unknown.push({ steps: path, isPresent })
    return MASK
  }

  /** Records the absent secrets of an object, because the service may hide them. */
  findAbsentSecrets(value: Value, field: Field, path: readonly string[]): void {
    if (isList(value)) {
      for (const [at, item] of value.entries()) {
        this.findAbsentSecrets(item, field.item(), [...path, String(at)])
      }
    }
    if (!isObject(value)) return
    for (const name of field.memberNames()) {
      const part = member(value, name)
      const below = field.member(name)
      if (part !== undefined) this.findAbsentSecrets(part, below, [...path, name])
      else if (below.secret && !this.#showsSecrets()) {
        this.unknown.push({ steps: [...path, name], isPresent: false })
      }
    }
  }
}

/** Adds the documented defaults of absent fields, and of their absent members. */
function withDefaults(fields: ValueObject, named: Iterable<string>): ValueObject {
  const missing = [...named].flatMap(name => {
    const value = complete(member(fields, name), wlanField.member(name))
    return value === undefined ? [] : [[name, value] as const]
  })
  return fromEntries([...Object.entries(fields), ...missing])
}

function complete(value: Value | undefined, field: Field): Value | undefined {
  if (isList(value)) return value.map(item => complete(item, field.item()) ?? item)
  if (value !== undefined && value !== null && !isObject(value)) return value
  const byDefault = defaultOf(field) ?? value
  if (!isObject(value)) return byDefault
  const names = field.memberNames()
  if (names.length === 0) return value
  const members = names.flatMap(name => {
    const part = complete(member(value, name), field.member(name))
    return part === undefined ? [] : [[name, part] as const]
  })
  return fromEntries([...Object.entries(value), ...members])
}

/** Cache of the defaults by field; the number of fields in the schema bounds it. */
const defaults = new WeakMap<Field, { readonly value: Value | undefined }>()

/** The documented default of a field, or an object with the defaults of its members. */
function defaultOf(field: Field): Value | undefined {
  const kept = defaults.get(field)
  if (kept !== undefined) return kept.value
  const members = field.memberNames().flatMap(name => {
    const value = defaultOf(field.member(name))
    return value === undefined ? [] : [[name, value] as const]
  })
  const value = field.default ?? (members.length === 0 ? undefined : fromEntries(members))
  defaults.set(field, { value })
  return value
}

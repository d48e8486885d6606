import wlanSchema from '../../../schemas/wlan.schema.json' with { type: 'json' }
import type { DangerKind } from '../model/danger.ts'
import type { ImpactClass } from '../model/impact.ts'
import type { DowngradeLevel } from '../model/plan.ts'
import { type Pointer, steps } from '../values/pointer.ts'
import { holdsServiceVariable } from '../values/secret.ts'
import {
  below,
  fromEntries,
  isEmpty,
  isScalar,
  type Value,
  type ValueObject,
  valueText
} from '../values/value.ts'

/** How two values of a field are compared; by default as JSON. */
export type Compare = 'set' | 'loose' | 'ignore-case' | 'comma-list' | 'whole'

/** Values in ascending order of security; those in a list are equally secure. */
export type Ranking = readonly (string | boolean | readonly (string | boolean)[])[]

/**
 * The direction of a change.
 *
 * | direction          | the field                                                                       |
 * |--------------------|---------------------------------------------------------------------------------|
 * | `lowered` `raised` | is a number that decreases or increases; without a limit it is the largest      |
 * | `true` `false`     | becomes on or off                                                               |
 * | `to VALUE`         | becomes this value                                                              |
 * | `emptied`          | loses its value, or all elements                                                |
 * | `set`              | is a value or secret where there was none                                       |
 * | `shrunk` `grown`   | loses or gains an element of a list, a name of an object, or an hour of a day   |
 * | `changed`          | is a list of objects with other elements than some appended ones                |
 * | `first-vlan`       | gains VLAN 1                                                                    |
 * | `wide-subnet`      | gains all addresses, or a prefix shorter than /8                                |
 * | `top-level-domain` | gains a hostname such as `com`                                                  |
 * | `new-host`         | names a host that it did not name, in servers or a URL                          |
 * | `new-network`      | names a host in another network; one of the same /24 is in the same             |
 */
export type Direction =
  | 'lowered'
  | 'raised'
  | 'true'
  | 'false'
  | `to ${string}`
  | 'emptied'
  | 'set'
  | 'shrunk'
  | 'grown'
  | 'changed'
  | 'first-vlan'
  | 'wide-subnet'
  | 'top-level-domain'
  | 'new-host'
  | 'new-network'

/** A value of a field that decides whether other fields are in use. */
export type SwitchValue = string | boolean

/** The name of a condition, the pointer of a switch that has to be on, or conditions about values. */
export type Condition =
  | string
  | { readonly any: readonly Condition[] }
  | { readonly all: readonly Condition[] }
  | { readonly not: Condition }
  | { readonly empty: Pointer }
  | Readonly<Record<Pointer, readonly SwitchValue[]>>

export interface ImpactRule {
  readonly class: ImpactClass
  /** Limits the rule to some directions. */
  readonly when?: Direction | readonly Direction[]
  /** Limits the rule to WLANs that meet this condition afterwards. */
  readonly inUse?: string
  /** True if the other WLANs of the access points drop for seconds, too. */
  readonly resetsRadio?: true
  /** True if a server decides anew, and may refuse everybody. */
  readonly authenticationRisk?: true
  /** The danger if an edit of the live WLAN has this effect; default: `refused` for `some` and `outage`. */
  readonly danger?: DangerKind
}

/** The annotation `x-wlanctl`: facts for the planner that JSON Schema cannot express. */
export interface FieldAnnotation {
  readonly secret?: boolean
  /** True for a field that only the service sets. */
  readonly readOnly?: boolean
  /** True for a signed address that differs in each response; see `clearVolatile`. */
  readonly volatile?: boolean
  /** Default: `loose` for a number, which the service may store as a text. */
  readonly compare?: Compare
  /** The member that identifies an element of this list of objects, e.g. `host`. */
  readonly key?: string
  /** The effect of a change on clients; inherited from the parent, unless the parent's is limited. */
  readonly impact?: readonly ImpactRule[]
  /** The name of the condition, or the switch, without which the field has no effect; not inherited. */
  readonly inUse?: string
  /** Of a secret in a block: the name of the condition, or the switch, with which the WLAN needs it. */
  readonly neededIf?: string
  /** True for a text whose empty value differs from an absent one: a day with empty hours is closed. */
  readonly emptyIsValue?: boolean
  /** True for a member that a declared null removes from its object, which is sent without it. */
  readonly nullRemoves?: boolean
  /** The older name of the same fact, beside it: `band` for `bands`. See `fieldIn`. */
  readonly older?: string
  /** What else people call the field: unknown names in declarations that stand for it, in lower case. */
  readonly otherNames?: readonly string[]
  /** What else people call its values: a pattern for each value, matched without case. */
  readonly synonyms?: Readonly<Record<string, string>>
  /** What a value under the older name is if it is not the one element of the list: `both` bands. */
  readonly olderWords?: Readonly<Record<string, readonly string[]>>
  /** The number that means "no limit". */
  readonly noLimit?: number
  readonly unit?: string
  /** The known values by security; absent if all are equally secure. */
  readonly safer?: Ranking
  /** The other changes that weaken security, with the level of the downgrade. */
  readonly weakens?: Readonly<Partial<Record<Direction, DowngradeLevel>>>
  /** Limits that ranking to WLANs that meet this condition before or after. */
  readonly saferIf?: string
  /** The level of a downgrade in that ranking; default: high. */
  readonly level?: DowngradeLevel
  /** The danger if an edit of the live WLAN is a downgrade of the field; default: `less-secure`. */
  readonly danger?: DangerKind
  /** True for a guard field, which decides whether the network is secure and on the air. */
  readonly guard?: boolean
  /** True for a field whose value may have a format that the schema does not know; that is a warning. */
  readonly lenient?: boolean
  /** True for a choice in which the service replaces variables, as in all texts and numbers. */
  readonly variable?: boolean
}

export interface SchemaNode {
  readonly $ref?: string
  readonly description?: string
  readonly anyOf?: readonly SchemaNode[]
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly additionalProperties?: SchemaNode | boolean
  readonly items?: SchemaNode
  readonly propertyNames?: SchemaNode
  readonly title?: string
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly maxItems?: number
  readonly deprecated?: boolean
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly 'x-wlanctl'?: FieldAnnotation & {
    /** At the root: the conditions of `inUse` by name. */
    readonly conditions?: Readonly<Record<string, Condition>>
  }
}

export function dangerOfEffect({ class: effect, danger }: ImpactRule): DangerKind | undefined {
  if (danger !== undefined) return danger
  return effect === 'outage' ? 'cut-off' : effect === 'some' ? 'refused' : undefined
}

export function dangerOfDowngrade(
  { danger }: Pick<Field, 'danger'>,
  level: DowngradeLevel
): DangerKind | undefined {
  return danger ?? (level === 'notice' ? undefined : 'less-secure')
}

export const schemaRoot = wlanSchema as SchemaNode

/** A node, the node it refers to, and its alternatives; annotations of earlier ones take precedence. */
export function subschemasOf(node: SchemaNode): readonly SchemaNode[] {
  const referred = node.$ref === undefined ? [] : [nodeAt(node.$ref)]
  return [node, ...[...referred, ...(node.anyOf ?? [])].flatMap(subschemasOf)]
}

function nodeAt(reference: string): SchemaNode {
  let node: object = schemaRoot
  for (const step of reference.split('/').slice(1)) {
    const below: unknown = Object.getOwnPropertyDescriptor(node, step)?.value
    if (typeof below !== 'object' || below === null)
      throw new Error(`no ${reference} in the schema`)
    node = below
  }
  return node
}

type Annotations = { readonly [K in keyof FieldAnnotation]-?: FieldAnnotation[K] | undefined }

export interface Field extends Annotations {
  /** False for a field that is not in the schema; it has at most an inherited impact. */
  readonly known: boolean
  readonly secret: boolean
  /** True for a secret, and for a list of secrets. */
  readonly holdsSecret: boolean
  readonly readOnly: boolean
  readonly volatile: boolean
  readonly deprecated: boolean
  /** The JSON types of its values, and of the elements of a list; none if the schema limits none. */
  readonly types: ReadonlySet<string>
  readonly minimum: number | undefined
  readonly maximum: number | undefined
  /** The required format in words, e.g. `a UUID`. */
  readonly shape: string | undefined
  /** All alternatives in words, if they share a name: `0, or 60 to 65535`. */
  readonly alternatives: string | undefined
  /** The required format of the keys of a map, in words. */
  readonly keyShape: string | undefined
  /** The documented value that the service uses if the field is absent. Never sent. */
  readonly default: Value | undefined
  /**
   * The value that an absent field stands for: the default; without one, `false` for a switch, an empty list, or null.
   * Undefined if the schema allows none of them. Whether a declared value is a change depends on the default alone.
   */
  readonly whenAbsent: Value | undefined
  /** The values of a switch, and of a field or list with an `enum`. */
  readonly choices: ReadonlySet<unknown> | undefined
  /** The names of the declared members; none for a map with free keys. */
  memberNames(): readonly string[]
  member(name: string): Field
  item(): Field
}

type Facts = Omit<Field, 'memberNames' | 'member' | 'item'>

export const wlanField: Field = fieldOf([schemaRoot])

/**
 * Names of secrets. New fields of the service are not in the schema yet, so one with such a name is a secret, including
 * all its children: `preshared_key`, `api_token`, `psk_list`, `passwords`, `wep_key_1`, `apiKey`, `apikey`.
 */
const SECRET_NAME =
  /(?:secret|passw(?:or)?d|passphrase|psk|token|credential|(?:api|access|private|shared|master|wep)key|(?:^|[_-])(?:key|kek|mack|pin|otp))s?(?:[_-]?lists?)?(?:[_-]?\d+)?$/i

/** The same names in camel case: `presharedKeys`, `loginPin`. */
const SECRET_NAME_IN_CAMEL_CASE = /[a-z\d](?:Key|Kek|Mack|Pin|Otp)s?(?:List)?\d*$/

/** Every index of a list leads to the field of its elements. */
export function fieldAt(pointer: Pointer): Field {
  return fieldBelow(wlanField, steps(pointer))
}

/** `fieldAt` for a path below another field. */
export function fieldBelow(above: Field, path: readonly string[]): Field {
  return path.reduce((field, step) => {
    const item = /^\d+$/.test(step) ? field.item() : undefined
    return item?.known ? item : field.member(step)
  }, above)
}

/** True for the name of a field of the schema, in whichever block. */
export function isFieldName(name: string): boolean {
  names ??= new Set(namesBelow(schemaRoot))
  return names.has(name)
}

let names: ReadonlySet<string> | undefined

function namesBelow(node: object): string[] {
  return Object.entries(node).flatMap(([keyword, below]: [string, unknown]) => {
    if (typeof below !== 'object' || below === null) return []
    return [...(keyword === 'properties' ? Object.keys(below) : []), ...namesBelow(below)]
  })
}

/** The field that these nodes describe. Its children are created on first use and cached. */
function fieldOf(nodes: readonly SchemaNode[], above?: Facts): Field {
  const parts = nodes.flatMap(subschemasOf)
  const facts = factsOf(parts, above)
  const names = new Set(parts.flatMap(part => Object.keys(part.properties ?? {})))
  const members = new Map<string, Field>()
  const read = (pick: (part: SchemaNode) => SchemaNode | undefined) =>
    fieldOf(
      parts.flatMap(part => pick(part) ?? []),
      facts
    )
  let entry: Field | undefined
  let item: Field | undefined
  return {
    ...facts,
    memberNames: () => [...names],
    member(name) {
      const kept = members.get(name)
      if (kept !== undefined) return kept
      if (!names.has(name)) {
        entry ??= read(entriesOf)
        return entry.known || !hasSecretName(name) ? entry : secretOf(entry)
      }
      const member = read(part => part.properties?.[name])
      members.set(name, member)
      return member
    },
    item() {
      item ??= read(part => part.items)
      return item
    }
  }
}

function hasSecretName(name: string): boolean {
  return SECRET_NAME.test(name) || SECRET_NAME_IN_CAMEL_CASE.test(name)
}

/** An unknown field that is a secret, with all its children. */
function secretOf(unknown: Field): Field {
  const children = { member: () => field, item: () => field }
  const field: Field = { ...unknown, secret: true, holdsSecret: true, ...children }
  return field
}

/**
 * Merges the annotations; the one closest to the field takes precedence. All results have the same members:
 * reading one of an object that may lack it takes several times as long.
 */
function factsOf(parts: readonly SchemaNode[], above: Facts | undefined): Facts {
  const annotations = parts.flatMap(part => part['x-wlanctl'] ?? []).reverse()
  const annotation: FieldAnnotation = Object.assign({}, ...annotations)
  const first = <K extends keyof SchemaNode>(keyword: K): SchemaNode[K] | undefined =>
    parts.find(part => part[keyword] !== undefined)?.[keyword]
  const usual = first('default') as Value | undefined
  const inherited = above?.impact?.some(rule => rule.when || rule.inUse) ? undefined : above?.impact
  const types = typesOf(parts)
  const isNumber = types.has('integer') || types.has('number')
  const isSingle = !(types.has('array') || types.has('object'))
  return {
    known: parts.length > 0,
    secret: annotation.secret ?? false,
    holdsSecret: annotation.secret === true || hasSecretItems(parts),
    readOnly: annotation.readOnly ?? false,
    volatile: annotation.volatile ?? false,
    deprecated: first('deprecated') === true,
    default: usual,
    whenAbsent: usual ?? emptyValueOf(parts),
    choices: choicesOf(parts),
    types,
    minimum: first('minimum'),
    maximum: first('maximum'),
    shape: parts.find(part => part.pattern !== undefined)?.title,
    alternatives: parts.find(part => part.anyOf !== undefined)?.title,
    keyShape: first('propertyNames')?.title,
    compare: annotation.compare ?? (isNumber && isSingle ? 'loose' : undefined),
    key: annotation.key,
    impact: annotation.impact ?? inherited,
    inUse: annotation.inUse,
    neededIf: annotation.neededIf,
    emptyIsValue: annotation.emptyIsValue,
    nullRemoves: annotation.nullRemoves,
    older: annotation.older,
    otherNames: annotation.otherNames,
    synonyms: annotation.synonyms,
    olderWords: annotation.olderWords,
    noLimit: annotation.noLimit,
    unit: annotation.unit,
    safer: annotation.safer,
    saferIf: annotation.saferIf,
    weakens: annotation.weakens,
    level: annotation.level,
    danger: annotation.danger,
    guard: annotation.guard,
    lenient: annotation.lenient,
    variable: annotation.variable
  }
}

/** Cache of the fields without their defaults; the number of fields in the schema bounds it. */
const undefaulted = new WeakMap<Field, Field>()

/**
 * The field as a part of these objects, before and after a change: without a default, and without a value when absent,
 * if one of them holds the fact under its older name. An absent field is unknown then: no default may stand in for it.
 */
export function fieldIn(field: Field, ...objects: readonly (Value | undefined)[]): Field {
  const { older } = field
  if (older === undefined || objects.every(each => isEmpty(below(each, older)))) return field
  const made = undefaulted.get(field) ?? { ...field, default: undefined, whenAbsent: undefined }
  undefaulted.set(field, made)
  return made
}

/** True if the value of a field of `fieldIn` is unknown, because it is absent and an older name holds the fact. */
export function isToldByOlder({ older, whenAbsent }: Field, value: Value | undefined): boolean {
  return older !== undefined && whenAbsent === undefined && isEmpty(value)
}

/**
 * The value of a list; where it is absent, that of its older name in the object that holds it. Absent stays absent if the
 * older name holds none that is certainly an element.
 */
export function factOf(field: Field, value: Value | undefined, holder: Value | undefined) {
  const { older, olderWords = {}, key } = field
  const told = older === undefined || !isEmpty(value) ? undefined : below(holder, older)
  if (told === undefined || isEmpty(told) || !isScalar(told) || key !== undefined) return value
  const text = valueText(told)
  const list = (Object.hasOwn(olderWords, text) && olderWords[text]) || [text]
  const { choices } = field.item()
  const isKnown = (each: string) => choices?.has(each) ?? !holdsServiceVariable(each)
  return list.every(isKnown) ? list : value
}

function emptyValueOf(parts: readonly SchemaNode[]): Value | undefined {
  const types = parts.flatMap(({ type = [] }) => type)
  if (types.includes('boolean')) return false
  if (types.includes('array')) return []
  return types.includes('null') ? null : undefined
}

function typesOf(parts: readonly SchemaNode[]): ReadonlySet<string> {
  const items = parts.flatMap(part => part.items ?? []).flatMap(subschemasOf)
  return new Set([...parts, ...items].flatMap(({ type = [] }) => type))
}

function choicesOf(parts: readonly SchemaNode[]): ReadonlySet<unknown> | undefined {
  const all = [...parts, ...parts.flatMap(part => part.items ?? [])]
  const choices = all.find(part => part.enum !== undefined)?.enum
  if (choices !== undefined) return new Set(choices)
  return parts.some(({ type }) => type === 'boolean') ? booleans : undefined
}

const booleans: ReadonlySet<unknown> = new Set([true, false])

function hasSecretItems(parts: readonly SchemaNode[]): boolean {
  const items = parts.flatMap(part => part.items ?? []).flatMap(subschemasOf)
  return items.some(item => item['x-wlanctl']?.secret === true)
}

function entriesOf(part: SchemaNode): SchemaNode | undefined {
  return typeof part.additionalProperties === 'object' ? part.additionalProperties : undefined
}

/** The lists of servers that share a secret, each with the member that identifies a server. */
export const serverLists = wlanField.memberNames().flatMap(name => {
  const { key, item } = wlanField.member(name)
  return key !== undefined && item().memberNames().includes('secret') ? [{ name, key }] : []
})

const volatileNames = wlanField.memberNames().filter(name => wlanField.member(name).volatile)

/** Sets volatile fields to `null` in place: a copy would take a quarter of the reading time. */
export function clearVolatile(record: object): void {
  const fields = record as Record<string, unknown>
  for (const name of volatileNames) if (Object.hasOwn(fields, name)) fields[name] = null
}

/**
 * The record without the signed, short-lived addresses that differ in each response: snapshots, comparisons
 * and reports must not contain them. Returns the record itself if it has none.
 */
export function withoutVolatile(record: ValueObject): ValueObject {
  if (!volatileNames.some(name => Object.hasOwn(record, name))) return record
  return fromEntries(Object.entries(record).filter(([name]) => !volatileNames.includes(name)))
}

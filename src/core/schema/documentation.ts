import { type DangerKind, dangerKinds } from '../model/danger.ts'
import { impactNouns } from '../model/impact.ts'
import { groupsBy } from '../values/collections.ts'
import { conditionAt } from './condition.ts'
import {
  type Compare,
  type Condition,
  type Direction,
  dangerOfDowngrade,
  dangerOfEffect,
  type Field,
  type Ranking,
  type SchemaNode,
  schemaRoot,
  wlanField
} from './field.ts'

/** How a text marks a value: as code in Markdown, elsewhere in quotes or not at all. */
export type MarkValue = (value: string) => string

export interface DocumentedField {
  /** `auth.psk`; `a[]` is an element of a list, `a.{key}` an entry of a map with free keys. */
  readonly path: string
  readonly field: Field
  /** With its references resolved. */
  readonly node: SchemaNode
}

/** A node with its references resolved; its own keywords override those of the definition. */
export function resolveNode(node: SchemaNode, root: SchemaNode): SchemaNode {
  if (node.$ref === undefined) return node
  let target: unknown = root
  for (const step of node.$ref.split('/').slice(1)) {
    target = (target as Readonly<Record<string, unknown>>)[step]
  }
  const { $ref, ...own } = node
  return { ...resolveNode(target as SchemaNode, root), ...own }
}

/** The fields of a WLAN in the order of the schema: each top-level field with all fields below it. */
export function documentedFields(): readonly (readonly DocumentedField[])[] {
  return Object.entries(schemaRoot.properties ?? {}).map(([name, node]) =>
    withBelow(name, node, wlanField.member(name))
  )
}

/** The names of all fields without free keys, each once; that of an element's member is `auth_servers.host`. */
export function fieldNames(): readonly string[] {
  const names = documentedFields().flatMap(group =>
    group.map(({ path }) => path.replaceAll('[]', ''))
  )
  return [...new Set(names)].filter(name => !name.includes('{'))
}

function withBelow(path: string, own: SchemaNode, field: Field): DocumentedField[] {
  const node = resolveNode(own, schemaRoot)
  const { properties = {}, items } = node
  const entry = [node, ...(node.anyOf ?? [])]
    .map(each => resolveNode(each, schemaRoot).additionalProperties)
    .find(each => typeof each === 'object')
  const below = Object.entries(properties).flatMap(([name, member]) =>
    withBelow(`${path}.${name}`, member, field.member(name))
  )
  const entries =
    typeof entry === 'object' ? withBelow(`${path}.{key}`, entry, field.member('{key}')) : []
  const elements = items === undefined ? [] : withBelow(`${path}[]`, items, field.item())
  const hasMembers = items !== undefined && resolveNode(items, schemaRoot).properties !== undefined
  return [
    { path, field, node },
    ...below,
    ...entries,
    ...(hasMembers ? elements.slice(1) : elements.filter(each => isNotable(each.field)))
  ]
}

/** True for a plain element with facts of its own; other elements are part of the type of their list. */
function isNotable({ guard, secret, readOnly, volatile, deprecated, ...facts }: Field): boolean {
  const { unit, compare, key, inUse, safer } = facts
  const marks = [guard, secret, readOnly, volatile, deprecated]
  const notes = [...marks, unit, compare, key, inUse, safer]
  return notes.some(note => note !== undefined && note !== false)
}

/** The type of a value with its range, in words: `integer, 1 to 4094`. */
export function describeType(
  node: SchemaNode,
  mark: MarkValue,
  root: SchemaNode = schemaRoot
): string {
  const { type, anyOf, ...rest } = resolveNode(node, root)
  if (rest.enum !== undefined) return rest.enum.map(value => mark(JSON.stringify(value))).join(', ')
  if (anyOf !== undefined) {
    return [...new Set(anyOf.map(each => describeType(each, mark, root)))].join('; or ')
  }
  const types = typeof type === 'string' ? [type] : (type ?? ['any'])
  return types.map(name => typeName(name, rest, mark, root)).join(' or ')
}

function typeName(type: string, node: SchemaNode, mark: MarkValue, root: SchemaNode): string {
  switch (type) {
    case 'integer':
    case 'number':
      return withRange(type, node)
    case 'string':
      if (node.title !== undefined) return node.title
      return node.maxLength === undefined
        ? 'string'
        : `string, at most ${node.maxLength} characters`
    case 'array':
      return `list of ${elementType(node.items ?? {}, mark, root)}${node.maxItems === undefined ? '' : `, at most ${node.maxItems}`}`
    case 'object':
      return node.properties === undefined && node.additionalProperties !== undefined
        ? 'map'
        : 'object'
    default:
      return type
  }
}

function elementType(node: SchemaNode, mark: MarkValue, root: SchemaNode): string {
  const { type, properties } = resolveNode(node, root)
  if (type === 'object' && properties !== undefined) return 'objects'
  const text = describeType(node, mark, root)
  return /, |;/.test(text) ? `(${text})` : text
}

function withRange(type: string, { minimum, maximum }: SchemaNode): string {
  if (minimum === undefined && maximum === undefined) return type
  if (maximum === undefined) return `${type}, at least ${minimum}`
  return minimum === undefined ? `${type}, at most ${maximum}` : `${type}, ${minimum} to ${maximum}`
}

/**
 * The effects of a change on clients by direction and condition, each effect once: `outage, if shrunk`, `partial outage
 * with authentication risk, if raised`. `nameOf` as in `describeCondition`. Empty if there is none.
 */
export function describeImpact(
  { impact = [] }: Field,
  mark: MarkValue,
  nameOf?: NameOf
): readonly string[] {
  const effects = impact.map(rule => {
    const { when, inUse, resetsRadio, authenticationRisk } = rule
    const parts = [
      rule.class === 'none' ? [] : impactNouns[rule.class],
      authenticationRisk ? 'authentication risk' : [],
      resetsRadio ? 'radio reset' : []
    ]
    const directions = [when ?? []].flat().map(each => directionText(each, mark))
    const conditions = [
      directions.join(' or '),
      inUse === undefined ? '' : describeCondition(inUse, mark, nameOf)
    ].filter(part => part !== '')
    return { effect: parts.flat().join(' with '), condition: conditions.join(' with ') }
  })
  return groupsBy(effects, ({ effect }) => effect).map(same => {
    const conditions = same.flatMap(({ condition }) => (condition === '' ? [] : condition))
    const isAlways = conditions.length < same.length
    return same[0].effect + (isAlways ? '' : `, if ${conditions.join(', or if ')}`)
  })
}

function directionText(direction: Direction, mark: MarkValue): string {
  if (direction === 'true' || direction === 'false') return `set to ${mark(direction)}`
  return direction.startsWith('to ') ? `set to ${mark(direction.slice(3))}` : direction
}

type NameOf = (name: string) => string

/** Writes a condition, `/auth/type psk or eap`, and another by `nameOf`, by default in words. */
export function describeCondition(
  condition: Condition,
  mark: MarkValue,
  nameOf: NameOf = name => describeCondition(conditionAt(name), mark)
): string {
  if (typeof condition === 'string')
    return condition.startsWith('/') ? mark(condition) : nameOf(condition)
  const part = (inner: Condition) => {
    const text = describeCondition(inner, mark, nameOf)
    return / and | or /.test(text) && !text.startsWith('not ') ? `(${text})` : text
  }
  if ('not' in condition) return `not ${part(condition.not as Condition)}`
  if ('empty' in condition) return `no ${mark(String(condition.empty))}`
  if ('any' in condition) return (condition.any as readonly Condition[]).map(part).join(' or ')
  if ('all' in condition) return (condition.all as readonly Condition[]).map(part).join(' and ')
  const parts = Object.entries(condition).map(
    ([pointer, values]) =>
      `${mark(pointer)} ${values.map(value => mark(String(value))).join(' or ')}`
  )
  return parts.join(' and ')
}

/** The other facts about a field, each with its name: `compared as`, `set`. `nameOf` as in `describeCondition`. */
export function describeFacts(
  field: Field,
  mark: MarkValue,
  nameOf?: NameOf
): readonly (readonly [name: string, text: string])[] {
  const { safer, saferIf, level = 'high', weakens } = field
  const limit = saferIf === undefined ? '' : `, if ${describeCondition(saferIf, mark, nameOf)}`
  const dangers = dangersOf(field).map(mark).join(', ')
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['deprecated', field.deprecated ? 'yes' : undefined],
    ['volatile', field.volatile ? 'a signed address that differs in each response' : undefined],
    ['unit', field.unit],
    ['equal values', field.compare && equalValues[field.compare]],
    ['key of an element', field.key && mark(field.key)],
    ['in use if', field.inUse && describeCondition(field.inUse, mark, nameOf)],
    ['security', safer && `${describeRanking(safer, mark)} (downgrade: ${level}${limit})`],
    ['weakened by', weakens && describeWeakenings(weakens)],
    ['danger', dangers === '' ? undefined : dangers]
  ]
  return facts.flatMap(([name, text]) => (text === undefined ? [] : [[name, text] as const]))
}

/** Which notations of a value are no change, by the comparison of its field. */
const equalValues: Readonly<Record<Compare, string>> = {
  loose: '40 and "40" are the same value',
  'ignore-case': 'upper and lower case are the same',
  set: 'the order of the items does not matter',
  'comma-list': '"a,b" and the list of a and b are the same, in any order',
  whole: 'the value is compared as a whole, not member by member'
}

function dangersOf(field: Field): readonly DangerKind[] {
  const { impact = [], safer, level = 'high', weakens = {} } = field
  const levels = safer === undefined ? Object.values(weakens).flatMap(each => each ?? []) : [level]
  const kinds = new Set([
    ...impact.map(dangerOfEffect),
    ...levels.map(each => dangerOfDowngrade(field, each))
  ])
  return dangerKinds.filter(kind => kinds.has(kind))
}

/** Values from the least to the most secure: `open < psk = eap`. */
function describeRanking(ranking: Ranking, mark: MarkValue): string {
  return ranking
    .map(value =>
      [value]
        .flat()
        .map(each => mark(String(each)))
        .join(' = ')
    )
    .join(' < ')
}

/** The changes that weaken security with the level of the downgrade: `emptied (high)`. */
function describeWeakenings(weakens: NonNullable<Field['weakens']>): string {
  return Object.entries(weakens)
    .map(([kind, level]) => `${kind} (${level})`)
    .join(', ')
}

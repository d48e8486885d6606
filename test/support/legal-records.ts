import fc, { type Arbitrary } from 'fast-check'
import { type SchemaNode, schemaRoot } from '../../src/core/schema/field.ts'
import type { JsonObject } from '../../src/simulator/json.ts'

interface TypedNode extends SchemaNode {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly required?: readonly string[]
  readonly propertyNames?: { readonly pattern?: string }
}

/** A variable of the service, which is no secret. */
const VARIABLE = '{{vlan}}'

/** Texts of which some match each pattern of the schema. */
const texts = [
  ...['alpha', '10', '40', '7', '10.1.2.0/24', '10.1.2.3', '2001:db8::7', '08:00-18:00', 'ff00'],
  ...['6f4c7a1e-30b2-4a6d-8f51-0a4e7c1f9b01', 'blue-Horse-7-staple', '0123456789', VARIABLE]
]

const hosts = ['10.0.0.1', '10.0.0.2', 'radius.example']

/** A WLAN with any legal values of its writable fields, most of which it has. */
export function legalRecord(id: string, ssid: string): Arbitrary<JsonObject> {
  return legalValue(schemaRoot).map(fields =>
    JSON.parse(
      JSON.stringify({ ...(fields as object), template_id: null, for_site: true, id, ssid })
    )
  )
}

function legalValue(node: TypedNode): Arbitrary<unknown> {
  const resolved = resolve(node)
  const alternatives: readonly TypedNode[] | undefined = resolved.anyOf
  if (alternatives !== undefined) return fc.oneof(...alternatives.map(legalValue))
  const { enum: choices, type = [] } = resolved
  if (choices !== undefined) return fc.constantFrom(...choices)
  const values = [type].flat().map(each => typedValue(resolved, each))
  return values.length === 1 ? (values[0] as Arbitrary<unknown>) : fc.oneof(...values)
}

function typedValue(node: TypedNode, type: string): Arbitrary<unknown> {
  switch (type) {
    case 'object':
      return objectOf(node)
    case 'array':
      return listOf(node)
    case 'boolean':
      return fc.boolean()
    case 'integer':
    case 'number':
      return fc.integer({ min: node.minimum ?? 0, max: node.maximum ?? 100 })
    case 'null':
      return fc.constant(null)
    case 'string':
      return fc.constantFrom(
        ...matching(node.pattern).filter(text => !isSecret(node) || text !== VARIABLE)
      )
    default:
      throw new Error(`no values of type ${type}`)
  }
}

function objectOf(node: TypedNode): Arbitrary<unknown> {
  const { properties = {}, additionalProperties, required = [], propertyNames } = node
  const writable = Object.entries(properties).filter(([, each]) => !isReadOnly(each))
  const members = fc.tuple(
    ...writable.map(([name, each]) =>
      fc.tuple(fc.constant(name), legalValue(each), fc.integer({ min: 0, max: 9 }))
    )
  )
  const named = members.map(all =>
    all
      .filter(
        ([name, , chance]) => chance > 0 || required.includes(name) || isSecret(properties[name])
      )
      .map(([name, value]) => [name, value] as const)
  )
  if (typeof additionalProperties !== 'object') return named.map(Object.fromEntries)
  const keys = fc.constantFrom(...matching(propertyNames?.pattern))
  const free = fc.dictionary(keys, legalValue(additionalProperties), { maxKeys: 3 })
  return fc.tuple(named, free).map(([all, more]) => ({ ...more, ...Object.fromEntries(all) }))
}

/** A list; its objects have different hosts. */
function listOf({ items: of = {}, minItems = 0, maxItems = 3 }: TypedNode): Arbitrary<unknown> {
  const item = resolve(of)
  const length = { minLength: minItems, maxLength: maxItems }
  const list = fc.uniqueArray(legalValue(item), { ...length, selector: JSON.stringify })
  return list.map(items =>
    items.map((value, place) =>
      item.properties !== undefined && 'host' in item.properties
        ? { ...(value as object), host: hosts[place] }
        : value
    )
  )
}

function matching(pattern: string | undefined): string[] {
  const found = texts.filter(text => pattern === undefined || new RegExp(pattern).test(text))
  if (found.length === 0) throw new Error(`no text matches ${pattern}`)
  return found
}

/** The service does not store a network without the secrets that it needs. */
function isSecret(node: SchemaNode = {}): boolean {
  return [node, resolve(node)].some(each => each['x-wlanctl']?.secret === true)
}

function isReadOnly(node: SchemaNode): boolean {
  return [node, resolve(node)].some(
    each => (each as { readonly readOnly?: boolean }).readOnly === true
  )
}

function resolve(node: TypedNode): TypedNode {
  if (node.$ref === undefined) return node
  const target = node.$ref
    .split('/')
    .slice(1)
    .reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], schemaRoot)
  return resolve(target as TypedNode)
}

import {
  type Field,
  type SchemaNode,
  schemaRoot,
  subschemasOf,
  wlanField
} from '../../src/core/schema/field.ts'

/** The kind of value that a field contains; if several are allowed, the one with more structure. */
export type Shape = { readonly field: Field } & (
  | { readonly kind: 'object'; readonly members: ReadonlyMap<string, Shape> }
  | { readonly kind: 'map' | 'list'; readonly each: Shape }
  | { readonly kind: 'boolean' | 'number' | 'text'; readonly choices: readonly string[] }
)

interface TypedNode extends SchemaNode {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
}

/** The fields of a WLAN that may be declared, except its SSID. */
export const wlanShape = shapeOf(schemaRoot, wlanField)

function shapeOf(node: SchemaNode, field: Field): Shape {
  const parts: readonly TypedNode[] = subschemasOf(node)
  const members = parts
    .flatMap(part => Object.entries(part.properties ?? {}))
    .map(([name, below]) => [name, shapeOf(below, field.member(name))] as const)
    .filter(([name, shape]) => name !== 'ssid' && !shape.field.readOnly)
  if (members.length > 0) return { kind: 'object', field, members: new Map(members) }
  const item = parts.find(part => part.items !== undefined)?.items
  if (item !== undefined) return { kind: 'list', field, each: shapeOf(item, field.item()) }
  const entry = parts.find(part => typeof part.additionalProperties === 'object')
  if (typeof entry?.additionalProperties === 'object') {
    return { kind: 'map', field, each: shapeOf(entry.additionalProperties, field.member('')) }
  }
  const types = parts.flatMap(part => part.type ?? [])
  const kind = types.includes('boolean') ? 'boolean' : numeric(types) ? 'number' : 'text'
  const choices = parts.flatMap(part => part.enum ?? [])
  return { kind, field, choices: choices.filter(choice => typeof choice === 'string') }
}

function numeric(types: readonly string[]): boolean {
  return types.includes('integer') || types.includes('number')
}

/** The members that the schema knows. */
export function membersOf(shape: Shape): ReadonlyMap<string, Shape> {
  return shape.kind === 'object' ? shape.members : new Map()
}

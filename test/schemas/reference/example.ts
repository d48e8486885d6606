import { type DocumentedField, resolveNode } from '../../../src/core/schema/documentation.ts'
import type { Field, SchemaNode } from '../../../src/core/schema/field.ts'
import { readSchema } from '../schemas.ts'

/** A node with the examples of its schema. */
interface Node extends SchemaNode {
  readonly examples?: readonly unknown[]
}

/**
 * A value that the schema allows: its example, else one that its form gives, other than the default where there is a choice.
 * Throws where the form gives none: the schema then needs `examples`.
 */
export function exampleOf(given: SchemaNode, root: SchemaNode): unknown {
  const node: Node = resolveNode(given, root)
  const { type, minimum, items, anyOf, properties, examples, default: usual } = node
  const types = [type].flat()
  if (examples?.[0] !== undefined) return examples[0]
  if (node.enum !== undefined) return node.enum.find(each => each !== usual && each !== null)
  if (anyOf?.[0] !== undefined) return exampleOf(anyOf[0], root)
  if (types.includes('boolean')) return usual !== true
  if (types.includes('integer') || types.includes('number')) return usual || minimum || 1
  if (types.includes('array') && items !== undefined) return [exampleOf(items, root)]
  if (properties !== undefined) {
    const required = (node as { readonly required?: readonly string[] }).required
    const names = required ?? Object.keys(properties).slice(0, 1)
    return Object.fromEntries(
      names.map(name => [name, exampleOf(properties[name] ?? {}, root)] as const)
    )
  }
  if (typeof node.additionalProperties === 'object')
    return { example: exampleOf(node.additionalProperties, root) }
  throw new Error(`no example: ${JSON.stringify(node)}`)
}

const wlan = readSchema('wlan.schema.json') as SchemaNode

/** A value for a declarable field of a WLAN; a secret as a reference. */
export function fieldExample({ path, field, node }: DocumentedField): unknown {
  return field.secret ? secretOf(path, field) : exampleOf(node, wlan)
}

function secretOf(path: string, { secret }: Field): unknown {
  const name = path.replaceAll(/\W+/g, '_').replace(/_$/, '').toUpperCase()
  return secret && { $env: `WLAN_SECRET_${name}` }
}

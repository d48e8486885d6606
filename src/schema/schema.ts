import wlanSchema from '../../schemas/wlan.schema.json' with { type: 'json' }
import type { Impact } from '../model/plan.ts'

/** How two values of a field are told equal; a field without one is equal as JSON is. */
export type Compare = 'set' | 'loose' | 'ignore-case' | 'comma-list' | 'whole'

/** Values from the least safe to the safest; those in a list are equally safe. */
export type Ranking = readonly (string | boolean | readonly (string | boolean)[])[]

/** The annotation `x-wlanctl`: what the planner needs and JSON Schema has no word for. */
export interface FieldAnnotation {
  readonly secret?: boolean
  readonly readOnly?: boolean
  readonly compare?: Compare
  readonly key?: string
  readonly impact?: Impact
  readonly impactWhen?: 'false' | 'removed'
  readonly unit?: string
  readonly safer?: Ranking
}

/** The keywords of JSON Schema that are read here; the validator knows the others. */
export interface SchemaNode {
  readonly $ref?: string
  readonly anyOf?: readonly SchemaNode[]
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly additionalProperties?: SchemaNode | boolean
  readonly items?: SchemaNode
  readonly title?: string
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly deprecated?: boolean
  readonly default?: unknown
  readonly 'x-wlanctl'?: FieldAnnotation
}

/** `schemas/wlan.schema.json`. */
export const root = wlanSchema as SchemaNode

/**
 * A node, what it refers to, and its alternatives. Of what they say of the field, the earlier goes
 * before the later.
 */
export function subschemasOf(node: SchemaNode): readonly SchemaNode[] {
  const referred = node.$ref === undefined ? [] : [nodeAt(node.$ref)]
  return [node, ...[...referred, ...(node.anyOf ?? [])].flatMap(subschemasOf)]
}

/** The node that a reference such as `#/$defs/vlan` means. */
function nodeAt(reference: string): SchemaNode {
  let node: object = root
  for (const step of reference.split('/').slice(1)) {
    const below: unknown = Object.getOwnPropertyDescriptor(node, step)?.value
    if (typeof below !== 'object' || below === null)
      throw new Error(`no ${reference} in the schema`)
    node = below
  }
  return node
}

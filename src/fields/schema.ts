import wlanSchema from '../../schemas/wlan.schema.json' with { type: 'json' }
import type { Impact } from '../model/plan.ts'
import type { Value } from '../model/value.ts'

/** How two values of a field are told equal; a field without one is equal as JSON is. */
export type Compare = 'set' | 'loose' | 'ignore-case' | 'comma-list' | 'whole'

/** Values from the least safe to the safest; those in a list are equally safe. */
export type Ranking = readonly (string | boolean | readonly (string | boolean)[])[]

/** The annotation `x-wlanctl`: what the planner needs and JSON Schema has no word for. */
export interface Annotation {
  readonly secret?: boolean
  readonly readOnly?: boolean
  readonly compare?: Compare
  readonly key?: string
  readonly impact?: Impact
  readonly impactWhen?: 'false' | 'removed'
  readonly unit?: string
  readonly safer?: Ranking
}

/** The keywords of JSON Schema that `wlan.schema.json` may use, those for people aside. */
export interface SchemaNode {
  readonly $ref?: string
  readonly anyOf?: readonly SchemaNode[]
  readonly type?: string | readonly string[]
  readonly enum?: readonly (string | null)[]
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly additionalProperties?: SchemaNode | boolean
  readonly required?: readonly string[]
  readonly items?: SchemaNode
  readonly title?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly deprecated?: boolean
  readonly default?: unknown
  readonly 'x-wlanctl'?: Annotation
}

/** `schemas/wlan.schema.json`. */
export const root = wlanSchema as SchemaNode

/**
 * A node, what it refers to, and its alternatives. Of what they say of the field, the earlier goes
 * before the later.
 */
export function partsOf(node: SchemaNode): readonly SchemaNode[] {
  const referred = node.$ref === undefined ? [] : [nodeAt(node.$ref)]
  return [node, ...[...referred, ...(node.anyOf ?? [])].flatMap(partsOf)]
}

/**
 * What a value has to be like: of one of these types of JSON, and so on. Of the alternatives of a
 * field no two are for the same type, so the type of a value tells which one it is held against.
 */
export interface Shape {
  readonly types: readonly string[]
  /** The values we know. */
  readonly values: readonly Value[] | undefined
  readonly minimum: number | undefined
  readonly maximum: number | undefined
  /** In characters. */
  readonly minLength: number | undefined
  readonly maxLength: number | undefined
  readonly pattern: RegExp | undefined
  /** What the pattern asks for, in words, e.g. `a UUID`. */
  readonly title: string | undefined
  readonly required: readonly string[]
  /** True for an object that has the members of the schema and no others. */
  readonly closed: boolean
}

/** The shapes that these parts of a node describe. */
export function shapesOf(parts: readonly SchemaNode[]): readonly Shape[] {
  return parts.flatMap(part => (part.type === undefined ? [] : shapeOf(part, part.type)))
}

function shapeOf(part: SchemaNode, type: string | readonly string[]): Shape {
  const { enum: values, minimum, maximum, minLength, maxLength, pattern, title } = part
  return {
    types: typeof type === 'string' ? [type] : type,
    values,
    minimum,
    maximum,
    minLength,
    maxLength,
    pattern: pattern === undefined ? undefined : new RegExp(pattern, 'u'),
    title,
    required: part.required ?? [],
    closed: part.additionalProperties === false
  }
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

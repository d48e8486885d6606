import { dangerKinds } from '../../src/core/model/danger.ts'
import { impacts } from '../../src/core/model/impact.ts'
import { conditionNames } from '../../src/core/schema/condition.ts'
import type {
  Compare,
  Direction,
  FieldAnnotation,
  ImpactRule
} from '../../src/core/schema/field.ts'

const levels = { enum: ['high', 'medium', 'notice'] }
const danger = { enum: dangerKinds }
const compares: readonly Compare[] = ['set', 'loose', 'ignore-case', 'comma-list', 'whole']
const directions: readonly Direction[] = [
  ...(['lowered', 'raised', 'true', 'false', 'emptied', 'set', 'shrunk', 'grown'] as const),
  ...(['changed', 'first-vlan', 'wide-subnet', 'top-level-domain'] as const),
  ...(['new-host', 'new-network'] as const)
]
const direction = { anyOf: [{ enum: directions }, { type: 'string', pattern: '^to .' }] }
/** The name of a condition, or the switch that has to be on. */
const condition = { anyOf: [{ enum: conditionNames }, { type: 'string', pattern: '^/' }] }
const flag = { const: true }
const value = { type: ['string', 'boolean'] }

const impactRule: Readonly<Record<keyof ImpactRule, object>> = {
  class: { enum: impacts },
  when: { anyOf: [direction, { type: 'array', minItems: 1, items: direction }] },
  inUse: condition,
  resetsRadio: flag,
  authenticationRisk: flag,
  danger
}

const annotation: Readonly<Record<keyof FieldAnnotation, object>> = {
  secret: flag,
  readOnly: flag,
  volatile: flag,
  compare: { enum: compares },
  key: { type: 'string' },
  impact: {
    type: 'array',
    items: {
      type: 'object',
      required: ['class'],
      additionalProperties: false,
      properties: impactRule
    }
  },
  inUse: condition,
  neededIf: condition,
  emptyIsValue: flag,
  nullRemoves: flag,
  older: { type: 'string' },
  otherNames: { type: 'array', minItems: 1, items: { type: 'string', pattern: '^[^A-Z]+$' } },
  synonyms: {
    type: 'object',
    minProperties: 1,
    additionalProperties: { type: 'string', format: 'regex' }
  },
  olderWords: {
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' } }
  },
  noLimit: { type: 'integer' },
  unit: { type: 'string' },
  safer: {
    type: 'array',
    minItems: 2,
    items: { anyOf: [value, { type: 'array', minItems: 2, items: value }] }
  },
  saferIf: condition,
  weakens: {
    type: 'object',
    minProperties: 1,
    propertyNames: direction,
    additionalProperties: levels
  },
  level: levels,
  danger,
  guard: flag,
  lenient: flag,
  variable: flag
}

/** What an annotation `x-wlanctl` may contain: a misspelled one would have no effect, and no error. */
export const annotationSchema = {
  type: 'object',
  additionalProperties: false,
  properties: { ...annotation, conditions: { type: 'object' } },
  dependencies: { saferIf: ['safer'], level: ['safer'] }
}

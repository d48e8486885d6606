import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Source } from '../../../../src/fleet/files/source.ts'
import {
  type RuleObject,
  type RuleValue,
  Unknown
} from '../../../../src/fleet/policy/rules/evaluation.ts'
import { Patterns } from '../../../../src/fleet/policy/rules/patterns.ts'
import { compileSchema, type Schema } from '../../../../src/fleet/policy/rules/schema.ts'
import { RunTime } from '../../../../src/fleet/usage.ts'
import type { MapNode, Node } from '../../../../src/fleet/yaml/tree.ts'
import { runs } from '../../../support/properties.ts'
import { tablesIn } from '../../../support/tables.ts'

type Data = null | boolean | number | string | readonly Data[] | { readonly [name: string]: Data }
type DataObject = { readonly [name: string]: Data }

const NAMES = ['a', 'b', 'c']
const leaf = fc.constantFrom<Data>(0, 1, 2.5, '', 'x', 'xy', '📶', true, null)
const name = fc.constantFrom(...NAMES)
const data = fc.letrec<{ value: Data }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true })
  )
})).value
const wlan = fc.dictionary(name, data, { maxKeys: 3, noNullPrototype: true })

const { schema } = fc.letrec<{ schema: DataObject }>(tie => {
  const count = fc.integer({ min: 0, max: 3 })
  const part: fc.Arbitrary<Data> = fc.oneof({ weight: 9, arbitrary: tie('schema') }, fc.boolean())
  const parts = fc.array(part, { minLength: 1, maxLength: 2 })
  const names = fc.uniqueArray(name, { maxLength: 2 })
  const keywords: Record<string, fc.Arbitrary<Data>> = {
    $ref: fc.constantFrom('#/$defs/d', '#/$defs/e'),
    type: fc.constantFrom<Data>('string', 'integer', 'number', 'null', ['array', 'object']),
    const: data,
    enum: fc.array(data, { minLength: 1, maxLength: 2 }),
    minimum: count,
    exclusiveMaximum: count,
    multipleOf: fc.constantFrom(1, 2),
    minLength: count,
    maxLength: count,
    pattern: fc.constantFrom('x', '^x$'),
    minItems: count,
    maxItems: count,
    prefixItems: parts,
    items: part,
    contains: part,
    minContains: count,
    maxContains: count,
    minProperties: count,
    maxProperties: count,
    required: names,
    properties: fc.dictionary(name, part),
    patternProperties: fc.dictionary(fc.constantFrom('a', '[bc]'), part),
    additionalProperties: part,
    propertyNames: part,
    dependentRequired: fc.dictionary(name, names),
    dependentSchemas: fc.dictionary(name, part),
    allOf: parts,
    anyOf: parts,
    oneOf: parts,
    not: part,
    if: part,
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    then: part,
    else: part
  }
  const some = fc
    .uniqueArray(fc.constantFrom(...Object.keys(keywords)), { minLength: 1, maxLength: 4 })
    .chain(chosen =>
      fc.record(Object.fromEntries(chosen.map(each => [each, keywords[each] ?? fc.boolean()])))
    )
  return {
    schema: fc.oneof({ depthSize: 'small', withCrossShrink: true }, fc.constant({}), some)
  }
})

const definitions = { d: { properties: { a: { minimum: 1 } } }, e: { minProperties: 2 } }
const rule = schema.map((root): DataObject => ({ ...root, $defs: definitions }))

function nodeOf(value: Data, source = new Source('a.yaml', 'a.yaml', '')): Node {
  const place = { source, offset: 0 }
  if (Array.isArray(value)) {
    return { kind: 'list', ...place, items: value.map(item => nodeOf(item, source)) }
  }
  if (typeof value !== 'object' || value === null) {
    return { kind: 'scalar', ...place, value: value as string | number | boolean | null }
  }
  const entries = Object.entries(value).map(
    ([key, item]) => [key, { offset: 0, numeric: false, value: nodeOf(item, source) }] as const
  )
  return { kind: 'map', ...place, entries: new Map(entries) }
}

const time = new RunTime()

function compiled(root: DataObject): Schema {
  const found: string[] = []
  const report = {
    invalid: (_: unknown, problem: string) => void found.push(problem),
    unknownField: () => undefined
  }
  const made = compileSchema(nodeOf(root) as MapNode, new Patterns(time), report)
  if (made === undefined) throw new Error(found.join())
  return made
}

/** Whether a value matches a schema; undefined if that depends on an unknown value. */
function judge(of: Schema, value: RuleObject): boolean | undefined {
  const wlan = { value, context: { $site: null, $live: null }, subject: { fields: {} } }
  const isBroken = of.errors(wlan, time).length > 0
  const isMet = of.matches(wlan, time)
  expect(isBroken && isMet).toBe(false)
  return isBroken ? false : isMet || undefined
}

/** A hundred schemas do not contain each keyword in each position. */
const RUNS = runs(150)

function ajvOf(root: DataObject) {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, ownProperties: true })
  // For `unevaluatedProperties`, which rules do not have; it makes functions that throw.
  ajv.opts.unevaluated = false
  return ajv.compile(root)
}

/** The object with some of its members, at any depth, unknown or perhaps absent. */
function hide(value: Data, choose: () => 'keep' | 'present' | 'absent'): RuleValue {
  if (Array.isArray(value)) return value.map((item: Data) => hide(item, choose))
  if (typeof value !== 'object' || value === null) return value as RuleValue
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const choice = choose()
      return [key, choice === 'keep' ? hide(inner, choose) : new Unknown(choice === 'present')]
    })
  )
}

/** Plain data with another value in place of each unknown one. */
function reveal(value: RuleValue, next: () => Data | undefined): Data {
  if (value instanceof Unknown) return next() ?? null
  if (Array.isArray(value)) return value.map(item => reveal(item, next))
  if (typeof value !== 'object' || value === null) return value as Data
  return Object.fromEntries(
    Object.entries(value as RuleObject).flatMap(([key, inner]) => {
      const other = inner instanceof Unknown ? next() : reveal(inner, next)
      if (other !== undefined) return [[key, other]]
      return inner instanceof Unknown && inner.isPresent ? [[key, null]] : []
    })
  )
}

describe('a rule', () => {
  it('has the result of JSON Schema for known values', () => {
    fc.assert(
      fc.property(rule, wlan, (root, value) => {
        expect(judge(compiled(root), value)).toBe(ajvOf(root)(value))
      }),
      RUNS
    )
  })

  it('has a result for unknown values only if all values lead to it', () => {
    const choices = fc.infiniteStream(fc.constantFrom('keep', 'keep', 'present', 'absent'))
    const values = fc.infiniteStream(fc.option(data, { nil: undefined }))
    fc.assert(
      fc.property(rule, wlan, choices, values, (root, value, chosen, others) => {
        const hidden = hide(value, () => chosen.next().value)
        const truth = judge(compiled(root), hidden as RuleObject)
        if (truth === undefined) return
        const validate = ajvOf(root)
        for (let trial = 0; trial < 5; trial += 1) {
          expect(validate(reveal(hidden, () => others.next().value))).toBe(truth)
        }
      }),
      RUNS
    )
  })

  it('reads only the members that it names, unless it may read all', () => {
    fc.assert(
      fc.property(rule, wlan, (root, value) => {
        const made = compiled(root)
        if (made.readsAll) return
        const kept = Object.entries(value).filter(([key]) => made.named.has(key))
        expect(judge(made, Object.fromEntries(kept))).toBe(judge(made, value))
      }),
      RUNS
    )
  })
})

interface Row {
  readonly schema: DataObject
  readonly value: DataObject
  readonly is?: boolean
}

const rows = tablesIn<Readonly<Record<string, Row>>>(import.meta.dirname, 'unknown.yaml')

/** The data with an unknown value in place of each `?` and `??`. */
function veiled(value: Data): RuleValue {
  if (value === '?' || value === '??') return new Unknown(value === '?')
  if (Array.isArray(value)) return value.map(veiled)
  if (typeof value !== 'object' || value === null) return value as RuleValue
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, veiled(inner)]))
}

it.each(Object.entries(rows))('an unknown value %s', (_what, { schema: root, value, is }) => {
  expect(judge(compiled(root), veiled(value) as RuleObject)).toBe(is)
})

import { Ajv } from 'ajv'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  conjunctsOf,
  namedIn,
  readsNamedOnly,
  readsUnknown
} from '../../../src/config/rules/reads.ts'
import type { ValueObject } from '../../../src/model/value.ts'

const NAMES = ['a', 'b', 'c']
const values = fc.constantFrom(0, 1, 'x', '{{v}}', null)

const { schema } = fc.letrec<{ schema: ValueObject }>(tie => {
  const name = fc.constantFrom(...NAMES)
  const part = fc.record(
    {
      properties: fc.dictionary(
        name,
        fc.oneof(
          tie('schema'),
          values.map(value => ({ const: value }))
        )
      ),
      required: fc.uniqueArray(name, { maxLength: 2 }),
      allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
      anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
      oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
      not: tie('schema'),
      additionalProperties: tie('schema'),
      minProperties: fc.integer({ min: 0, max: 2 })
    },
    { requiredKeys: [] }
  )
  return {
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constant({}),
      part
    ) as fc.Arbitrary<ValueObject>
  }
})

const wlan = fc.dictionary(fc.constantFrom(...NAMES), values)

const compiled = new WeakMap<ValueObject, (value: unknown) => unknown>()

/** Compiles a rule once for all values of an example, as compiling takes most of the time. */
function isValid(rule: ValueObject, value: unknown): unknown {
  const known = compiled.get(rule)
  const validate = known ?? new Ajv({ strict: false, validateSchema: false }).compile(rule)
  compiled.set(rule, validate)
  return validate(value)
}

describe('the values that a rule reads', () => {
  it('are the only values that change its result', () => {
    fc.assert(
      fc.property(schema, wlan, fc.constantFrom(...NAMES), values, (rule, value, name, other) => {
        if (readsUnknown(rule, { steps: [name], isPresent: true })) return
        if (!Object.hasOwn(value, name)) return
        expect(isValid(rule, { ...value, [name]: other })).toBe(isValid(rule, value))
      }),
      { numRuns: 300 }
    )
  })

  it('include the members whose absence changes its result', () => {
    fc.assert(
      fc.property(schema, wlan, fc.constantFrom(...NAMES), (rule, value, name) => {
        if (readsUnknown(rule, { steps: [name], isPresent: false })) return
        const { [name]: _, ...others } = value
        expect(isValid(rule, others)).toBe(isValid(rule, value))
      }),
      { numRuns: 300 }
    )
  })

  it('are the only members that change its result', () => {
    fc.assert(
      fc.property(schema, wlan, (rule, value) => {
        if (!readsNamedOnly(rule)) return
        const named = namedIn(rule)
        const kept = Object.entries(value).filter(([name]) => named.has(name))
        expect(isValid(rule, Object.fromEntries(kept))).toBe(isValid(rule, value))
      }),
      { numRuns: 300 }
    )
  })

  it('include the conditions that hold together with it', () => {
    fc.assert(
      fc.property(schema, wlan, (rule, value) => {
        expect(conjunctsOf(rule).every(part => isValid(part, value))).toBe(isValid(rule, value))
      }),
      { numRuns: 300 }
    )
  })

  it('follow references', () => {
    const rule = { $ref: '#/$defs/d', $defs: { d: { properties: { a: { const: 1 } } } } }
    expect([...namedIn(rule)]).toEqual(['a'])
    expect(readsUnknown(rule, { steps: ['a'], isPresent: true })).toBe(true)
    expect(readsUnknown(rule, { steps: ['b'], isPresent: true })).toBe(false)
    expect(conjunctsOf(rule)).toHaveLength(1)
  })
})

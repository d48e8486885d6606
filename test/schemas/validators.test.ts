import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { validateOutcomes, validatePlan, validateRecordLine, validateSnapshot } from '#forms'
import { validateWlan } from '#validators'
import outcomes from '../../schemas/outcomes.schema.json' with { type: 'json' }
import plan from '../../schemas/plan.schema.json' with { type: 'json' }
import record from '../../schemas/record.schema.json' with { type: 'json' }
import snapshot from '../../schemas/snapshot.schema.json' with { type: 'json' }
import wlan from '../../schemas/wlan.schema.json' with { type: 'json' }
import type { Validator } from '../../src/core/schema/validator.ts'

const forms = [plan, snapshot, outcomes, record]

/** The compiled validators with their schemas. */
const made: readonly (readonly [Validator, { readonly $id: string }, readonly object[]])[] = [
  [validateWlan, wlan, [wlan]],
  [validatePlan, plan, forms],
  [validateSnapshot, snapshot, forms],
  [validateOutcomes, outcomes, forms],
  [validateRecordLine, record, forms]
]

/** Valid and invalid values, with the words of a schema as names and strings. */
function valuesOf(schema: object): fc.Arbitrary<unknown> {
  const text = JSON.stringify(schema)
  const words = [...new Set(text.match(/(?<=")[a-z][a-z0-9_-]*(?=")/g))]
  const word = fc.constantFrom(...words)
  const { value } = fc.letrec(tie => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, false, 0, 1, 4095, -1, 1.5, '', '1', '10.0.0.1', '{{x}}'),
      word,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(word, tie('value'), { maxKeys: 6 })
    )
  }))
  return fc.oneof({ weight: 9, arbitrary: fc.dictionary(word, value, { maxKeys: 12 }) }, value)
}

const named = made.map(([validate, schema, all]) => ({ name: schema.$id, validate, schema, all }))

test.each(named)('$name: the compiled validator agrees with ajv', ({ validate, schema, all }) => {
  const ajv = new Ajv2020({ strict: false, allErrors: schema === wlan, ownProperties: true })
  const own = ajv.addSchema([...all]).getSchema(schema.$id)
  const errorsOf = ({ errors }: Pick<Validator, 'errors'>) =>
    errors
      ?.map(({ instancePath, keyword, params }) =>
        // The error of a file has no details.
        JSON.stringify([instancePath, keyword, ...(schema === wlan ? [params] : [])])
      )
      .sort() ?? null
  fc.assert(
    fc.property(valuesOf(schema), value => {
      const isValid = own?.(value)
      expect(validate(value)).toBe(isValid)
      if (schema !== record) expect(errorsOf(validate)).toEqual(errorsOf(own as Validator))
    })
  )
})

import { expect, it } from 'vitest'
import { keywords } from '../../../../src/fleet/policy/rules/schema.ts'
import { readSchema } from '../../../schemas/schemas.ts'

it('editors offer the keywords of rules, and no other', () => {
  const offered: object = readSchema('fleet.schema.json')['$defs'].ruleKeywords.properties
  expect(Object.keys(offered).sort()).toEqual([...keywords.keys()].sort())
})

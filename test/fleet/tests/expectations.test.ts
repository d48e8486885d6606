import { expect, it } from 'vitest'
import { runTests } from '../../../src/fleet/tests/expectations.ts'
import { HQ_ALONE, load } from '../fleet.ts'

const files = { 'hq.yaml': HQ_ALONE, 'tests.yaml': 'tests: [{ name: one, total: 0 }]\n' }

it.each([
  ['passes', 60, [[]]],
  ['is refused in one line when its time is over', 0, 'longer than 0 seconds']
])('a test %s', async (_, testSeconds, expected) => {
  const run = async () => {
    const { desired, tests } = await load(files, { readsTests: true, testSeconds })
    if (desired === undefined || tests === undefined) throw new Error('the fleet is invalid')
    return (await runTests(tests, desired)).map(({ findings }) => findings)
  }
  if (typeof expected === 'string') await expect(run()).rejects.toThrow(expected)
  else expect(await run()).toEqual(expected)
})

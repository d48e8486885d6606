import { expect, it } from 'vitest'
import { runTests } from '../../../src/fleet/tests/expectations.ts'
import { RunTime } from '../../../src/fleet/usage.ts'
import { HQ_ALONE, load } from '../fleet.ts'

const files = { 'hq.yaml': HQ_ALONE, 'tests.yaml': 'tests: [{ name: one, total: 0 }]\n' }

it('the tests of a fleet are refused in one line when their time is over', async () => {
  const { desired, tests } = await load(files, { readsTests: true })
  if (desired === undefined || tests === undefined) throw new Error('the fleet is invalid')
  expect(await runTests(tests, desired)).toMatchObject([{ findings: [] }])
  const late = { ...tests, time: new RunTime({ seconds: -1 }) }
  await expect(runTests(late, desired)).rejects.toThrow('takes more than')
})

import { expect, it } from 'vitest'
import { CORP, HQ } from '../support/ids.ts'
import { stage } from '../support/stage.ts'

/** More than a call takes as arguments. Snapshots have at most 5,000 members in an object. */
const [OBJECTS, MEMBERS] = [28, 5_000]

function many(value: number): Record<string, Record<string, number>> {
  const numbers = (length: number) => Array.from({ length }, (_, nth) => nth)
  const inner = Object.fromEntries(numbers(MEMBERS).map(nth => [`m${nth}`, value]))
  return Object.fromEntries(numbers(OBJECTS).map(nth => [`o${nth}`, inner]))
}

it('140,000 values that changed since a snapshot are listed by drift --since', {
  timeout: 120_000
}, async () => {
  const { run, simulator } = await stage()
  simulator.edit(HQ, CORP, { odd: many(1) })
  await run('snapshot fleet --out before.json')
  simulator.edit(HQ, CORP, { odd: many(2) })
  const { code, stdout, stderr } = await run('drift fleet --since before.json --format json')
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.not.stringContaining('bug') })
  expect(stdout.split('"code": "UNDECLARED_CHANGED"')).toHaveLength(1 + OBJECTS * MEMBERS)
})

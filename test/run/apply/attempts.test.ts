import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FailRule, FaultKind } from '../../../src/simulator/faults.ts'
import { GUEST } from '../../simulator/simulate.ts'
import { hq, only, sent, setStage } from './support.ts'

const toGuest = { guest: { vlan_id: 40 } }

/** Applies one change to a service with these faults; returns the number of updates, and the outcome. */
async function applied(fail: readonly FailRule[], retryAfter: number, maxAttempts: number) {
  const retries = { maxAttempts }
  const stage = await setStage({ switches: { fail, retryAfter } }, { retries, timeout: 1 })
  const changes = await stage.plan(hq(toGuest))
  const outcome = only(await stage.apply(changes, { maxAttempts }))
  return { outcome, updates: sent(stage.simulator).length, simulator: stage.simulator }
}

const updates = (kind: FaultKind, times: number | 'always' = 'always'): FailRule => ({
  method: 'PUT',
  kind,
  times
})

describe('the updates of one change are limited by --max-attempts', () => {
  it.each([
    [0, 6],
    [1, 6],
    [4, 6],
    [6, 6],
    [30, 6],
    [60, 6],
    [1, 1],
    [30, 1]
  ])('for any Retry-After of a 429 (%i s, %i attempts)', async (retryAfter, most) => {
    const { outcome, updates: made } = await applied([updates('429')], retryAfter, most)
    expect(made).toBe(most)
    expect(outcome).toMatchObject({ status: 'failed', reason: expect.stringContaining('429') })
  })

  it('for any sequence of responses, with reads that fail', async () => {
    const kinds = fc.constantFrom<FaultKind>('429', '500', '502', '503', '504', 'reset', 'html')
    const runs = fc.asyncProperty(
      fc.array(kinds, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 0, max: 6 }),
      fc.constantFrom(0, 1, 4, 30),
      fc.integer({ min: 1, max: 6 }),
      async (answers, unread, retryAfter, most) => {
        // A rule counts the calls that the previous rules pass on.
        const inTurn = answers.map(kind => updates(kind, 1))
        const reads: FailRule = { method: 'GET', path: GUEST, kind: '503', times: unread }
        const fail = [...inTurn, reads]
        const { updates: made, outcome, simulator } = await applied(fail, retryAfter, most)
        expect(made).toBeLessThanOrEqual(most)
        expect(simulator.history.length).toBeLessThanOrEqual(1)
        expect(outcome.status).toMatch(/^(?:applied|failed|unknown)$/)
        if (outcome.status === 'failed') expect(simulator.history).toEqual([])
      }
    )
    await fc.assert(runs, { numRuns: 25, interruptAfterTimeLimit: 20_000 })
  }, 60_000)
})

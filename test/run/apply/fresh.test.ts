import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ApplyOptions } from '../../../src/run/apply/apply.ts'
import type { Recorder } from '../../../src/run/record/recorder.ts'
import type { FailRule, FaultKind } from '../../../src/simulator/faults.ts'
import type { JsonObject } from '../../../src/simulator/json.ts'
import type { Simulator } from '../../../src/simulator/server.ts'
import type { Switches } from '../../../src/simulator/switches.ts'
import { GUEST, HQ } from '../../simulator/simulate.ts'
import { type ManualClock, manualClock } from '../../support/clock.ts'
import type { Arrival } from '../../support/server.ts'
import {
  asked,
  hq,
  LONG,
  noRecorder,
  only,
  type Stage,
  sent,
  setStage,
  statuses
} from './support.ts'

const both = hq({ corp: { vlan_id: 21 }, guest: { vlan_id: 40 } })

/** For each update, the milliseconds since the last successful read of its WLAN, alone or in a list. */
function agesOfReads({ requests }: Simulator): number[] {
  return requests.flatMap((put, place) => {
    if (put.method !== 'PUT') return []
    const read = requests
      .slice(0, place)
      .findLast(
        ({ method, path, status }) =>
          method === 'GET' && status === 200 && put.path.startsWith(path.replace(/\?.*/, ''))
      )
    return [put.at - (read?.at ?? Number.NEGATIVE_INFINITY)]
  })
}

/** A recorder whose steps take this long. */
function slowRecorder(clock: ManualClock, milliseconds: number): Recorder {
  const take = async () => clock.advance(milliseconds)
  return { ...noRecorder, starting: take }
}

describe('an update follows a read that is at most a second old', () => {
  const direct = ['PUT', 'GET']
  const again = ['GET', 'PUT', 'GET']

  it.each<[string, number, (clock: ManualClock) => Partial<ApplyOptions>, string[][]]>([
    ['without a delay', 0, () => ({}), [direct, direct]],
    ['with a list of a second ago', 1_000, () => ({}), [direct, direct]],
    ['with an older list', LONG, () => ({}), [again, again]],
    ['with a slow record', 0, clock => ({ recorder: slowRecorder(clock, LONG) }), [again, again]],
    [
      'with an older list and a slow record',
      LONG,
      clock => ({ recorder: slowRecorder(clock, LONG) }),
      [again, again]
    ]
  ])('%s, with at most one more request', async (_, age, options, expected) => {
    const { simulator, clock, plan, apply } = await setStage()
    const changes = await plan(both)
    clock.advance(age)
    const outcomes = await apply(changes, { ...options(clock), maxAttempts: 6 })
    expect(statuses(outcomes)).toBe('applied applied')
    expect(asked(simulator, 1).map(each => each.slice(0, 3))).toEqual(expected.flat())
    expect(Math.max(...agesOfReads(simulator))).toBeLessThanOrEqual(1_000)
  })

  it.each<[string, (clock: ManualClock) => Partial<ApplyOptions>]>([
    ['a check', clock => ({ check: async () => void (await clock.sleep(LONG)) })],
    ['a pause', clock => ({ pause: async () => void (await clock.sleep(LONG)) })]
  ])('in the wave after %s', async (_, options) => {
    const { simulator, clock, plan, applyWaves } = await setStage()
    const [first, second] = await plan(both)
    const waves = [first, second].map((change, n) => ({
      name: `wave ${n}`,
      sites: [],
      changes: change === undefined ? [] : [change]
    }))
    const { outcomes } = await applyWaves(waves, options(clock))
    expect(statuses(outcomes)).toBe('applied applied')
    expect(asked(simulator).join()).toContain('GET guest,PUT guest,GET guest')
    expect(Math.max(...agesOfReads(simulator))).toBeLessThanOrEqual(1_000)
  })

  it('for any faults and delays', async () => {
    const kinds = fc.constantFrom<FaultKind>('429', '503', '504', '504-landed', 'reset', 'html')
    const delay = fc.constantFrom(0, 400, LONG)
    const runs = fc.asyncProperty(
      fc.array(kinds, { maxLength: 8 }),
      fc.record({ list: delay, record: delay, lag: fc.constantFrom(0, 800, 3_000) }),
      async (answers, delays) => {
        const retries = { maxAttempts: 4 }
        const { simulator, clock, plan, apply } = await setStage({}, { retries })
        const changes = await plan(both)
        clock.advance(delays.list)
        const fail = answers.map(kind => ({ method: 'PUT', kind, times: 1 }) as const)
        simulator.set({ fail, retryAfter: 2, staleFor: delays.lag })
        await apply(changes, {
          recorder: slowRecorder(clock, delays.record),
          maxAttempts: 4
        })
        expect(Math.max(...agesOfReads(simulator))).toBeLessThanOrEqual(1_000)
      }
    )
    await fc.assert(runs, { numRuns: 25, interruptAfterTimeLimit: 20_000 })
  }, 60_000)
})

describe('the age of a read counts from its request', () => {
  const auth = { type: 'psk', psk: 'rotated-by-hand' }
  const kinds: readonly FaultKind[] = ['429', '503', '504', 'reset', 'html', '504-landed']
  const onTurn = (kind: FaultKind): FailRule => ({ method: 'PUT', kind, times: 1 })
  // The declared member makes the whole of `auth` travel, with its undeclared key.
  const declared = hq({ guest: { auth: { pairwise: ['wpa3'] } } })

  /** The stage whose `slow` reads are answered a second late, after somebody rotates the key of the first one. */
  async function slowStage(
    slow: (arrival: Arrival, reads: number) => boolean,
    switches: Partial<Switches> = {}
  ) {
    const clock = manualClock()
    let edited = false
    let reads = 0
    const beforeAnswer = (arrival: Arrival) => {
      if (arrival.method !== 'GET' || !slow(arrival, ++reads)) return
      if (!edited) made.simulator.edit(HQ, GUEST, { auth })
      edited = true
      clock.advance(LONG)
    }
    const retries = { maxAttempts: 6 }
    const made: Stage = await setStage({ switches }, { clock, beforeAnswer, retries })
    return { ...made, isEdited: () => edited }
  }

  it.each<[string, Parameters<typeof slowStage>[0], Partial<Switches>]>([
    ['a list', (_, nth) => nth === 1, {}],
    ['the first of two pages', (_, nth) => nth === 1, { pageSize: 1 }],
    ['the second of two pages', (_, nth) => nth === 2, { pageSize: 1 }],
    ...kinds.flatMap((kind): [string, Parameters<typeof slowStage>[0], Partial<Switches>][] => [
      [`the read after a PUT with ${kind}`, (_, nth) => nth === 2, { fail: [onTurn(kind)] }],
      [`a later read after a PUT with ${kind}`, (_, nth) => nth > 2, { fail: [onTurn(kind)] }]
    ])
  ])('so no update carries an old value after %s', async (_, slow, switches) => {
    const { simulator, plan, apply, isEdited } = await slowStage(slow, switches)
    await apply(await plan(declared), { maxAttempts: 6 })
    const { psk } = simulator.record(HQ, GUEST)['auth'] as JsonObject
    expect(psk).toBe(isEdited() ? auth.psk : 'test-psk-123')
  })

  it('and a service whose every read is slow gets no update', async () => {
    const { simulator, plan, apply } = await slowStage(() => true)
    const outcome = only(
      await apply(await plan(hq({ guest: { vlan_id: 40 } })), { maxAttempts: 6 })
    )
    expect(outcome).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/^not sent: more than a second .*; run again later/)
    })
    expect(asked(simulator)).toEqual(['GET wlans', ...Array(6).fill('GET guest')])
  })

  it('and an update with an unknown result is not sent again', async () => {
    const { simulator, plan, apply } = await slowStage((_, nth) => nth > 1, {
      fail: [onTurn('504')]
    })
    const outcome = only(
      await apply(await plan(hq({ guest: { vlan_id: 40 } })), { maxAttempts: 6 })
    )
    expect(outcome).toMatchObject({
      status: 'unknown',
      reason: expect.stringMatching(/504.*; the read-back shows the old values; not sent again: /)
    })
    expect(sent(simulator)).toHaveLength(1)
  })
})

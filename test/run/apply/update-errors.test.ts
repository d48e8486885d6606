import { describe, expect, it } from 'vitest'
import type { FailRule, FaultKind } from '../../../src/simulator/faults.ts'
import type { JsonObject } from '../../../src/simulator/json.ts'
import type { Simulator } from '../../../src/simulator/server.ts'
import { GUEST, HQ } from '../../simulator/simulate.ts'
import { asked, hq, manualClock, only, sent, setStage } from './support.ts'

const toGuest = { guest: { vlan_id: 40 } }

/** Faults of the only update, and of the reads after it. */
function failing(update: FaultKind | number, ...reads: readonly FailRule[]): FailRule[] {
  const rule = { method: 'PUT', times: 'always' } as const
  if (typeof update !== 'number') return [{ ...rule, kind: update }, ...reads]
  return [{ ...rule, answer: { status: update, body: '{"detail":"no"}' } }, ...reads]
}

/** All reads of the WLAN fail, except in the list. */
const noReads: FailRule = { method: 'GET', path: GUEST, kind: '503', times: 'always' }

describe('a rejected update', () => {
  it.each([400, 403, 404, 409])('fails, and no other one (%i)', async status => {
    const { simulator, plan, apply } = await setStage({
      switches: { fail: [{ method: 'PUT', path: GUEST, answer: { status } }] }
    })
    const changes = await plan(hq({ corp: { vlan_id: 21 }, ...toGuest }))
    expect(await apply(changes)).toMatchObject([
      { address: 'hq/corp', status: 'applied' },
      { address: 'hq/guest', status: 'failed', reason: expect.stringContaining(String(status)) }
    ])
    expect(asked(simulator, 1)).toEqual(['PUT corp', 'GET corp', 'PUT guest'])
  })

  it('contains the message of the service', async () => {
    const { plan, apply } = await setStage()
    const outcome = only(await apply(await plan(hq({ guest: { ssid: '\u0007' } }))))
    expect(outcome).toMatchObject({ status: 'failed', reason: expect.stringContaining('ssid') })
  })
})

it('a rejected update has the hint of its status', async () => {
  const fail = [{ method: 'PUT', answer: { status: 409 } }]
  const { plan, apply } = await setStage({ switches: { fail } })
  expect(only(await apply(await plan(hq(toGuest)))).reason).toContain('plan again')
})

/** What an update without a usable response did, and what a run says that verifies it. */
const fates: readonly [FaultKind, landed: boolean, status: string][] = [
  ['500', false, 'failed'],
  ['502', false, 'unknown'],
  ['503', false, 'failed'],
  ['504', false, 'unknown'],
  ['504-landed', true, 'applied'],
  ['reset', false, 'unknown'],
  ['reset-landed', true, 'applied'],
  ['timeout', false, 'unknown'],
  ['timeout-landed', true, 'applied'],
  ['cut', true, 'applied'],
  ['html', false, 'unknown']
]

describe('an update without a usable response', () => {
  it.each(fates)('is verified (%s): landed %s, %s', async (kind, landed, status) => {
    const { simulator, plan, apply } = await setStage(
      { switches: { fail: failing(kind) } },
      { timeout: 1 }
    )
    const outcome = only(await apply(await plan(hq(toGuest))))
    expect(outcome.status).toBe(status)
    expect(simulator.history).toHaveLength(landed ? 1 : 0)
    expect(asked(simulator, 1)).toEqual(['PUT guest', 'GET guest'])
  })

  it.each(fates)('is unknown if it cannot be verified (%s)', async kind => {
    const fail = failing(kind, noReads)
    const { simulator, plan, apply } = await setStage({ switches: { fail } }, { timeout: 1 })
    expect(only(await apply(await plan(hq(toGuest)))).status).toBe('unknown')
    expect(sent(simulator)).toHaveLength(1)
  })

  it('is read again if the first read failed', async () => {
    const fail = failing('504-landed', { ...noReads, times: 1 })
    const { simulator, plan, apply } = await setStage({ switches: { fail } })
    expect(only(await apply(await plan(hq(toGuest)))).status).toBe('applied')
    expect(asked(simulator, 1)).toEqual(['PUT guest', 'GET guest', 'GET guest'])
  })

  it('fails without a read if the service did not process it (429)', async () => {
    const { simulator, plan, apply } = await setStage({
      switches: { fail: failing('429', noReads) }
    })
    expect(only(await apply(await plan(hq(toGuest)))).status).toBe('failed')
    expect(asked(simulator, 1)).toEqual(['PUT guest'])
  })

  it('is unknown if reads may be stale', async () => {
    const fail = failing('504-landed')
    const { simulator, plan, apply } = await setStage({ switches: { fail, staleFor: 60_000 } })
    expect(only(await apply(await plan(hq(toGuest)))).status).toBe('unknown')
    expect(simulator.record(HQ, GUEST)['vlan_id']).toBe(40)
  })

  it('is diverged if only a part arrived, and names the other part', async () => {
    const answer = { status: 500, landed: true }
    const fail = [{ method: 'PUT', answer }]
    const { simulator, plan, apply } = await setStage({
      switches: { fail, dropFields: ['/vlan_id'] }
    })
    const changes = await plan(hq({ guest: { vlan_id: 40, hide_ssid: true } }))
    expect(only(await apply(changes, { maxAttempts: 3 }))).toMatchObject({
      status: 'diverged',
      reason: expect.stringContaining('500'),
      fields: [{ pointer: '/vlan_id', wanted: 40 }]
    })
    expect(simulator.history).toHaveLength(1)
  })

  it('is unknown if a part arrived, and the rest was edited', async () => {
    const answer = { status: 500, landed: true }
    const switches = { fail: [{ method: 'PUT', answer }], editBetween: { vlan_id: 77 } }
    const { plan, apply } = await setStage({ switches })
    const changes = await plan(hq({ guest: { vlan_id: 40, hide_ssid: true } }))
    expect(only(await apply(changes, { maxAttempts: 3 }))).toMatchObject({
      status: 'unknown',
      fields: [{ pointer: '/vlan_id', wanted: 40, found: 77 }]
    })
  })

  it('fails if there was no connection', async () => {
    const { simulator, plan, apply } = await setStage()
    const changes = await plan(hq(toGuest))
    await simulator.close()
    const outcome = only(await apply(changes, { verifyTimeout: 0 }))
    expect(outcome.status).toBe('failed')
    expect(outcome).not.toHaveProperty('fields')
    expect(simulator.history).toEqual([])
  })
})

describe('with more than one attempt', () => {
  it.each(fates)(
    'an update is read, and repeated only if it did not arrive (%s)',
    async (kind, landed) => {
      const fail = [{ method: 'PUT', kind, times: 2 } as const]
      const { simulator, plan, apply } = await setStage({ switches: { fail } }, { timeout: 1 })
      const outcome = only(await apply(await plan(hq(toGuest)), { maxAttempts: 3 }))
      expect(outcome.status).toBe('applied')
      const [first, ...others] = sent(simulator)
      expect(others).toEqual(landed ? [] : [first, first])
      expect(simulator.history).toHaveLength(1)
      expect(asked(simulator, 1).slice(0, 2)).toEqual(['PUT guest', 'GET guest'])
    }
  )

  it('an update that may have arrived is read repeatedly, as reads may be stale', async () => {
    const fail = [{ method: 'PUT', kind: '504-landed' } as const]
    const { simulator, clock, plan, apply } = await setStage({
      switches: { fail, staleFor: 1_500 }
    })
    const outcome = only(await apply(await plan(hq(toGuest)), { maxAttempts: 3 }))
    expect(outcome.status).toBe('applied')
    expect(sent(simulator)).toHaveLength(1)
    expect(clock.pauses).toEqual([125, 250, 500, 1000])
  })

  it('an update fails after the last attempt, and nothing is claimed', async () => {
    const { simulator, clock, plan, apply } = await setStage({ switches: { fail: failing('503') } })
    const outcome = only(await apply(await plan(hq(toGuest)), { maxAttempts: 4 }))
    expect(outcome).toMatchObject({ status: 'failed', reason: expect.stringContaining('503') })
    expect(sent(simulator)).toHaveLength(4)
    expect(clock.pauses).toEqual([125, 250, 500])
  })

  it('an update does not overwrite a concurrent edit', async () => {
    const { simulator, clock, plan, apply } = await setStage({ switches: { fail: failing('503') } })
    const changes = await plan(hq(toGuest))
    const sleep = (milliseconds: number) => {
      simulator.edit(HQ, GUEST, { vlan_id: 77 })
      return clock.sleep(milliseconds)
    }
    const edited = { ...clock, now: clock.now, sleep }
    const outcome = only(await apply(changes, { maxAttempts: 3, clock: edited }))
    expect(outcome).toMatchObject({ status: 'unknown', fields: [{ found: 77 }] })
    expect(sent(simulator)).toHaveLength(1)
  })

  it('an update that may still arrive is not reported as failed', async () => {
    const fail = [
      { method: 'PUT', kind: 'timeout', times: 1 } as const,
      { method: 'PUT', kind: '503', times: 'always' } as const
    ]
    const { plan, apply } = await setStage({ switches: { fail } }, { timeout: 1 })
    const outcome = only(await apply(await plan(hq(toGuest)), { maxAttempts: 3 }))
    expect(outcome.status).toBe('unknown')
  })
})

describe('an accepted update that cannot be verified', () => {
  it('is unknown after the verify timeout', async () => {
    const { simulator, clock, plan, apply } = await setStage({ switches: { fail: [noReads] } })
    expect(only(await apply(await plan(hq(toGuest))))).toMatchObject({
      status: 'unknown',
      reason: expect.stringContaining('503')
    })
    expect(clock.pauses.length).toBeGreaterThan(5)
    expect(simulator.history).toHaveLength(1)
  })

  it('is read again if the timeout ended with the first failed read', async () => {
    const reads = { method: 'GET', path: GUEST } as const
    const fail = [{ ...reads, kind: '503', skip: 1, times: 1 } as const]
    const { simulator, plan, apply } = await setStage({ switches: { fail, staleFor: 400 } })
    const outcome = only(await apply(await plan(hq(toGuest)), { verifyTimeout: 200 }))
    expect(outcome.status).toBe('applied')
    expect(asked(simulator, 1)).toEqual(['PUT guest', 'GET guest', 'GET guest', 'GET guest'])
  })

  it.each([401, 403, 404])('is unknown at once if the read is rejected (%i)', async status => {
    const fail = [{ method: 'GET', path: GUEST, answer: { status }, times: 'always' } as const]
    const { clock, plan, apply } = await setStage({ switches: { fail } })
    expect(only(await apply(await plan(hq(toGuest)))).status).toBe('unknown')
    expect(clock.pauses).toEqual([])
  })
})

describe('an update that a rate limit delays', () => {
  /** Another user edits the WLAN while the client waits. */
  async function waiting(edit: JsonObject, retryAfter: number) {
    const made: { simulator?: Simulator } = {}
    const clock = manualClock()
    const { sleep } = clock
    clock.sleep = milliseconds => {
      if (milliseconds >= 1_000 * retryAfter) made.simulator?.edit(HQ, GUEST, edit)
      return sleep(milliseconds)
    }
    const retries = { maxAttempts: 3 }
    const fail = [{ method: 'PUT', kind: '429' } as const]
    const stage = await setStage({ switches: { fail, retryAfter } }, { retries, clock })
    made.simulator = stage.simulator
    const changes = await stage.plan(hq({ guest: { portal: { expire: 60 } } }))
    return { ...stage, outcomes: await stage.apply(changes, { maxAttempts: 3 }) }
  }

  it.each([2, 30])('is built again: edits of other members stay (%i s)', async retryAfter => {
    const portal = { enabled: true, password: 'sesame', expire: 480 }
    const { simulator, outcomes } = await waiting({ portal }, retryAfter)
    expect(only(outcomes)).toEqual({ address: 'hq/guest', status: 'applied' })
    expect(simulator.record(HQ, GUEST)).toMatchObject({ portal: { ...portal, expire: 60 } })
    expect(asked(simulator, 1)).toEqual(['PUT guest', 'GET guest', 'PUT guest', 'GET guest'])
  })

  it('is stale if the field itself was edited', async () => {
    const { simulator, outcomes } = await waiting({ portal: { enabled: true, expire: 90 } }, 30)
    expect(only(outcomes)).toMatchObject({ status: 'stale', fields: [{ found: 90 }] })
    expect(simulator.history).toEqual([])
  })
})

it('an accepted update is unknown at once if the rate limit ends the run', async () => {
  const retries = { maxAttempts: 3 }
  const fail = [{ method: 'GET', path: GUEST, kind: '429' } as const]
  const { clock, plan, apply } = await setStage(
    { switches: { fail, retryAfter: 798 } },
    { retries }
  )
  expect(only(await apply(await plan(hq(toGuest))))).toMatchObject({
    status: 'unknown',
    reason: expect.stringContaining('rate limit')
  })
  expect(clock.pauses).toEqual([])
})

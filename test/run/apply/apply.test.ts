import { describe, expect, it } from 'vitest'
import { type Outcome, tally } from '../../../src/core/model/outcome.ts'
import { CORP } from '../../simulator/simulate.ts'
import { desiredSite } from '../../support/desired.ts'
import { asked, hq, LONG, sent, setStage, statuses } from './support.ts'

/** This many sites and WLANs on VLAN 1, and their declarations on VLAN 2. */
function fleet(sites: number, wlans: number) {
  const numbers = (n: number) => Array.from({ length: n }, (_, at) => at)
  const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
  const simulated = numbers(sites).map(site => ({
    id: id(site),
    name: `site-${site}`,
    wlans: numbers(wlans).map(wlan => ({
      id: id(1000 * (site + 1) + wlan),
      ssid: `net-${wlan}`,
      vlan_id: 1
    }))
  }))
  const declared = simulated.map(site =>
    desiredSite(
      site,
      Object.fromEntries(site.wlans.map(({ id, ssid }) => [ssid, { id, ssid, vlan_id: 2 }]))
    )
  )
  return { simulated, declared }
}

const both = hq({ corp: { vlan_id: 21 }, guest: { vlan_id: 40 } })

it('sends nothing without changes', async () => {
  const { simulator, plan, apply } = await setStage()
  expect(await apply(await plan(hq({ corp: { vlan_id: 20 } })))).toEqual([])
  expect(asked(simulator)).toEqual(['GET wlans'])
})

it('applies sites concurrently and the WLANs of a site in order', async () => {
  const { simulated, declared } = fleet(4, 3)
  const { simulator, plan, apply } = await setStage({
    sites: simulated,
    switches: { latency: 5 }
  })
  const changes = await plan(...declared)
  const outcomes = await apply(changes.toReversed())
  expect(outcomes.map(({ address }) => address)).toEqual(
    changes.map(({ address }) => address).sort()
  )
  expect(tally(outcomes).applied).toBe(12)
  const updates = simulator.requests.filter(({ method }) => method === 'PUT')
  const [first = '', second = ''] = updates.map(({ path }) => path.slice(0, 50))
  expect(first).not.toBe(second)
  for (const { id, wlans } of simulated) {
    const ofSite = updates.filter(({ path }) => path.includes(`/sites/${id}/`))
    expect(ofSite.map(({ path }) => path.slice(-36))).toEqual(wlans.map(wlan => wlan.id).reverse())
  }
})

it('reports each outcome as soon as it is known', async () => {
  const { plan, apply } = await setStage()
  const reported: Outcome[] = []
  const outcomes = await apply(await plan(both), { onOutcome: outcome => reported.push(outcome) })
  expect(reported).toEqual(outcomes)
})

describe('a rejected token', () => {
  const places = [
    ['PUT', CORP, 'failed'],
    ['GET', CORP, 'unknown']
  ] as const
  it.each(places)('ends the run (%s)', async (method, path, status) => {
    const fail = [{ method, path, answer: { status: 401 }, times: 'always' } as const]
    const { simulator, plan, apply } = await setStage({ switches: { fail } })
    const outcomes = await apply(await plan(both))
    expect(outcomes).toMatchObject([
      { address: 'hq/corp', status },
      { address: 'hq/guest', status: 'skipped', reason: expect.stringContaining('token') }
    ])
    expect(asked(simulator, 1)).toEqual(method === 'PUT' ? ['PUT corp'] : ['PUT corp', 'GET corp'])
  })

  it('ends the run before the first update', async () => {
    const fail = [{ answer: { status: 401 }, skip: 1, times: 'always' } as const]
    const { simulator, clock, plan, apply } = await setStage({ switches: { fail } })
    const changes = await plan(both)
    clock.advance(LONG)
    expect(statuses(await apply(changes))).toBe('failed skipped')
    expect(sent(simulator)).toEqual([])
  })

  it('ends the run on every site', async () => {
    const { simulated, declared } = fleet(6, 5)
    const fail = [{ method: 'PUT', answer: { status: 401 }, skip: 4, times: 'always' } as const]
    const { simulator, plan, apply } = await setStage({ sites: simulated, switches: { fail } })
    const counts = tally(await apply(await plan(...declared), { parallelism: 2 }))
    expect(counts.applied).toBe(simulator.history.length)
    expect(counts.failed).toBeLessThanOrEqual(2)
    expect(counts.applied + counts.failed + counts.skipped).toBe(30)
  })
})

describe('an interrupt', () => {
  it('before the first change skips all changes', async () => {
    const { simulator, plan, apply } = await setStage()
    const outcomes = await apply(await plan(both), { interrupted: AbortSignal.abort() })
    expect(outcomes).toMatchObject([
      { status: 'skipped', reason: 'interrupted' },
      { status: 'skipped', reason: 'interrupted' }
    ])
    expect(asked(simulator)).toEqual(['GET wlans'])
  })

  it('lets an active change finish, verification included', async () => {
    const { simulated, declared } = fleet(3, 10)
    const { simulator, plan, apply } = await setStage({ sites: simulated })
    const stop = new AbortController()
    let left = 7
    const outcomes = await apply(await plan(...declared), {
      interrupted: stop.signal,
      onOutcome: () => {
        left -= 1
        if (left === 0) stop.abort()
      }
    })
    const counts = tally(outcomes)
    expect(counts.applied).toBeGreaterThanOrEqual(7)
    expect(counts.applied).toBeLessThanOrEqual(9)
    expect(counts.applied + counts.skipped).toBe(30)
    expect(simulator.history).toHaveLength(counts.applied)
  })

  it('that aborts an update reports its outcome as unknown', async () => {
    const abortController = new AbortController()
    const fail = [{ method: 'PUT', kind: 'timeout-landed' } as const]
    const { simulator, plan, apply } = await setStage(
      { switches: { fail } },
      { signal: abortController.signal }
    )
    const applying = apply(await plan(both), { interrupted: abortController.signal })
    await expect.poll(() => simulator.history.length).toBe(1)
    abortController.abort()
    expect(await applying).toMatchObject([
      { address: 'hq/corp', status: 'unknown' },
      { address: 'hq/guest', status: 'skipped', reason: 'interrupted' }
    ])
  })

  it('during the refresh of a WLAN sends nothing', async () => {
    const { simulator, writer, clock, plan, apply } = await setStage()
    const changes = await plan(both)
    clock.advance(LONG)
    const stop = new AbortController()
    const outcomes = await apply(changes, {
      interrupted: stop.signal,
      writer: {
        updateWlan: writer.updateWlan,
        readWlan: (site, id) => {
          stop.abort()
          return writer.readWlan(site, id)
        }
      }
    })
    expect(statuses(outcomes)).toBe('skipped skipped')
    expect(asked(simulator, 1)).toEqual(['GET corp'])
  })
})

it('continues with the other changes after a failure', async () => {
  const { simulated, declared } = fleet(2, 2)
  const path = String(simulated[0]?.wlans[0]?.id)
  const fail = [{ method: 'PUT', path, kind: '500', times: 'always' } as const]
  const { plan, apply } = await setStage({ sites: simulated, switches: { fail } })
  expect(statuses(await apply(await plan(...declared)))).toBe('failed applied applied applied')
})

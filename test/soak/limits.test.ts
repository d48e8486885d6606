import { expect, it } from 'vitest'
import { setUpCampaign } from './campaign.ts'
import { checkRun, found } from './checker.ts'
import { unfinished, writtenTwice } from './run-state.ts'

const fleet = { sites: 4, wlans: 5, seed: 1, hidden: false }
const changes = fleet.sites * fleet.wlans

it('a rate limit in the middle of a run: the reset time is reported, and no change is lost', async () => {
  const fail = [{ kind: '429', path: /wlans\/./, skip: 15, times: 'always' }] as const
  const setup = await setUpCampaign({ ...fleet, switches: { latency: 5, fail, retryAfter: 798 } })
  const { simulator } = setup
  const began = Date.now()
  const first = await setup.run('--parallelism 4 --max-wait 2 --report text=out.txt')
  expect(first.code).toBe(5)

  const { statuses, faults } = checkRun({ ...setup, ended: first })
  expect(found(faults)).toEqual({})
  expect(statuses['applied']).toBeGreaterThan(0)
  expect(statuses['skipped']).toBeGreaterThan(0)
  const [, time = ''] = /retry after (\S+ \S+) UTC \(in 798 s\)/.exec(first.stdout) ?? []
  const wait = (Date.parse(`${time.replace(' ', 'T')}Z`) - began) / 1000
  expect(Math.abs(wait - 798)).toBeLessThan(20)

  const asked = simulator.requests.length
  const limited = simulator.requests.findIndex(({ status }) => status === 429)
  // One request of each other site may have been active.
  expect(asked - limited).toBeLessThanOrEqual(fleet.sites)

  const written = simulator.history.length
  simulator.set({ fail: [] })
  const second = await setup.run('--parallelism 4')
  expect(second.code).toBe(0)
  expect(simulator.history.length - written).toBe(changes - written)
  expect(writtenTwice(setup)).toEqual([])
  expect(unfinished(setup)).toEqual([])
})

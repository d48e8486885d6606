import { describe, expect, it } from 'vitest'
import type { Simulator } from '../../src/simulator/server.ts'
import { type Many, manySites } from '../support/many.ts'

/** The number of requests by method. */
function calls({ requests }: Simulator): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { method } of requests) counts[method] = (counts[method] ?? 0) + 1
  return counts
}

/** Fleets with the page size of the service, and the number of list requests. */
const fleets: readonly (readonly [Many, number, number])[] = [
  [{ sites: 1 }, 100, 1],
  [{ sites: 7, wlans: 3, changes: 2 }, 100, 7],
  [{ sites: 30, wlans: 10, changes: 30 }, 10, 30],
  [{ sites: 3, wlans: 7, changes: 3 }, 3, 9],
  [{ sites: 2, wlans: 101, changes: 1 }, 100, 4]
]

describe('the requests of a run', () => {
  it.each(fleets)(
    '%j, %i WLANs a page: one request per page, two per change',
    async (fleet, pageSize, lists) => {
      const { run, simulator } = await manySites(fleet, { switches: { pageSize } })
      const { changes = 0 } = fleet
      const { stdout } = await run('plan many --format json')
      expect(calls(simulator)).toEqual({ GET: lists })
      expect(JSON.parse(stdout).summary).toMatchObject({ requests: lists, changed: changes })
      await run('drift many')
      expect(calls(simulator)).toEqual({ GET: 2 * lists })
      expect(await run('apply many --yes --max-changes all')).toMatchObject({ code: 0 })
      expect(calls(simulator)).toEqual({
        GET: 3 * lists + changes,
        ...(changes === 0 ? {} : { PUT: changes })
      })
    }
  )
})

describe('--max-requests', () => {
  it.each(['plan', 'drift', 'snapshot'])(
    '%s stops at the limit, and lists the remaining work',
    async command => {
      const { run, simulator } = await manySites({ sites: 9 })
      const { code, stdout, stderr } = await run(`${command} many --max-requests 5`)
      expect({ code, requests: simulator.requests.length }).toEqual({ code: 5, requests: 5 })
      expect(stdout).toContain('--max-requests')
      expect(stderr).toContain('about 9 requests to read 9 sites; --max-requests allows 5')
      expect(stderr).toContain('wlanctl: 4 of 9 sites remain: ')
    }
  )

  it('has no effect at the exact number of requests', async () => {
    const { run } = await manySites({ sites: 5 })
    expect(await run('plan many --max-requests 5')).toMatchObject({ code: 0, stderr: '' })
  })

  it('counts repeated requests', async () => {
    const fail = [{ kind: '503', times: 3 } as const]
    const { run, simulator } = await manySites({ sites: 9 }, { switches: { fail } })
    expect(await run('plan many --max-requests 9')).toMatchObject({ code: 5 })
    expect(simulator.requests).toHaveLength(9)
  })

  it.each([
    [4, 0],
    [5, 0],
    [6, 1],
    [7, 1],
    [9, 2],
    [12, 4]
  ])(
    '%i for four sites: %i changes are sent and verified, the rest is skipped',
    async (most, applied) => {
      const { run, simulator } = await manySites({ sites: 4, changes: 4 })
      const { code, stdout, stderr } = await run(
        `apply many --yes --format json --max-requests ${most} --parallelism 4 --max-changes all`
      )
      expect(simulator.requests.length).toBeLessThanOrEqual(most)
      expect(calls(simulator)).toMatchObject({ GET: 4 + applied })
      expect(simulator.history).toHaveLength(applied)
      expect(code).toBe(applied === 4 ? 0 : 5)
      const before = `8 to 12 more requests for 4 changes; --max-requests leaves ${most - 4}`
      expect(stderr.includes(before)).toBe(applied < 4)
      const after = `wlanctl: ${4 - applied} of 4 changes remain: the ${most} requests of --max-requests are used up; run it again`
      expect(stderr.includes(after)).toBe(applied < 4)
      expect(JSON.parse(stdout).summary).toMatchObject({ applied, skipped: 4 - applied })
    }
  )

  it('that is exhausted during a read-back leaves an update unknown', async () => {
    const { run, simulator } = await manySites(
      { sites: 2, changes: 1 },
      { switches: { staleFor: 60_000 } }
    )
    const { code, stdout } = await run('apply many --yes --max-requests 4')
    expect({ code, stdout }).toEqual({ code: 5, stdout: expect.stringMatching(/unknown .*could/s) })
    expect(calls(simulator)).toEqual({ GET: 3, PUT: 1 })
  })

  it('can only be set by the flag', async () => {
    const { run } = await manySites({ sites: 3 })
    expect(await run('plan many', { WLANCTL_MAX_REQUESTS: '1' })).toMatchObject({ code: 0 })
  })
})

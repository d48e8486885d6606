import { describe, expect, it } from 'vitest'
import type { Simulator } from '../../src/simulator/server.ts'
import { manualClock } from '../support/clock.ts'
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
      const { run, simulator } = await manySites(fleet, {
        clock: manualClock(),
        switches: { pageSize }
      })
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

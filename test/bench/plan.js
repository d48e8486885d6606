import { writeFleet } from './fleet/write.js'
import { interleaved } from './measure.js'
import { startService } from './service.js'
import { compared } from './table.js'

const SITES = 1000
const ROUNDS = 7

/** Connections, with the maximum ratio of a plan to the floor. */
const limits = new Map([
  [10, 1.15],
  [50, undefined],
  [100, 1.5]
])

/** @param {string} folder */
export async function benchPlan(folder) {
  const { fleet, ids } = await writeFleet(folder, SITES)
  const service = await startService(SITES)
  try {
    const rows = []
    for (const [parallelism, limit] of limits) {
      const [floor, own] = await interleaved(ROUNDS, () => [
        service.floor(parallelism, 'list.js', ids),
        service.program(parallelism, 'plan', fleet, '--detailed-exitcode')
      ])
      rows.push(compared(`plan, ${SITES} sites, ${parallelism} connections`, own, floor, limit))
    }
    return rows
  } finally {
    service.stop()
  }
}

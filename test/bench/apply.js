import { writeFleet, writeProfiles } from './fleet/write.js'
import { interleaved } from './measure.js'
import { startService } from './service.js'
import { compared } from './table.js'

const SITES = 1000
const ROUNDS = 2

/** Connections, with the maximum ratio of an apply to the floor. */
const limits = new Map([
  [10, 1.15],
  [50, undefined]
])

/**
 * Each run declares another value than the previous one, so that every site has one change.
 * @param {string} folder
 */
export async function benchApply(folder) {
  const { fleet, ids } = await writeFleet(folder, SITES)
  const service = await startService(SITES)
  try {
    const rows = []
    for (const [parallelism, limit] of limits) {
      const [floor, own] = await interleaved(ROUNDS, round => {
        const [first, second] = round % 2 === 0 ? [3, 4] : [5, 6]
        writeProfiles(fleet, second)
        return [
          service.floor(parallelism, 'change.js', ids, String(first)),
          service.program(parallelism, 'apply', fleet, '--yes', '--quiet')
        ]
      })
      const name = `apply, ${SITES} changes, ${parallelism} connections`
      rows.push(compared(name, own, floor, limit))
    }
    return rows
  } finally {
    service.stop()
  }
}

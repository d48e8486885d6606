import { writeFleet, writeProfiles } from './fleet/write.js'
import { interleaved } from './measure.js'
import { startService } from './service.js'
import { compared } from './table.js'

const SITES = 1000
const ROUNDS = 7
/** So many that the lists are still fresh when the last change is made. */
const PARALLELISM = Number(process.env.PP ?? 50)
const LIMIT = 1.15

/**
 * Every run wants another value than the one before, so that each has one change a site to make.
 * @param {string} folder
 */
export async function benchApply(folder) {
  const { fleet, ids } = await writeFleet(folder, SITES)
  const service = await startService(SITES)
  try {
    const [floor, own] = await interleaved(ROUNDS, round => {
      const [first, second] = round % 2 === 0 ? [3, 4] : [5, 6]
      writeProfiles(fleet, second)
      return [
        service.floor(PARALLELISM, 'change.js', ids, String(first)),
        service.program(PARALLELISM, 'apply', fleet, '--yes', '--quiet')
      ]
    })
    return [compared(`apply, ${SITES} changes, ${PARALLELISM} connections`, own, floor, LIMIT)]
  } finally {
    service.stop()
  }
}

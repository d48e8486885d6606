import { writeFleet } from './fleet/write.js'
import { interleaved, median } from './measure.js'
import { startService } from './service.js'
import { megabytesOf } from './table.js'

const PARALLELISM = 100
const ROUNDS = 3
const sizes = [100, 1_000, 10_000]

/** The columns for each fleet size; the last fleet must run in 300 MB. */
export const growthHead = ['plan', 's', 'ms a site', 'to that of 1,000', 'MB', 'kB for a site more']

/**
 * Measures how a plan grows with the fleet: with one file per site, and with all sites in a list.
 * @param {string} folder
 */
export async function benchGrowth(folder) {
  const service = await startService(10_000)
  try {
    const rows = []
    for (const shape of /** @type {const} */ (['files', 'list'])) {
      const fleets = await Promise.all(sizes.map(size => writeFleet(folder, size, shape)))
      const runs = fleets.map(({ fleet }) => service.program(PARALLELISM, 'plan', fleet))
      rows.push(...rowsOf(shape, await interleaved(ROUNDS, () => runs)))
    }
    return rows
  } finally {
    service.stop()
  }
}

/**
 * @param {string} shape
 * @param {readonly (readonly import('./measure.js').Measurement[])[]} measurements
 */
function rowsOf(shape, measurements) {
  const times = measurements.map(each => median(each.map(({ seconds }) => seconds)))
  const perSite = times.map((time, place) => (1000 * time) / sizes[place])
  const memory = measurements.map(megabytesOf)
  return sizes.map((size, place) => {
    const more = (1000 * (memory[place] - memory[0])) / (size - sizes[0])
    return [
      `${size} sites, ${shape === 'files' ? 'a file each' : 'in one list'}`,
      times[place].toFixed(2),
      perSite[place].toFixed(2),
      place === 0 ? '' : (perSite[place] / perSite[1]).toFixed(2),
      memory[place].toFixed(0),
      place === 0 ? '' : more.toFixed(1)
    ]
  })
}

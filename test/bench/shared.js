import { ownSsids, simulatedSites } from './fleet/sites.js'
import { writeFleet } from './fleet/write.js'
import { interleaved } from './measure.js'
import { startService } from './service.js'
import { compared } from './table.js'

const SITES = 2000
const ROUNDS = 3
const PARALLELISM = 50

/**
 * The CPU time of runs whose networks are alike, as those of most fleets: what is pure in a declaration and a live record
 * is computed once for all of them. The floor is the same fleet with other SSIDs at each site, where nothing is shared.
 * @param {string} folder
 */
export async function benchShared(folder) {
  const alike = await writeFleet(folder, SITES)
  const own = await writeFleet(folder, SITES, 'own-ssids')
  const services = [
    await startService(SITES),
    await startService({ sites: ownSsids(await simulatedSites(SITES)) })
  ]
  const [ofAlike, ofOwn] = services
  try {
    const rows = []
    for (const command of ['plan', 'drift']) {
      const [run, floor] = await interleaved(ROUNDS, () => [
        ofAlike.program(PARALLELISM, command, alike.fleet),
        ofOwn.program(PARALLELISM, command, own.fleet)
      ])
      const name = `${command}, ${SITES} sites with the same networks; compared with networks of their own, CPU`
      rows.push(compared(name, run, floor, undefined, 'cpu'))
    }
    return rows
  } finally {
    for (const service of services) service.stop()
  }
}

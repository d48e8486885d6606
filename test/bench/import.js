import { join } from 'node:path'
import { writeFleet } from './fleet/write.js'
import { interleaved } from './measure.js'
import { startService } from './service.js'
import { compared } from './table.js'

const SITES = 1000
const ROUNDS = 2
const CONNECTIONS = 10
const LIMIT = 1.3

/**
 * Compares an import with --plain, and one in layers, which has no limit, with the listing of its sites.
 * @param {string} folder
 */
export async function benchImport(folder) {
  const { ids } = await writeFleet(folder, SITES)
  const argsTo = out => ['import', '--from', ids, '--out', join(folder, out), '--force', '--quiet']
  const service = await startService(SITES)
  try {
    const [floor, plain, layers] = await interleaved(ROUNDS, () => [
      service.floor(CONNECTIONS, 'list.js', ids),
      service.program(CONNECTIONS, ...argsTo('imported'), '--plain'),
      service.program(CONNECTIONS, ...argsTo('factored'))
    ])
    return [
      compared(`import --plain, ${SITES} sites, ${CONNECTIONS} connections`, plain, floor, LIMIT),
      compared(`import, ${SITES} sites`, layers, floor, undefined)
    ]
  } finally {
    service.stop()
  }
}

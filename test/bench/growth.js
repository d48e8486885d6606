import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeFleet } from './fleet/write.js'
import { interleaved, median } from './measure.js'
import { startService } from './service.js'
import { megabytesOf } from './table.js'

const PARALLELISM = 100
const ROUNDS = 2
const SITES = [1_000, 10_000, 20_000]
const LISTED = [...SITES, 50_000]
/** Plans of many sites take minutes. */
const SITE_ROUNDS = 1
const FIELDS = [10, 100, 1_000]
const RULES = [1, 10, 50]
/** The sites of the fleets that differ in fields or rules. */
const FEW = 200

/** The columns for each size; the aim is no exponent above 1.1, and 280 MB for 10,000 sites with a file each. */
export const growthHead = ['plan', 'CPU s', 'exponent', 'MB', 'kB for one more']

/**
 * Measures how a plan grows with the sites of the fleet, with one file per site and with all sites in lists; with the
 * fields of a WLAN; and with the rules of the policy.
 * @param {string} folder
 */
export async function benchGrowth(folder) {
  const service = await startService(Math.max(...LISTED))
  /**
   * @param {string} name with `N` for the size
   * @param {readonly number[]} sizes
   * @param {(size: number) => Promise<string>} write returns the folder of the fleet
   */
  const grow = async (name, sizes, write, rounds = ROUNDS) => {
    const fleets = []
    for (const size of sizes) fleets.push(await write(size))
    const runs = fleets.map(fleet => service.program(PARALLELISM, 'plan', fleet))
    return rowsOf(name, sizes, await interleaved(rounds, () => runs))
  }
  const fleetOf = (/** @type {'files' | 'list'} */ shape) => async (/** @type {number} */ size) =>
    (await writeFleet(folder, size, shape)).fleet
  /** @param {(fleet: string, size: number) => void} declare */
  const extended = declare => async (/** @type {number} */ size) => {
    const { fleet } = await writeFleet(join(folder, `${declare.name}-${size}`), FEW)
    declare(fleet, size)
    return fleet
  }
  try {
    return [
      ...(await grow('N sites, a file each', SITES, fleetOf('files'), SITE_ROUNDS)),
      ...(await grow('N sites, in lists', LISTED, fleetOf('list'), SITE_ROUNDS)),
      ...(await grow(`N fields on a WLAN of ${FEW} sites`, FIELDS, extended(declareFields))),
      ...(await grow(`N rules, ${FEW} sites`, RULES, extended(declareRules)))
    ]
  } finally {
    service.stop()
  }
}

/**
 * Declares a number of fields in a profile of one WLAN a site.
 * @param {string} fleet
 * @param {number} size
 */
function declareFields(fleet, size) {
  const apps = Array.from({ length: size }, (_, nth) => `app-${nth}: ${nth + 1}`)
  const field = `app_limit: { enabled: true, apps: { ${apps.join(', ')} } }`
  const file = join(fleet, 'profiles.yaml')
  const profiles = readFileSync(file, 'utf8')
  writeFileSync(file, profiles.replace('  events:\n', `  events:\n    ${field}\n`))
}

/**
 * @param {string} fleet
 * @param {number} size
 */
function declareRules(fleet, size) {
  const require = '{ properties: { vlan_id: { maximum: 4000 } } }'
  const rules = Array.from(
    { length: size },
    (_, nth) => `    - { name: rule-${nth}, message: a VLAN below 4000, require: ${require} }\n`
  )
  writeFileSync(join(fleet, 'policy.yaml'), `policy:\n  rules:\n${rules.join('')}`)
}

/**
 * @param {string} name
 * @param {readonly number[]} sizes
 * @param {readonly (readonly import('./measure.js').Measurement[])[]} measurements
 */
function rowsOf(name, sizes, measurements) {
  const times = measurements.map(each => median(each.map(({ cpu }) => cpu)))
  const memory = measurements.map(megabytesOf)
  return sizes.map((size, place) => {
    const before = place - 1
    const exponent = Math.log(times[place] / times[before]) / Math.log(size / sizes[before])
    const kilobytes = (1000 * Math.max(0, memory[place] - memory[before])) / (size - sizes[before])
    return [
      name.replace('N', size.toLocaleString('en')),
      times[place].toFixed(2),
      place === 0 ? '' : exponent.toFixed(2),
      memory[place].toFixed(0),
      place === 0 ? '' : kilobytes.toFixed(1)
    ]
  })
}

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeFleet, writeProfiles } from './fleet/write.js'
import { interleaved, PROGRAM } from './measure.js'
import { startService } from './service.js'
import { compared } from './table.js'

const FILES = 1000
const SITES = 2000
const ROUNDS = 3
const PARALLELISM = 50

/** The maximum ratio of CPU seconds of a plan with the linter to a plan without. */
const LIMIT = 1.2

/** A value of DTIM that no simulated WLAN has: one WLAN per site changes. */
const OTHER_DTIM = 3

const plans = /** @type {const} */ ([
  { name: 'no site changes', dtim: undefined },
  { name: 'every site changes', dtim: OTHER_DTIM }
])

/**
 * Measures the cost of the linter, which is on by default, in `validate` and `plan`.
 * @param {string} folder
 */
export async function benchLint(folder) {
  const files = await fleetsOf(folder, FILES)
  const [without, validated] = await interleaved(ROUNDS, () =>
    files.map(fleet => ({ args: [PROGRAM, 'validate', fleet] }))
  )
  const rows = [compared(`validate with lint, ${FILES} files`, validated, without, 1.5)]
  const fleets = await fleetsOf(folder, SITES)
  const service = await startService(SITES)
  try {
    for (const { name, dtim } of plans) {
      if (dtim !== undefined) for (const fleet of fleets) writeProfiles(fleet, dtim)
      const [floor, own] = await interleaved(ROUNDS, () =>
        fleets.map(fleet => service.program(PARALLELISM, 'plan', fleet))
      )
      rows.push(compared(`plan with lint, ${SITES} sites, ${name}, CPU`, own, floor, LIMIT, 'cpu'))
    }
    return rows
  } finally {
    service.stop()
  }
}

/**
 * The same fleet twice: without the linter, and with its default level.
 * @param {string} folder
 * @param {number} sites
 */
async function fleetsOf(folder, sites) {
  const plain = await writeFleet(join(folder, 'plain'), sites)
  const linted = await writeFleet(join(folder, 'linted'), sites)
  writeFileSync(join(plain.fleet, 'policy.yaml'), 'policy: { lint: { level: off } }\n')
  return [plain.fleet, linted.fleet]
}

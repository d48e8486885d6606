import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeFleet, writeProfiles } from './fleet/write.js'
import { interleaved, PROGRAM } from './measure.js'
import { startService } from './service.js'
import { compared } from './table.js'

const SITES = 1000
const ROUNDS = 5
const PARALLELISM = 50

/** A value of DTIM that no simulated WLAN has: one WLAN of each site changes. */
const OTHER_DTIM = 3

/** The plans, and how many times the same plan without the linter each may take. */
const plans = /** @type {const} */ ([
  { name: 'no site changes', dtim: undefined, limit: 1.2 },
  { name: 'every site changes', dtim: OTHER_DTIM, limit: undefined }
])

/**
 * What the linter, which is on by default, adds to `validate` and to a plan.
 * @param {string} folder
 */
export async function benchLint(folder) {
  const plain = await writeFleet(join(folder, 'plain'), SITES)
  const linted = await writeFleet(join(folder, 'linted'), SITES)
  writeFileSync(join(plain.fleet, 'policy.yaml'), 'policy: { lint: { level: off } }\n')
  const [without, validated] = await interleaved(ROUNDS, () =>
    [plain, linted].map(({ fleet }) => ({ args: [PROGRAM, 'validate', fleet] }))
  )
  const service = await startService(SITES)
  try {
    const rows = [compared(`validate with lint, ${SITES} files`, validated, without, 1.5)]
    for (const { name, dtim, limit } of plans) {
      if (dtim !== undefined) {
        for (const { fleet } of [plain, linted]) writeProfiles(fleet, dtim)
      }
      const [floor, own] = await interleaved(ROUNDS, () =>
        [plain, linted].map(({ fleet }) => service.program(PARALLELISM, 'plan', fleet))
      )
      rows.push(compared(`plan with lint, ${SITES} sites, ${name}`, own, floor, limit))
    }
    return rows
  } finally {
    service.stop()
  }
}

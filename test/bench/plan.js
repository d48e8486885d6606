import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { writeFleet } from './fleet/write.js'
import { interleaved, PROGRAM } from './measure.js'
import { startService } from './service.js'
import { compared } from './table.js'

const SITES = 1000
const ROUNDS = 3
const LARGE = 10_000
/** Connections for the large fleet, and rounds: each takes a minute and a half. */
const MANY = 50
const FEW_ROUNDS = 1

const shapes = /** @type {const} */ (['ids', 'list', 'files'])

/** Connections, with the maximum ratio of a plan to the floor. */
const limits = new Map([
  [10, 1.1],
  [100, 1.5]
])

/** The maximum ratio of drift to plan. */
const DRIFT = 1.2

/** The maximum ratios of CPU seconds for the large fleet: 9, 7 and 8 s of a plan, and 4 of `validate`, to 1.7 s. */
const cpuLimits = { ids: 5.3, list: 4.1, files: 4.7, validate: 2.4 }

/**
 * Compares plans of the same sites with a bare loop that lists them, and with a short script where Python has its
 * libraries; `drift` with a plan.
 * @param {string} folder
 */
export async function benchPlan(folder) {
  const { fleets, ids } = await writeFleets(folder, SITES)
  const script = join(import.meta.dirname, 'floor/script.py')
  const hasPython = spawnSync('python3', ['-c', 'import requests, yaml']).status === 0
  const service = await startService(SITES)
  try {
    const rows = []
    for (const [parallelism, limit] of limits) {
      const { args: _, ...python } = service.program(parallelism)
      const [floor, drift, ...plans] = await interleaved(ROUNDS, () => [
        service.floor(parallelism, 'list.js', ids),
        service.program(parallelism, 'drift', fleets.files),
        ...shapes.map(shape => service.program(parallelism, 'plan', fleets[shape])),
        ...(hasPython
          ? [{ ...python, command: 'python3', args: [script, String(parallelism), fleets.files] }]
          : [])
      ])
      const at = `${SITES} sites, ${parallelism} connections`
      for (const [place, shape] of shapes.entries())
        rows.push(compared(`plan (${shape}), ${at}`, plans[place], floor, limit))
      rows.push(compared(`drift, ${at}; compared with plan`, drift, plans[2], DRIFT))
      if (hasPython) rows.push(compared(`Python script, ${at}`, plans[3], floor, undefined))
    }
    return rows
  } finally {
    service.stop()
  }
}

/**
 * The CPU seconds and the memory of a large fleet.
 * @param {string} folder
 */
export async function benchLarge(folder) {
  const { fleets, ids } = await writeFleets(folder, LARGE)
  const service = await startService(LARGE)
  try {
    const [floor, validate, drift, audit, ...plans] = await interleaved(FEW_ROUNDS, () => [
      service.floor(MANY, 'list.js', ids),
      { args: [PROGRAM, 'validate', fleets.files] },
      service.program(MANY, 'drift', fleets.files),
      { ...service.program(MANY, 'audit', '--from', ids), status: 2 },
      ...shapes.map(shape => service.program(MANY, 'plan', fleets[shape]))
    ])
    const at = `${LARGE} sites, CPU`
    return [
      ...shapes.map((shape, place) =>
        compared(`plan (${shape}), ${at}`, plans[place], floor, cpuLimits[shape], 'cpu')
      ),
      compared(`drift, ${at}; compared with plan`, drift, plans[2], DRIFT, 'cpu'),
      compared(`validate, ${at}`, validate, floor, cpuLimits.validate, 'cpu'),
      compared(`audit, ${at}`, audit, floor, undefined, 'cpu')
    ]
  } finally {
    service.stop()
  }
}

/**
 * @param {string} folder
 * @param {number} size
 */
async function writeFleets(folder, size) {
  const [inIds, list, files] = await Promise.all(
    shapes.map(shape => writeFleet(folder, size, shape))
  )
  return { fleets: { ids: inIds.fleet, list: list.fleet, files: files.fleet }, ids: files.ids }
}

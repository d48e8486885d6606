import { join } from 'node:path'
import { writeFleet } from './fleet/write.js'
import { interleaved, PROGRAM } from './measure.js'
import { compared } from './table.js'

/** Numbers of files, with the rounds for each. */
const sizes = new Map([
  [1_000, 5],
  [10_000, 1]
])
const LIMIT = 1

/** @param {string} folder */
export async function benchValidate(folder) {
  const rows = []
  for (const [size, rounds] of sizes) {
    const { fleet } = await writeFleet(folder, size)
    const [floor, own] = await interleaved(rounds, () => [
      { args: [join(import.meta.dirname, 'floor/parse.js'), fleet] },
      { args: [PROGRAM, 'validate', fleet] }
    ])
    rows.push(compared(`validate, ${size} files`, own, floor, LIMIT))
  }
  return rows
}

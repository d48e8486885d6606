import { expect, it } from 'vitest'
import fleetSchema from '../../schemas/fleet.schema.json' with { type: 'json' }
import { messages } from '../../src/core/model/finding.ts'
import {
  filesOfPlan,
  filesWithOneImporter,
  folderSizes,
  optionNames,
  packageSize,
  programSize,
  sourceLines,
  testLines
} from './measure.ts'

/** At most this number of files to a folder is the aim. */
const FOLDER = 12

/**
 * The budgets. A change that lowers a figure lowers its limit; a limit is raised only with a sentence here that says why.
 */
const budgets: readonly (readonly [
  about: string,
  most: number,
  measure: () => number | Promise<number>
])[] = [
  ['lines of src/', 60_000, sourceLines],
  ['lines of test/', 61_500, testLines],
  ['options, by their names in all helps', 65, async () => (await optionNames()).length],
  ['keys of a policy', 15, () => Object.keys(fleetSchema.$defs.policy.properties).length],
  ['codes of findings', 150, () => Object.keys(messages).length],
  // Three more judge who gets into the VLAN of whom: addresses, VLANs of a network, exposures.
  // The names of variables are apart from their values: a start without secrets loads no code of secrets.
  ['files of src/ that run in a plan of one site', 163, async () => (await filesOfPlan()).length],
  ['files of src/ with one importer', 78, filesWithOneImporter],
  ['files in the largest folder of src/', 23, () => Math.max(...folderSizes())],
  [
    `folders of src/ with more than ${FOLDER} files`,
    4,
    () => folderSizes().filter(size => size > FOLDER).length
  ],
  ['dist/ without source maps, kB', 3100, programSize],
  ['installed package, kB', 10_300, packageSize]
]

it.each(budgets)('%s: at most %i', async (about, most, measure) => {
  const figure = await measure()
  process.stdout.write(`${about}: ${figure} of ${most}\n`)
  expect(figure).toBeLessThanOrEqual(most)
})

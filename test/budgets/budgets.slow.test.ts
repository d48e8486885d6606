import { expect, it } from 'vitest'
import {
  filesOfPlan,
  filesWithOneImporter,
  folderSizes,
  packageSize,
  programSize,
  sourceLines
} from './measure.ts'

/** At most this number of files to a folder is the aim. */
const FOLDER = 12

/**
 * The budgets. A change that lowers a figure lowers its limit; a limit is raised only with a sentence here
 * that says why.
 */
const budgets: readonly (readonly [
  about: string,
  most: number,
  measure: () => number | Promise<number>
])[] = [
  ['lines of src/', 66_800, sourceLines],
  ['files of src/ that run in a plan of one site', 153, async () => (await filesOfPlan()).length],
  ['files of src/ with one importer', 81, filesWithOneImporter],
  ['files in the largest folder of src/', 36, () => Math.max(...folderSizes())],
  [
    `folders of src/ with more than ${FOLDER} files`,
    10,
    () => folderSizes().filter(size => size > FOLDER).length
  ],
  ['dist/ without source maps, kB', 3395, programSize],
  ['installed package, kB', 12_040, packageSize]
]

it.each(budgets)('%s: at most %i', async (about, most, measure) => {
  const figure = await measure()
  process.stdout.write(`${about}: ${figure} of ${most}\n`)
  expect(figure).toBeLessThanOrEqual(most)
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../support/program.ts'
import { tablesIn } from '../support/tables.ts'

type Edit = readonly [name: string, find: string, replace: string]

const planted = tablesIn<Record<string, Record<string, readonly Edit[]>>>(
  import.meta.dirname,
  'mutants.yaml'
)
const edits = Object.entries(planted).flatMap(([test, files]) =>
  Object.entries(files).flatMap(([file, rows]) =>
    rows.map(([name, find, replace]) => ({ name, file, find, replace, test }))
  )
)

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

/** `npm run mutants` plants each one and runs its test; this test checks only that the edits apply. */
describe('a planted bug', () => {
  it.each(edits)('has an edit that applies: $name', ({ file, find, replace, test }) => {
    expect(read(file).split(find)).toHaveLength(2)
    expect(replace).not.toBe(find)
    expect(read(test)).toContain("from 'vitest'")
  })

  it('has a name of its own', () => {
    expect(edits.length).toBeGreaterThan(100)
    expect(new Set(edits.map(({ name }) => name)).size).toBe(edits.length)
  })
})

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../support/program.ts'
import mutants from './mutants.json' with { type: 'json' }

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

/** `npm run mutants` plants each one and runs its test; this test checks only that the edits apply. */
describe('a planted bug', () => {
  it.each(mutants)('has an edit that applies: $name', ({ file, find, replace, test }) => {
    expect(read(file).split(find)).toHaveLength(2)
    expect(replace).not.toBe(find)
    expect(read(test)).toContain("from 'vitest'")
  })

  it('is listed with the test that catches it', async () => {
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length)
    await expect(list()).toMatchFileSnapshot('README.md')
  })
})

function list(): string {
  const rows = mutants.map(({ name, file, test }) => [name, `\`${file}\``, `\`${test}\``])
  const cells = [['a program that …', 'planted in', 'caught by'], ['---', '---', '---'], ...rows]
  return `# Planted bugs

Small mistakes that this program must not make. \`npm run mutants\` plants each in a copy of the code; the test in
its row must then fail. To add one, write an entry in \`mutants.json\`; \`npx vitest run test/mutants -u\` updates this list.

${cells.map(row => `| ${row.join(' | ')} |`).join('\n')}
`
}

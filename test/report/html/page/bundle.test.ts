import { join } from 'node:path'
import { build } from 'rolldown'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../../../..')

it('the page does not contain the messages of findings', async () => {
  const { output } = await build({
    cwd: root,
    input: 'src/report/html/page/main.ts',
    platform: 'browser',
    write: false
  })
  const files = output.flatMap(part => (part.type === 'chunk' ? part.moduleIds : []))
  expect(files).toContain(join(root, 'src/report/group-findings.ts'))
  expect(files.filter(file => /\/(?:messages\/|finding\.ts)/.test(file))).toEqual([])
})

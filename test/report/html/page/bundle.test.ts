import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../../../..')

it('the page has no part of the messages of findings', async () => {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/report/html/page/main.ts'],
    bundle: true,
    platform: 'browser',
    write: false,
    metafile: true
  })
  const files = Object.keys(metafile.inputs)
  expect(files).toContain('src/report/group-findings.ts')
  expect(files.filter(file => /\/(?:messages\/|finding\.ts)/.test(file))).toEqual([])
})

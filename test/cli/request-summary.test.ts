import { expect, test } from 'vitest'
import type { Io } from '../../src/cli/terminal/io.ts'
import { printRequestSummary } from '../../src/cli/terminal/request-summary.ts'
import { Collector } from '../support/program.ts'

test.each([
  [{ skipped: 7 }, 'wlanctl: 7 of 9 changes remain: run it again to apply them\n'],
  [{ skipped: 7, unknown: 1 }, 'wlanctl: up to 8 of 9 changes remain: run it again to apply them\n']
])('reports the changes that remain: %o', async (counts, line) => {
  const stderr = new Collector()
  const work = { sites: 1, sites_failed: 0, changes: 9, ...counts, rest: 'again' } as const
  await printRequestSummary(work, {}, { stderr } as unknown as Io)
  expect(stderr.text).toBe(line)
})

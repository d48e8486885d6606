import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, test } from 'vitest'
import { stage } from '../support/stage.ts'

test.each([
  'plan fleet --out none/plan.json',
  'plan fleet --report json=none/plan.json',
  'apply fleet --yes --record none/record.jsonl',
  'drift fleet --report markdown=none/drift.md',
  'snapshot fleet --out none/snapshot.json',
  'adopt fleet --out none/adopt.json',
  'validate fleet --report json=none/findings.json'
])('a missing folder of an output file is rejected before the first request: %s', async line => {
  const { run, simulator } = await stage()
  const { code, stdout, stderr } = await run(line)
  expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
  expect(stderr).toMatch(/none\/\S+ cannot be written to none: it does not exist\n {2}nothing was/)
  expect(simulator.requests).toHaveLength(0)
})

test.each<[string, (path: string, cwd: string) => void, RegExp]>([
  ['a link', (path, cwd) => symlinkSync(join(cwd, 'elsewhere'), path), /out is a link/],
  ['a folder', path => mkdirSync(path), /out is not a regular file/]
])('%s as the output file of a plan is rejected before the first request', async (_, make, why) => {
  const { run, simulator, cwd } = await stage()
  make(join(cwd, 'out'), cwd)
  const { code, stderr } = await run('plan fleet --out out')
  expect(code).toBe(3)
  expect(stderr).toMatch(why)
  expect(simulator.requests).toHaveLength(0)
})

it('a plan that would replace its own report is rejected', async () => {
  const { run, simulator } = await stage()
  const { code, stderr } = await run('plan fleet --out a.json --report json=./a.json')
  expect(code).toBe(3)
  expect(stderr).toContain('two outputs have the same file')
  expect(simulator.requests).toHaveLength(0)
})

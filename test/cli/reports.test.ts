import { expect, it } from 'vitest'
import { stage } from '../support/stage.ts'

it('one run writes several formats, each with the directory of the fleet', async () => {
  const { run, read } = await stage()
  const files = '--report markdown=comment.md --report json=plan.json'
  const { stdout } = await run(`plan ./fleet/ --format github ${files}`)
  expect(stdout).toMatch(/^::group::[A-Z][^\n]+\(\d\)\n {2}hq\//)
  expect(stdout).toContain('::warning file=fleet/hq.yaml,line=6,')
  expect(await read('comment.md')).toMatch(
    /^<!-- wlanctl:plan:fleet -->\n### \S+ [\s\S]*Plan: 2 WLANs/
  )
  expect(JSON.parse(await read('plan.json'))).toMatchObject({ summary: { changed: 2 } })
})

it.each([
  ['drift fleet', /^<!-- wlanctl:drift:fleet -->\n### \S+ [\s\S]*Drift: 2 of/],
  [
    'validate fleet',
    /^<!-- wlanctl:plan:fleet -->\n### \S+ The files are valid: 2 networks[\s\S]*Valid: 2 WLANs/
  ],
  [
    'apply fleet --yes',
    /^<!-- wlanctl:apply:fleet -->\n### \S+ 2 changes applied and verified\n[\s\S]*Apply:\*\* 2 applied/
  ]
])('%s has its own comment', async (command, comment) => {
  const { run } = await stage()
  expect((await run(`${command} --format markdown`)).stdout).toMatch(comment)
})

it('errors in the files are listed in the comment of the plan', async () => {
  const { run, write } = await stage()
  await write('fleet/wrong.yaml', 'wlans: { a: { nonsense: 1 } }\n')
  const { code, stdout } = await run('plan fleet --format markdown')
  expect(code).toBe(3)
  expect(stdout).toMatch(/^<!-- wlanctl:plan:fleet -->\n### 🔴 \d errors?/)
  expect(stdout).toContain('`fleet/wrong.yaml:1:')
})

it('errors in the files are in the reports, too, where the result is text', async () => {
  const { run, write, read } = await stage()
  await write('fleet/wrong.yaml', 'wlans: { a: { nonsense: 1 } }\n')
  const { stdout, stderr } = await run('plan fleet --report markdown=comment.md')
  expect(stdout).toBe('')
  expect(stderr).toContain('fleet/wrong.yaml:1:')
  expect(await read('comment.md')).toContain('`fleet/wrong.yaml:1:')
})

it('a saved plan and a record have their own comments', async () => {
  const { run } = await stage()
  await run('plan fleet --out plan.json')
  expect((await run('show plan.json --format markdown')).stdout).toMatch(
    /^<!-- wlanctl:plan:\. -->/
  )
  await run('apply fleet --yes --record r.jsonl')
  expect((await run('show r.jsonl --format markdown')).stdout).toMatch(/#### Apply: 2 applied/)
  expect((await run('show r.jsonl --format github')).stdout).toMatch(
    /^::group::Apply: 2 applied\n {2}Run [0-9a-f]{8}: apply/
  )
})

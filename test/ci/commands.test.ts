import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ciStage, kinds, site } from './stage.ts'

describe.each(kinds)('on %s', kind => {
  test('a pull request is planned, merged and applied, and a second run finds nothing to do', async () => {
    const { forge, plan, apply, live } = await ciStage(kind)
    const pull = forge.openPullRequest({ files: site('b', 'vlan_id: 20') })
    const planned = await plan(pull)
    expect(planned.stderr).not.toContain('bug')
    expect(planned.code).toBe(0)
    expect(planned.report).toContain('b/corp')
    expect(planned.result).toMatchObject({
      ...{ command: 'plan', code: 0, pulls: [pull.number] },
      permits: [{ operations: [{ pointer: '/vlan_id', before: 10, after: 20 }] }]
    })
    forge.merge(pull)
    const applied = await apply()
    expect(applied.stderr).not.toContain('bug')
    expect(applied).toMatchObject({ code: 0, outcomes: { 'b/corp': 'applied' } })
    expect(applied.result).toMatchObject({ since: forge.tip, open: [], missing: [] })
    expect(applied.settled).toEqual([`#${pull.number} b/corp applied`])
    expect(live()).toEqual([10, 20, 10])
    const again = await apply()
    expect(again).toMatchObject({ code: 0, open: [], settled: [], result: { quiet: true } })
  })
})

test('the report of a run that was started again shows its last attempt', async () => {
  const { forge, run, plan } = await ciStage('github')
  const pull = forge.openPullRequest({ files: site('b', 'vlan_id: 20') })
  const { job, result } = await plan(pull)
  for (const attempt of [2, 9, 10]) {
    const folder = join(job.results, `wlanctl-plan-fleet-${attempt}`)
    mkdirSync(folder)
    writeFileSync(join(folder, 'result.json'), JSON.stringify(result))
    writeFileSync(join(folder, 'report.md'), `### Attempt ${attempt}\n`)
  }
  await run({ ...forge.start('report', { of: job }), results: job.results }, 'report')
  expect(pull.comments.map(({ body }) => body)).toEqual([expect.stringContaining('Attempt 10')])
})

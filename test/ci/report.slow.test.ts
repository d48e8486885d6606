import { describe, expect, test } from 'vitest'
import { ciStage, kinds, site } from './stage.ts'

const B = (vlan: number) => site('b', `vlan_id: ${vlan}`)

describe.each(kinds)('report on %s', kind => {
  test('one comment for the plan, one for the apply with its runs', async () => {
    const { forge, run, plan, apply, comments } = await ciStage(kind)
    const pull = forge.openPullRequest({ files: B(20) })
    for (const _ of [1, 2]) {
      const { job } = await plan(pull)
      await run(job, 'report plan')
    }
    expect(comments(pull)).toHaveLength(1)
    forge.merge(pull)
    const first = await apply()
    await run(first.job, 'report apply')
    const again = await apply({ job: forge.rerun(first.job) })
    await run(again.job, 'report apply')
    expect(comments(pull)).toHaveLength(2)
    const [, applied = ''] = comments(pull)
    expect(applied.match(/^- \[Run \d+, attempt \d+\]/gm)).toHaveLength(2)
  })

  test('a comment job that runs again says what the apply did', async () => {
    const { forge, run, merged, apply, comments } = await ciStage(kind)
    const pull = await merged(B(20))
    const applied = await apply()
    await run(applied.job, 'report apply')
    const green = comments(pull).at(-1)
    const again = forge.rerun(applied.job)
    await run({ ...again, results: applied.job.results }, 'report apply')
    expect(comments(pull).at(-1)).toBe(green)
    expect(green).not.toContain('🔴')
  })

  test('a run that ended before its report has one', async () => {
    const { forge, run, merged, comments } = await ciStage(kind)
    const pull = await merged(B(20))
    const { code } = await run(forge.start('apply'), 'report apply')
    expect(code).toBe(0)
    expect(comments(pull).at(-1)).toContain('ended before it could write its report')
  })

  test('a report that is too long for a comment is its heading', async () => {
    const { forge, run, plan, comments } = await ciStage(kind)
    const pull = forge.openPullRequest({ files: B(20) })
    const { job, report, result } = await plan(pull)
    const limit = kind === 'github' ? 65_536 : 1_000_000
    forge.write(job, { 'report.md': `${report}${'x'.repeat(limit + 1 - report.length)}` })
    await run(job, 'report plan')
    expect(comments(pull)[0]).toContain('too long for a comment')
    expect(comments(pull)[0]).toContain(result.verdict)
  })
})

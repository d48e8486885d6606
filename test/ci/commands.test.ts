import { describe, expect, test } from 'vitest'
import { ciStage, kinds, site } from './stage.ts'

describe.each(kinds)('on %s', kind => {
  test('a pull request is planned, merged and applied, and a second run finds nothing to do', async () => {
    const { forge, plan, planOf, apply, quietOf, live } = await ciStage(kind)
    const pull = forge.openPullRequest({ files: site('b', 'vlan_id: 20') })
    const planned = await plan(pull)
    expect(planned.stderr).not.toContain('bug')
    expect(planned.code).toBe(0)
    expect(planned.report).toContain('b/corp')
    // Other tests store it without running the program.
    expect(planned.result).toEqual(planOf(pull, planned.job))
    forge.merge(pull)
    const applied = await apply()
    expect(applied.stderr).not.toContain('bug')
    expect(applied).toMatchObject({ code: 0, outcomes: { 'b/corp': 'applied' } })
    expect(applied.result).toMatchObject({ since: forge.tip, open: [], missing: [] })
    expect(applied.settled).toEqual([`#${pull.number} b/corp applied`])
    expect(live()).toEqual([10, 20, 10])
    const again = await apply()
    expect(again.result).toEqual(quietOf(again.job))
  })
})

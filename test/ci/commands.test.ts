import { describe, expect, test } from 'vitest'
import { ciStage, kinds, site } from './stage.ts'

describe.each(kinds)('on %s', kind => {
  test('a pull request is planned, merged and applied', async () => {
    const { forge, plan, apply, live } = await ciStage(kind)
    const pull = forge.openPullRequest({ files: site('b', 'vlan_id: 20') })
    const planned = await plan(pull)
    expect(planned.code).toBe(0)
    expect(planned.report).toContain('b/corp')
    expect(planned.result).toMatchObject({ command: 'plan', code: 0, pulls: [pull.number] })
    forge.merge(pull)
    const applied = await apply()
    expect(applied.stderr).not.toContain('bug')
    expect(applied.outcomes).toEqual({ 'b/corp': 'applied' })
    expect(applied.code).toBe(0)
    expect(live()).toEqual([10, 20, 10])
    expect(forge.state.deployments.map(({ sha }) => sha)).toEqual([forge.tip])
  })
})

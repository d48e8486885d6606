import { describe, expect, test } from 'vitest'
import { ciStage, fleet, kinds, site } from './stage.ts'

const B = (vlan: number) => site('b', `vlan_id: ${vlan}`)

describe.each(kinds)('plan on %s', kind => {
  test('covers what the pull request changes, or everything', async () => {
    const { forge, plan, edit, apply, live } = await ciStage(kind)
    edit('c', { vlan_id: 99 })
    const pull = forge.openPullRequest({ files: B(20) })
    const changed = await plan(pull)
    expect(JSON.parse(changed.read('plan.json')).summary.changed).toBe(1)
    expect(changed.report).not.toContain('c/corp')
    const all = await plan(pull, { line: 'plan --scope all' })
    expect(all.result).toMatchObject({ scope: 'all' })
    expect(JSON.parse(all.read('plan.json')).summary.changed).toBe(2)
    forge.merge(pull)
    expect(await apply()).toMatchObject({ code: 0 })
    expect(live()).toEqual([10, 20, 10])
  })

  test('compares with the branch that the pull request began on, not with later merges', async () => {
    const { forge, plan, merged } = await ciStage(kind)
    const pull = forge.openPullRequest({ files: B(20) })
    await merged(site('c', 'vlan_id: 30'))
    const { read } = await plan(pull)
    const { changes } = JSON.parse(read('plan.json'))
    expect(changes.map(({ address }: { address: string }) => address)).toEqual(['b/corp'])
  })

  test('is red where apply would refuse', async () => {
    const { forge, plan } = await ciStage(kind, fleet({}, ', max_changes: 1'))
    const pull = forge.openPullRequest({ files: { ...B(20), ...site('c', 'vlan_id: 30') } })
    const refused = await plan(pull)
    expect(refused.code).toBe(4)
    expect(refused.report).toContain('Refused')
    expect(refused.result.code).toBe(4)
  })

  test('files with errors have a report, too', async () => {
    const { forge, plan } = await ciStage(kind)
    const { code, report, job } = await plan(forge.openPullRequest({ files: B(20000) }))
    expect(code).toBe(3)
    expect(report).toContain('vlan_id')
    if (kind === 'github') expect(job.summary()).toContain('vlan_id')
  })

  test('is red if a test of the fleet fails, and shows it before the plan', async () => {
    const { forge, plan } = await ciStage(kind)
    const tests = 'tests:\n  - { name: VLAN 10, wlans: { where: [vlan_id=10] }, total: 3 }\n'
    const files = { 'fleet/tests.yaml': tests }
    const { code, report, result, read } = await plan(
      forge.openPullRequest({ files: { ...B(20), ...files } })
    )
    expect(code).toBe(1)
    expect(result).toMatchObject({ code: 1, verdict: expect.stringContaining('1 of 1 test fails') })
    expect(report).toMatch(/^### .*1 of 1 test fails.*VLAN 10.*\n### .*b\/corp/s)
    expect(read('report.md')).toMatch(/^### .*1 of 1 test fails/)
    const passed = await plan(forge.openPullRequest({ files }))
    expect(passed).toMatchObject({ code: 0, report: expect.not.stringContaining('test') })
  })

  test('without a token and a snapshot the files are validated', async () => {
    const { forge, plan } = await ciStage(kind)
    const { code, report } = await plan(forge.openPullRequest({ files: B(20) }), {
      env: { WLANCTL_API_TOKEN: '' }
    })
    expect(code).toBe(0)
    expect(report).toContain('only validated')
  })

  test('an unreachable service is a report, and no secret is in it', async () => {
    const { forge, plan, service } = await ciStage(kind)
    const { code, report, job } = await plan(forge.openPullRequest({ files: B(20) }), {
      env: { WLANCTL_BASE_URL: 'http://127.0.0.1:9', WLANCTL_MAX_ATTEMPTS: '1' }
    })
    expect(code).not.toBe(0)
    expect(report).toContain('### ')
    for (const token of [service.WLANCTL_API_TOKEN, forge.token]) {
      expect(report).not.toContain(token)
      expect(job.summary()).not.toContain(token)
    }
  })

  test('says first that sending is suspended', async () => {
    const { forge, plan } = await ciStage(kind)
    const { code, report } = await plan(forge.openPullRequest({ files: B(20) }), {
      env: { WLANCTL_SUSPEND: 'the switches are replaced, see #12, @all' }
    })
    expect(code).toBe(0)
    expect(report.split('\n')[0]).toBe(
      '**Suspended, nothing is sent:** the switches are replaced, see `#12, @all`'
    )
  })
})

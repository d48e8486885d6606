import { describe, expect, test } from 'vitest'
import { B, fleet, idOf, site, wlanOf } from './fleet.ts'
import { ciStage, kinds } from './stage.ts'

describe.each(kinds)('on %s', kind => {
  test('a pull request is planned, merged and applied, and a second run finds nothing to do', async () => {
    const { forge, plan, apply, live, service } = await ciStage(kind)
    const pull = forge.openPullRequest({ files: B(20) })
    const planned = await plan(pull)
    expect(planned.stderr).not.toContain('bug')
    expect(planned.code).toBe(0)
    expect(planned.report).toContain('`Corp` at `b`')
    expect(planned.result).toMatchObject({
      verdict: '1 network at 1 site changes',
      pulls: [pull.number],
      pull: { number: pull.number, target: 'main' },
      permits: [
        {
          base_url: service.WLANCTL_BASE_URL,
          address: 'b/corp',
          site: { id: idOf('b'), name: 'b' },
          wlan: { id: wlanOf('b'), ssid: 'Corp' },
          operations: [{ pointer: '/vlan_id', before: 10, after: 20 }],
          effects: {}
        }
      ]
    })
    forge.merge(pull)
    const applied = await apply()
    expect(applied.stderr).not.toContain('bug')
    expect(applied).toMatchObject({ code: 0, outcomes: { 'b/corp': 'applied' } })
    expect(applied.result).toMatchObject({ since: forge.tip, open: [], missing: [] })
    expect(applied.settled).toEqual([`#${pull.number} b/corp applied`])
    expect(live()).toEqual([10, 20, 10])
    const again = await apply()
    const nothing = { pulls: [], open: [], missing: [], settled: [] }
    expect(again.result).toMatchObject({ ...nothing, quiet: true, since: forge.tip })
  })

  test('a plan over a limit names the run by hand that allows it', async () => {
    const { forge, plan, apply, live } = await ciStage(kind, fleet({}, ', max_changes: 1'))
    const pull = forge.openPullRequest({ files: { ...B(20), ...site('c', 'vlan_id: 20') } })
    const { code, report, read } = await plan(pull)
    expect(code).toBe(0)
    const allowing = `ci apply --pull-request ${pull.number} --max-changes 2`
    expect(report).toContain(`to allow all of them: \`${allowing}\``)
    expect(read('plan.json')).toContain(allowing)
    forge.merge(pull)
    await apply()
    expect(live()).toEqual([10, 10, 10])
    await apply({ line: allowing.replace('ci ', '') })
    expect(live()).toEqual([10, 20, 20])
  })

  test('a plan without a token is not refused for rules that were broken before', async () => {
    const rule = ', rules: [{ name: r, message: m, require: isolation }]'
    const { forge, plan } = await ciStage(kind, fleet({ a: 'isolation: false' }, rule))
    const planned = (fields: string) =>
      plan(forge.openPullRequest({ files: site('b', fields) }), { env: { WLANCTL_API_TOKEN: '' } })
    expect(await planned('vlan_id: 20')).toMatchObject({ code: 0 })
    expect(await planned('isolation: false')).toMatchObject({ code: 4 })
  })

  test('a plan whose tests fail permits nothing, and says so', async () => {
    const tests = 'tests: [{ name: vlan, wlans: { key: corp }, require: vlan_id=10 }]\n'
    const files = { ...fleet({}, ', max_changes: 0'), 'fleet/tests.yaml': tests }
    const { forge, plan } = await ciStage(kind, files)
    const { code, report, result } = await plan(forge.openPullRequest({ files: B(20) }))
    expect({ code, permits: result.permits }).toEqual({ code: 1, permits: undefined })
    expect(report).toContain('**This plan permits nothing.**')
    expect(report).not.toContain('waits for a run by hand')
  })

  test('the options of the commands pass through', async () => {
    const { forge, run, apply } = await ciStage(kind)
    const pull = forge.openPullRequest({ files: B(20) })
    const planned = await run(forge.start('plan', { pull }), 'plan --max-wait 10 --max-impact none')
    expect(planned).toMatchObject({ code: 3, stderr: expect.stringContaining('--max-impact') })
    expect(await run(forge.start('plan', { pull }), 'plan --max-wait 10')).toMatchObject({
      code: 0
    })
    expect(await apply({ line: 'apply --max-wait 10 --parallelism=2' })).toMatchObject({ code: 0 })
    expect(await run(forge.start('drift'), 'drift --timeout 9')).toMatchObject({ code: 0 })
    expect(await run(forge.start('drift'), 'drift --site=a --nope')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('unknown option --nope')
    })
  })
})

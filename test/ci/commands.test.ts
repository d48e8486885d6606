import { describe, expect, test } from 'vitest'
import { B, idOf, wlanOf } from './fleet.ts'
import { ciStage, kinds } from './stage.ts'

describe.each(kinds)('on %s', kind => {
  test('a pull request is planned, merged and applied, and a second run finds nothing to do', async () => {
    const { forge, plan, apply, live, service } = await ciStage(kind)
    const pull = forge.openPullRequest({ files: B(20) })
    const planned = await plan(pull)
    expect(planned.stderr).not.toContain('bug')
    expect(planned.code).toBe(0)
    expect(planned.report).toContain('b/corp')
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
})

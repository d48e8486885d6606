import { describe, expect, test } from 'vitest'
import { ciStage, fleet, kinds, site } from './stage.ts'

const NOW_FROZEN =
  ', freezes: [{ from: 2020-01-01T00:00Z, until: 2099-01-01T00:00Z, reason: move }]'

describe.each(kinds)('drift on %s', kind => {
  test('opens an issue, keeps it up to date, and closes it', async () => {
    const { forge, run, edit } = await ciStage(kind)
    const check = async (env = {}) => {
      const job = forge.start('drift')
      const drift = await run(job, 'drift', { store: 'drift', env })
      const report = await run(job, 'report drift')
      expect(report.stderr).toBe('')
      expect(report.code).toBe(0)
      return drift
    }
    const issues = () => forge.state.issues.filter(({ state }) => state === 'open')
    expect(await check()).toMatchObject({ code: 0, result: { drift: { status: 'none' } } })
    expect(forge.state.issues).toEqual([])
    edit('b', { vlan_id: 66 })
    expect(await check()).toMatchObject({ code: 0, result: { drift: { status: 'drift' } } })
    expect(issues().map(({ title }) => title)).toEqual(['Drift: fleet is not as declared'])
    expect(issues()[0]?.body).toContain('b/corp')
    edit('c', { vlan_id: 67 })
    await check()
    expect(issues()[0]?.body).toContain('c/corp')
    expect(issues()[0]?.comments).toEqual([])
    edit('b', { vlan_id: 10 })
    edit('c', { vlan_id: 10 })
    await check()
    expect(issues()).toEqual([])
    await check({ WLANCTL_BASE_URL: 'http://127.0.0.1:9', WLANCTL_MAX_ATTEMPTS: '1' })
    expect(issues().map(({ title }) => title)).toEqual(['Drift: fleet cannot be checked'])
    expect(issues()[0]?.body).toMatch(/Cannot check since \d{4}-/)
    await check()
    expect(issues()).toEqual([])
  })

  test('of files with errors shows these as the reason, and goes on when they are corrected', async () => {
    const { forge, run } = await ciStage(kind)
    const check = async () => {
      const job = forge.start('drift')
      const drift = await run(job, 'drift', { store: 'drift' })
      await run(job, 'report drift')
      return drift
    }
    forge.pushToMain({ 'fleet/b.yaml': 'site: {\n' })
    expect(await check()).toMatchObject({ code: 3, result: { drift: { status: 'failed' } } })
    const [issue] = forge.state.issues
    expect(issue?.body).toContain('### 🔴 1 error in the files')
    expect(issue?.body).toContain('fleet/b.yaml:1')
    expect(issue?.body).not.toContain('wlanctl-plan/1')
    forge.pushToMain(site('b', 'vlan_id: 10'))
    expect(await check()).toMatchObject({ code: 0, result: { drift: { status: 'none' } } })
    expect(issue?.state).not.toBe('open')
  })

  test('what a record deferred only waits, and a hand edit in a freeze is drift', async () => {
    const { forge, run, merged, apply, edit } = await ciStage(kind, fleet({}, NOW_FROZEN))
    await merged(site('b', 'vlan_id: 20'))
    expect(await apply()).toMatchObject({ code: 0, outcomes: { 'b/corp': 'deferred' } })
    const waiting = await run(forge.start('drift'), 'drift', { store: 'drift' })
    expect(waiting).toMatchObject({ code: 0, result: { drift: { status: 'none' } } })
    forge.server.faults.push({ matching: /deployments/, times: 20, status: 403 })
    const unknown = await run(forge.start('drift'), 'drift')
    expect(unknown).toMatchObject({ code: 0, result: { drift: { status: 'drift' } } })
    forge.server.faults.length = 0
    edit('c', { vlan_id: 66 })
    const edited = await run(forge.start('drift'), 'drift', { store: 'drift' })
    expect(edited.result.drift.status).toBe('drift')
  })
})

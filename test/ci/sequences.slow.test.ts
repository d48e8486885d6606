import { describe, expect, test } from 'vitest'
import { nth } from '../support/ids.ts'
import { ciStage, fleet, kinds, site } from './stage.ts'

const B = (vlan: number) => site('b', `vlan_id: ${vlan}`)

/** Nothing that disturbs clients is sent before 2027. */
const FROZEN = fleet(
  {},
  ', freezes: [{ from: "2020-01-01T00:00:00Z", until: "2027-01-01T00:00:00Z", reason: year end }]'
)
const AFTER = { edges: { now: () => new Date('2027-01-02T00:00:00Z') } }
const WAVES = fleet({}, ', rollout: { waves: [{ canary: a }] }')

describe.each(kinds)('what result.json holds on %s', kind => {
  test.each(['merge', 'squash', 'rebase'] as const)('after a merge by %s', async method => {
    const { forge, apply, begin, live, planned } = await ciStage(kind)
    begin()
    const pull = forge.openPullRequest({ files: B(20) })
    forge.push(pull, site('c', 'vlan_id: 30'))
    await planned(pull)
    // GitLab rebases the branch first, whose last commit then needs another plan.
    if (kind !== 'gitlab' || method !== 'rebase') forge.pushToMain({ 'README.md': 'meanwhile\n' })
    forge.merge(pull, method)
    const applied = await apply()
    expect(applied).toMatchObject({ code: 0, open: [], result: { missing: [] } })
    expect(applied.settled).toHaveLength(2)
    expect(live()).toEqual([10, 20, 30])
  })
})

/** What is permitted and what waits is the same on both forges. */
describe('what result.json holds', () => {
  const kind = 'gitlab'

  test('after a run that was killed before its update, and one after', async () => {
    const { forge, merged, apply, live } = await ciStage(kind)
    const pull = await merged(B(20))
    forge.start('apply')
    await apply({ store: undefined as never })
    expect(live()).toEqual([10, 20, 10])
    const next = await apply()
    expect(next).toMatchObject({ code: 0, open: [], result: { since: forge.tip } })
    expect(next.settled).toEqual([`#${pull.number} b/corp unchanged`])
  })

  test('when a revert is merged while its change is being sent', async () => {
    const { forge, merged, apply, live, simulator, opened } = await ciStage(kind)
    const pull = await merged(B(20))
    const revert = await opened(B(10))
    const first = forge.tip
    let asked = 0
    forge.server.onCall = call => {
      if (!/\/branches\/main$/.test(call)) return
      asked += 1
      if (asked === 2) forge.merge(revert)
    }
    const ended = await apply()
    expect(ended).toMatchObject({ code: 0, result: { since: first } })
    expect(ended.open).toEqual([`#${pull.number} b/corp`])
    expect(simulator.history).toHaveLength(0)
    const next = await apply()
    expect(next).toMatchObject({ code: 0, open: [] })
    expect(live()).toEqual([10, 10, 10])
  })

  test('after a freeze of weeks, with the plan expired', async () => {
    const { forge, merged, apply, live } = await ciStage(kind, FROZEN)
    await merged(B(20))
    await apply()
    for (const { jobs } of forge.state.runs.filter(({ event }) => event === 'pull_request')) {
      for (const artifact of jobs.flatMap(job => job.artifacts)) artifact.isExpired = true
    }
    const sent = await apply(AFTER)
    expect(sent).toMatchObject({ code: 0, open: [], outcomes: { 'b/corp': 'applied' } })
    expect(live()).toEqual([10, 20, 10])
  })

  test('of 20 pull requests that wait at once', async () => {
    const { merged, begin, apply, live, forge } = await ciStage(kind, FROZEN)
    begin()
    await merged(site('c', 'vlan_id: 77'))
    for (let vlan = 20; vlan < 39; vlan += 1) await merged(B(vlan))
    const before = forge.server.calls.length
    const waiting = await apply()
    expect(waiting).toMatchObject({ code: 0 })
    // The tip is asked for once a minute.
    const calls = forge.server.calls.slice(before).filter(call => !call.endsWith('/branches/main'))
    expect(calls.length).toBeLessThan(20 + 4 * 20)
    expect(waiting.open).toHaveLength(2)
    expect(await apply(AFTER)).toMatchObject({ open: [] })
    expect(live()).toEqual([10, 38, 77])
  })

  test('without an earlier result: of the merge at the tip alone', async () => {
    const { merged, apply, live } = await ciStage(kind)
    await merged(B(20))
    const { number } = await merged(site('c', 'vlan_id: 30'))
    expect(await apply()).toMatchObject({ settled: [`#${number} c/corp applied`] })
    expect(live()).toEqual([10, 10, 30])
  })

  test('of a stack of two, and two in one push', async () => {
    const { forge, apply, begin, live, planned } = await ciStage(kind)
    begin()
    const one = forge.openPullRequest({ files: B(20) })
    const other = forge.openPullRequest({ files: B(20) })
    forge.push(other, site('c', 'vlan_id: 30'))
    await planned(one)
    await planned(other)
    forge.mergeQueue([one, other])
    const applied = await apply()
    expect(applied).toMatchObject({ code: 0, open: [] })
    expect(applied.settled).toContain(`#${other.number} c/corp applied`)
    expect(live()).toEqual([10, 20, 30])
  })

  test('after a force push', async () => {
    const { forge, merged, apply, live } = await ciStage(kind, FROZEN)
    const before = forge.tip
    await merged(B(20))
    await apply()
    forge.forcePush(before)
    const other = await merged(site('c', 'vlan_id: 30'))
    const forced = await apply(AFTER)
    expect(forced.settled).toEqual([`#${other.number} c/corp applied`])
    expect(live()).toEqual([10, 10, 30])
  })

  test('of a merge that the forge lists late', async () => {
    const { forge, merged, apply, begin, live } = await ciStage(kind)
    begin()
    const pull = await merged(B(20))
    pull.isLate = true
    const early = await apply()
    expect(early).toMatchObject({ code: 5, outcomes: { 'b/corp': 'skipped' } })
    expect(early.result.missing).toMatchObject([{ commit: forge.tip }])
    pull.isLate = false
    expect(await apply()).toMatchObject({ code: 0, outcomes: { 'b/corp': 'applied' } })
    expect(live()).toEqual([10, 20, 10])
  })

  test('of a merge that the forge never lists, for a day', async () => {
    const { forge, apply, begin } = await ciStage(kind)
    begin()
    forge.pushToMain(B(20))
    await apply()
    const tomorrow = { edges: { now: () => new Date(Date.now() + 25 * 60 * 60 * 1000) } }
    const later = await apply(tomorrow)
    expect(later).toMatchObject({ code: 0, result: { missing: [] } })
    expect(later.report).toContain('pushed without a pull request')
  })

  test('of a run that is not at the tip', async () => {
    const { forge, merged, apply, live } = await ciStage(kind)
    await merged(B(20))
    const older = forge.start('apply')
    await merged(B(30))
    const early = await apply({ job: older })
    expect(early).toMatchObject({ code: 0, result: {} })
    expect(early.report).toContain('not at the tip')
    expect(live()).toEqual([10, 10, 10])
  })

  test('of three fleets in one line', async () => {
    const other = (name: string, at: number) => ({
      [`${name}/x.yaml`]: `site: { id: ${nth(at)}, name: ${name} }\nwlans: { x: { ssid: X } }\n`
    })
    const { merged, apply, live } = await ciStage(kind, {
      ...fleet(),
      ...other('apac', 4),
      ...other('emea', 5)
    })
    for (const name of ['apac', 'emea']) await apply({ line: `apply --name ${name}` })
    await apply()
    await merged(B(20))
    for (const name of ['apac', 'emea']) {
      expect((await apply({ line: `apply --name ${name}` })).result).toMatchObject({ name })
    }
    expect(live()).toEqual([10, 10, 10])
    expect(await apply()).toMatchObject({ code: 0, outcomes: { 'b/corp': 'applied' } })
  })

  test('while sending is suspended, without a token, and when it goes on', async () => {
    const { merged, apply, live } = await ciStage(kind)
    const lacking = { env: { WLANCTL_API_TOKEN: '' } }
    const first = await apply(lacking)
    expect(first).toMatchObject({ code: 0, open: [] })
    expect(first.report).toContain('not set up yet')
    const pull = await merged(B(20))
    const suspended = await apply({ env: { WLANCTL_SUSPEND: 'an outage' } })
    expect(suspended).toMatchObject({ code: 0, open: [`#${pull.number} b/corp`] })
    expect(await apply(lacking)).toMatchObject({ code: 3, open: suspended.open })
    expect(live()).toEqual([10, 10, 10])
    expect(await apply()).toMatchObject({ code: 0, open: [], outcomes: { 'b/corp': 'applied' } })
  })

  test('while changes wait, and when one is reverted, overwritten, and sent by hand', async () => {
    const { merged, apply, begin, live } = await ciStage(kind, FROZEN)
    begin()
    const reverted = await merged(site('a', 'vlan_id: 20'))
    const overwritten = await merged(B(20))
    const waiting = await apply()
    expect(waiting).toMatchObject({ code: 0, outcomes: { 'b/corp': 'deferred' }, settled: [] })
    expect(waiting.open).toEqual([`#${reverted.number} a/corp`, `#${overwritten.number} b/corp`])
    expect(waiting.result.open[0]).toMatchObject({ until: '2027-01-01T00:00:00Z' })
    expect(await apply()).toMatchObject({ code: 0, open: waiting.open })
    const revert = await merged(site('a', 'vlan_id: 10'))
    expect((await apply()).settled).toEqual([
      `#${reverted.number} a/corp unchanged`,
      `#${revert.number} a/corp unchanged`
    ])
    const other = await merged(B(30))
    const later = await apply()
    expect(later).toMatchObject({ code: 0, open: [`#${other.number} b/corp`] })
    expect(later.settled).toEqual([`#${overwritten.number} b/corp unchanged`])
    const third = await merged(site('c', 'vlan_id: 40'))
    expect((await apply()).open).toEqual([`#${other.number} b/corp`, `#${third.number} c/corp`])
    const byHand = await apply({ line: `apply --pull-request ${third.number} --ignore-windows` })
    expect(byHand).toMatchObject({ code: 0, open: [`#${other.number} b/corp`] })
    expect(live()).toEqual([10, 10, 40])
    expect(await apply(AFTER)).toMatchObject({ code: 0, outcomes: { 'b/corp': 'applied' } })
    expect(live()).toEqual([10, 30, 40])
  })

  test('of a partly applied pull request', async () => {
    const { merged, apply, live, front } = await ciStage(kind)
    let status: number | undefined = 503
    await front(
      () => undefined,
      ({ method, path }) => (method === 'PUT' && path.endsWith(nth(13)) ? status : undefined)
    )
    const pull = await merged({ ...B(20), ...site('c', 'vlan_id: 20') })
    const part = await apply({ line: 'apply -- --max-attempts 1' })
    expect(part).toMatchObject({ code: 5, outcomes: { 'b/corp': 'applied', 'c/corp': 'failed' } })
    expect(part.open).toEqual([`#${pull.number} b/corp`, `#${pull.number} c/corp`])
    status = undefined
    const rest = await apply()
    expect(rest).toMatchObject({ code: 0, open: [] })
    expect(live()).toEqual([10, 20, 20])
  })

  test('while its canary waits: the waves after it wait, too', async () => {
    const noon =
      ', windows: [{ name: noon, from: "11:00", until: "13:00", impact: [none, reconnect, outage] }]'
    const inZone = (name: 'a' | 'b', vlan: number, timezone: string) => {
      const [path = '', text = ''] = Object.entries(site(name, `vlan_id: ${vlan}`))[0] ?? []
      return { [path]: text.replace(' }', `, vars: { timezone: ${timezone} } }`) }
    }
    const both = (vlan: number) => ({
      ...inZone('a', vlan, 'Pacific/Auckland'),
      ...inZone('b', vlan, 'UTC')
    })
    const { merged, apply, live } = await ciStage(kind, {
      ...fleet({}, `, timezone: UTC, rollout: { waves: [{ canary: a }] }${noon}`),
      ...both(10)
    })
    const at = (time: string) => ({ edges: { now: () => new Date(time) } })
    const { number } = await merged(both(20))
    const waiting = await apply(at('2027-01-01T12:00:00Z'))
    expect(waiting).toMatchObject({ code: 0, settled: [] })
    expect(waiting.open).toEqual([`#${number} a/corp`, `#${number} b/corp`])
    expect(live()).toEqual([10, 10, 10])
  })

  test('after a stopped wave, and an hour later', async () => {
    const { merged, apply, live, edit } = await ciStage(kind, WAVES)
    const pull = await merged({ ...site('a', 'vlan_id: 20'), ...B(20) })
    edit('a', { vlan_id: 99 })
    const stopped = await apply()
    expect(stopped).toMatchObject({ code: 5, open: [] })
    expect(stopped.settled).toEqual([
      `#${pull.number} a/corp stale`,
      `#${pull.number} b/corp skipped`
    ])
    const later = await apply()
    expect(later).toMatchObject({ code: 0, open: [], settled: [] })
    expect(live()).toEqual([99, 10, 10])
  })

  test('after a check that failed, and one that passes', async () => {
    const declared = 'vlan_id: 10\nenabled: true\nhide_ssid: false\nisolation: false'
    const { forge, apply, begin, live, planned } = await ciStage(kind, {
      ...WAVES,
      ...site('a', declared)
    })
    begin()
    const fields = [
      { ...site('a', declared.replace('10', '20')), ...B(20) },
      site('a', declared.replace('isolation: false', 'isolation: true')),
      site('c', 'vlan_id: 30')
    ]
    const pulls = fields.map(files => forge.openPullRequest({ files }))
    const [one, other, third] = pulls.map(({ number }) => `#${number}`)
    for (const pull of pulls) await planned(pull)
    forge.mergeQueue(pulls)
    const failed = await apply({ line: 'apply -- --check false' })
    expect(failed).toMatchObject({ code: 5, open: [`${third} c/corp`] })
    expect(failed.settled).toEqual([
      `${one} a/corp applied`,
      `${one} b/corp skipped`,
      `${other} a/corp applied`
    ])
    expect(failed.report).toContain('wlanctl revert')
    expect(live()).toEqual([20, 10, 10])
    const passed = await apply({ line: 'apply -- --check true' })
    expect(passed).toMatchObject({ code: 0, open: [], settled: [`${third} c/corp applied`] })
    expect(live()).toEqual([20, 10, 30])
  })

  test('after a check that failed though all was sent', async () => {
    const { merged, apply, live } = await ciStage(kind)
    const { number } = await merged(B(20))
    const failed = await apply({ line: 'apply -- --check false' })
    expect(failed).toMatchObject({ code: 5, open: [], settled: [`#${number} b/corp applied`] })
    expect(failed.report).toContain('its wave failed')
    expect(live()).toEqual([10, 20, 10])
  })

  test('after 120 commits between merge and window', async () => {
    const { forge, merged, apply, live } = await ciStage(kind, FROZEN)
    await merged(B(20))
    await apply()
    forge.pushToMain({ 'README.md': 'More\n' }, 120)
    expect(await apply(AFTER)).toMatchObject({ code: 0, open: [], result: { missing: [] } })
    expect(live()).toEqual([10, 20, 10])
  }, 120_000)
})

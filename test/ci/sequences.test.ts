import { expect, test } from 'vitest'
import { nth } from '../support/ids.ts'
import { B, fleet, site } from './fleet.ts'
import { memoryStage } from './memory.ts'

/** What `result.json` holds: what is permitted and what waits is the same on both forges. */

/** Nothing that disturbs clients is sent before 2027. */
const FROZEN = fleet(
  {},
  ', freezes: [{ from: "2020-01-01T00:00:00Z", until: "2027-01-01T00:00:00Z", reason: year end }]'
)
const AFTER = { now: '2027-01-02T00:00:00Z' }
const WAVES = fleet({}, ', rollout: { waves: [{ canary: a }] }')

test('after a run that was killed after its update', async () => {
  const { merged, apply, live, repository } = await memoryStage()
  const pull = await merged(B(20))
  await apply({ isKilled: true })
  expect(live()).toEqual([10, 20, 10])
  const next = await apply()
  expect(next).toMatchObject({ code: 0, open: [], result: { since: repository.main } })
  expect(next.settled).toEqual([`#${pull.number} b/corp unchanged`])
})

test('when a revert is merged while its change is being sent', async () => {
  const { repository, hooks, merged, merge, apply, live, simulator, opened } = await memoryStage()
  const pull = await merged(B(20))
  const revert = await opened(B(10))
  const first = repository.main
  hooks.onTip = asked => asked === 2 && merge(revert)
  const ended = await apply()
  expect(ended).toMatchObject({ code: 0, result: { since: first } })
  expect(ended.open).toEqual([`#${pull.number} b/corp`])
  expect(simulator.history).toHaveLength(0)
  const next = await apply()
  expect(next).toMatchObject({ code: 0, open: [] })
  expect(live()).toEqual([10, 10, 10])
})

test('after a freeze of weeks, with the plan expired', async () => {
  const { merged, apply, live } = await memoryStage(FROZEN)
  const pull = await merged(B(20))
  await apply()
  delete pull.plan
  const sent = await apply(AFTER)
  expect(sent).toMatchObject({ code: 0, open: [], outcomes: { 'b/corp': 'applied' } })
  expect(live()).toEqual([10, 20, 10])
})

test('of 20 pull requests that wait at once', async () => {
  const { merged, apply, live } = await memoryStage(FROZEN)
  await apply()
  await merged(site('c', 'vlan_id: 77'))
  for (let vlan = 20; vlan < 39; vlan += 1) await merged(B(vlan))
  const waiting = await apply()
  expect(waiting).toMatchObject({ code: 0 })
  expect(waiting.open).toHaveLength(2)
  expect(await apply(AFTER)).toMatchObject({ open: [] })
  expect(live()).toEqual([10, 38, 77])
})

test('without an earlier result: of the merge at the tip alone', async () => {
  const { merged, apply, live } = await memoryStage()
  await merged(B(20))
  const { number } = await merged(site('c', 'vlan_id: 30'))
  expect(await apply()).toMatchObject({ settled: [`#${number} c/corp applied`] })
  expect(live()).toEqual([10, 10, 30])
})

test('of a stack of two, and two in one push', async () => {
  const { merge, apply, live, opened } = await memoryStage()
  await apply()
  const one = await opened(B(20))
  const other = await opened({ ...B(20), ...site('c', 'vlan_id: 30') })
  merge(one, other)
  const applied = await apply()
  expect(applied).toMatchObject({ code: 0, open: [] })
  expect(applied.settled).toContain(`#${other.number} c/corp applied`)
  expect(live()).toEqual([10, 20, 30])
})

test('after a force push', async () => {
  const { repository, merged, apply, live } = await memoryStage(FROZEN)
  const before = repository.main
  await merged(B(20))
  await apply()
  repository.main = before
  const other = await merged(site('c', 'vlan_id: 30'))
  const forced = await apply(AFTER)
  expect(forced.settled).toEqual([`#${other.number} c/corp applied`])
  expect(live()).toEqual([10, 10, 30])
})

test('of a merge that is no longer on the branch', async () => {
  const { repository, results, merged, apply, live } = await memoryStage(FROZEN)
  const pull = await merged(B(20))
  await apply()
  const gone = repository.commit([repository.main], B(30))
  const [left] = results
  if (left) left.text = left.text.replace(`"merge": "${pull.merge}"`, `"merge": "${gone}"`)
  const forged = await apply(AFTER)
  expect(forged).toMatchObject({ open: [], settled: [] })
  expect(forged.report).toContain('b/corp: its merge is no longer on the branch')
  expect(live()).toEqual([10, 10, 10])
})

test('of a merge that the forge lists late', async () => {
  const { repository, merged, apply, live } = await memoryStage()
  await apply()
  const pull = await merged(B(20))
  pull.isLate = true
  const early = await apply()
  expect(early).toMatchObject({ code: 5, outcomes: { 'b/corp': 'skipped' } })
  expect(early.result.missing).toMatchObject([{ commit: repository.main }])
  pull.isLate = false
  expect(await apply()).toMatchObject({ code: 0, outcomes: { 'b/corp': 'applied' } })
  expect(live()).toEqual([10, 20, 10])
})

test('of a merge that the forge never lists, for a day', async () => {
  const { push, apply } = await memoryStage()
  await apply()
  push(B(20))
  const { missing } = (await apply()).result
  expect((await apply()).result.missing).toEqual(missing)
  const tomorrow = new Date(Date.now() + 25 * 60 * 60 * 1000).toISOString()
  const later = await apply({ now: tomorrow })
  expect(later).toMatchObject({ code: 0, result: { missing: [] } })
  expect(later.report).toContain('pushed without a pull request')
})

test('of a run that is not at the tip', async () => {
  const { repository, merged, apply, live } = await memoryStage()
  await merged(B(20))
  const older = repository.main
  await merged(B(30))
  const early = await apply({ at: older })
  expect(early).toMatchObject({ code: 0, result: {} })
  expect(early.report).toContain('not at the tip')
  expect(live()).toEqual([10, 10, 10])
})

test('of three fleets in one line', async () => {
  const { merged, apply, live } = await memoryStage()
  for (const name of ['apac', 'emea', 'fleet']) await apply({ name })
  const pull = await merged(B(20))
  for (const name of ['apac', 'emea']) {
    expect(await apply({ name })).toMatchObject({ result: { name }, settled: [] })
  }
  expect(live()).toEqual([10, 10, 10])
  expect((await apply()).settled).toEqual([`#${pull.number} b/corp applied`])
})

test('while sending is suspended, without a token, and when it goes on', async () => {
  const { merged, apply, live } = await memoryStage()
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
  const { merged, apply, live } = await memoryStage(FROZEN)
  await apply()
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
  const byHand = await apply({ consent: { pull: third.number, ignoreWindows: true } })
  expect(byHand).toMatchObject({ code: 0, open: [`#${other.number} b/corp`] })
  expect(live()).toEqual([10, 10, 40])
  expect(await apply(AFTER)).toMatchObject({ code: 0, outcomes: { 'b/corp': 'applied' } })
  expect(live()).toEqual([10, 30, 40])
})

test('of a partly applied pull request', async () => {
  const { merged, apply, live, front } = await memoryStage()
  let status: number | undefined = 503
  await front(
    () => undefined,
    ({ method, path }) => (method === 'PUT' && path.endsWith(nth(13)) ? status : undefined)
  )
  const pull = await merged({ ...B(20), ...site('c', 'vlan_id: 20') })
  const part = await apply()
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
  const { merged, apply, live } = await memoryStage({
    ...fleet({}, `, timezone: UTC, rollout: { waves: [{ canary: a }] }${noon}`),
    ...both(10)
  })
  const { number } = await merged(both(20))
  const waiting = await apply({ now: '2027-01-01T12:00:00Z' })
  expect(waiting).toMatchObject({ code: 0, settled: [] })
  expect(waiting.open).toEqual([`#${number} a/corp`, `#${number} b/corp`])
  expect(live()).toEqual([10, 10, 10])
})

test('after a stopped wave, and an hour later', async () => {
  const { merged, apply, live, edit } = await memoryStage(WAVES)
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
  const { merge, opened, apply, live } = await memoryStage({ ...WAVES, ...site('a', declared) })
  await apply()
  const pulls = [
    await opened({ ...site('a', declared.replace('10', '20')), ...B(20) }),
    await opened(
      site('a', declared.replace('10', '20').replace('isolation: false', 'isolation: true'))
    ),
    await opened(site('c', 'vlan_id: 30'))
  ]
  const [one, other, third] = pulls.map(({ number }) => `#${number}`)
  merge(...pulls)
  const failed = await apply({ check: 'fails' })
  expect(failed).toMatchObject({ code: 5, open: [`${third} c/corp`] })
  expect(failed.settled).toEqual([
    `${one} a/corp applied`,
    `${one} b/corp skipped`,
    `${other} a/corp applied`
  ])
  expect(failed.report).toContain('wlanctl revert')
  expect(live()).toEqual([20, 10, 10])
  const passed = await apply({ check: 'passes' })
  expect(passed).toMatchObject({ code: 0, open: [], settled: [`${third} c/corp applied`] })
  expect(live()).toEqual([20, 10, 30])
})

test('after a check that failed though all was sent', async () => {
  const { merged, apply, live } = await memoryStage()
  const { number } = await merged(B(20))
  const failed = await apply({ check: 'fails' })
  expect(failed).toMatchObject({ code: 5, open: [], settled: [`#${number} b/corp applied`] })
  expect(failed.report).toContain('is settled as applied: its wave failed\n')
  const ways = [...failed.report.matchAll(/`wlanctl (\w+)/g)].map(([, name]) => name)
  expect(ways).toEqual(['revert', 'plan', 'apply', 'adopt'])
  expect(failed.report).not.toContain('``')
  expect(live()).toEqual([10, 20, 10])
})

test('after 120 commits between merge and window', async () => {
  const { push, merged, apply, live } = await memoryStage(FROZEN)
  await merged(B(20))
  await apply()
  push({ 'README.md': 'More\n' }, 120)
  expect(await apply(AFTER)).toMatchObject({ code: 0, open: [], result: { missing: [] } })
  expect(live()).toEqual([10, 20, 10])
})

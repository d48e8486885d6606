import { expect, test } from 'vitest'
import { nth } from '../support/ids.ts'
import { B, fleet, idOf, live, site, wlanOf } from './fleet.ts'
import { artifactOf, memoryStage } from './memory.ts'

/** What a run permits, judged with the live state. */

test('drift is not sent along, and an edit by hand of a planned field is settled as stale', async () => {
  const { merged, apply, live, edit } = await memoryStage()
  const { number } = await merged(site('c', 'vlan_id: 30'))
  edit('c', { vlan_id: 77 })
  edit('a', { vlan_id: 99 })
  const stale = await apply()
  expect(stale).toMatchObject({ code: 5, open: [], outcomes: { 'c/corp': 'stale' } })
  expect(stale.settled).toEqual([`#${number} c/corp stale`])
  await merged(B(20))
  edit('b', { isolation: true })
  const applied = await apply()
  expect(applied).toMatchObject({ code: 0, outcomes: { 'b/corp': 'applied' } })
  expect(applied.settled).toHaveLength(1)
  expect(live()).toEqual([99, 20, 77])
  expect(live('isolation')).toEqual([false, true, false])
})

test('a change that nothing permits is named: exit 5 if a merge since the run before made it', async () => {
  const { push, apply, live, edit } = await memoryStage()
  await apply()
  push(B(20))
  edit('b', { vlan_id: 66 })
  const early = await apply()
  expect(early).toMatchObject({ code: 5, outcomes: { 'b/corp': 'skipped' }, settled: [] })
  expect(early.report).toContain('**Merged without a plan:** `b/corp`.')
  push(site('b', 'vlan_id: 20\nisolation: false'))
  const later = await apply()
  expect(later).toMatchObject({ code: 0, outcomes: { 'b/corp': 'skipped' } })
  expect(later.report).toContain('**Drift, not sent:** `b/corp`.')
  expect(live()).toEqual([10, 66, 10])
})

test('what the plan shows of a change is permitted', async () => {
  const { apply, edit, opened, merge } = await memoryStage()
  await apply()
  edit('b', { bands: ['24', '5'] })
  edit('c', { isolation: true })
  const pulls = [
    await opened(site('a', 'vlan_id: 10\nenabled: false')),
    await opened(site('b', 'vlan_id: 10\nbands: ["24"]')),
    await opened(site('c', 'vlan_id: 20\nisolation: false'))
  ]
  merge(...pulls)
  const [one, two, three] = pulls.map(({ number }) => `#${number}`)
  const consent = { pull: Number(three?.slice(1)), allowDowngrade: ['*'] }
  expect(await apply({ consent })).toMatchObject({
    code: 0,
    settled: [`${one} a/corp applied`, `${two} b/corp applied`, `${three} c/corp applied`]
  })
})

test('a change over a limit waits for a run by hand that allows it, and a relaxed limit holds later', async () => {
  const { newPull, planned, merge, merged, apply, live } = await memoryStage(
    fleet({}, ', max_changes: 1')
  )
  const two = (vlan: number) => ({ ...B(vlan), ...site('c', `vlan_id: ${vlan}`) })
  const policy = fleet({}, ', max_changes: 5')['fleet/policy.yaml'] ?? ''
  const pull = newPull({ ...two(20), 'fleet/policy.yaml': policy })
  const plan = await planned(pull)
  expect(plan).toMatchObject({ code: 0 })
  expect(plan.report).toMatch(/^\*\*After the merge this waits for a run by hand/)
  merge(pull)
  const waiting = await apply()
  expect(waiting).toMatchObject({ code: 0, settled: [] })
  expect(waiting.open).toHaveLength(2)
  const other = await apply({ consent: { pull: 999, maxChanges: 5 } })
  expect(other.open).toHaveLength(2)
  const sent = await apply({ consent: { pull: pull.number, maxChanges: 2 } })
  expect(sent).toMatchObject({ code: 0, open: [] })
  expect(live()).toEqual([10, 20, 20])
  await merged(two(30))
  expect(await apply()).toMatchObject({ code: 0, open: [] })
  expect(live()).toEqual([10, 30, 30])
})

test('a sum of reviewed plans is no refusal', async () => {
  const { opened, merge, apply, live } = await memoryStage(fleet({}, ', max_changes: 1'))
  await apply()
  const pulls = [await opened(site('a', 'vlan_id: 20')), await opened(B(20))]
  merge(...pulls, await opened(site('c', 'vlan_id: 20')))
  expect(await apply()).toMatchObject({ code: 0, open: [] })
  expect(live()).toEqual([20, 20, 20])
})

const rule =
  ', rules: [{ name: r, message: show it, when: { properties: { vlan_id: { const: 20 } } }, require: { properties: { hide_ssid: { const: false } } } }]'

test.each<[string, string, [string, string], [string, string], object]>([
  ['break a rule', rule, ['10', '20'], ['hide_ssid: false', 'hide_ssid: true'], {}],
  [
    'weaken what one of them switches on',
    '',
    ['enabled: false', 'enabled: true'],
    ['isolation: true', 'isolation: false'],
    { enabled: false, isolation: true, auth: { type: 'psk', psk: 'planted-psk-of-corp' } }
  ]
])('pull requests that %s only together are settled', async (_, policy, one, other, fields) => {
  const { enabled = true, isolation = false } = fields as Record<string, boolean>
  const declared = `vlan_id: 10\nenabled: ${enabled}\nmax_idletime: 1800\nisolation: ${isolation}\nhide_ssid: false`
  const { apply, newPull, planned, merge, live, edit } = await memoryStage(
    fleet({ b: declared }, policy)
  )
  edit('b', { hide_ssid: false, max_idletime: 1800, ...fields })
  await apply()
  const pulls = [
    newPull(site('b', declared.replace(...one))),
    newPull(site('b', declared.replace(...other))),
    newPull(site('c', 'vlan_id: 30'))
  ]
  for (const pull of pulls) expect(await planned(pull)).toMatchObject({ code: 0 })
  // The forge merges both changes of the file.
  if (pulls[1]) pulls[1].files = site('b', declared.replace(...one).replace(...other))
  merge(...pulls)
  const applied = await apply()
  expect(applied.settled).toEqual([
    ...pulls.slice(0, 2).map(({ number }) => `#${number} b/corp skipped`),
    `#${pulls[2]?.number} c/corp applied`
  ])
  expect(applied).toMatchObject({ code: 5, open: [] })
  expect(applied.report).toContain('together with other pull requests')
  expect(live()).toEqual([10, 10, 30])
  expect(live('hide_ssid')[1]).toBe(false)
})

test('what breaks a rule only together settles no WLAN with a shorter name', async () => {
  const sites = live.map(each => {
    const other = { ...each.wlans[0], id: nth(14), ssid: 'Corp2' }
    return each.name === 'c' ? { ...each, wlans: [...each.wlans, other] } : each
  })
  const files = (corp: number, vlan: number, hidden: boolean) => {
    const [[path, text] = ['', '']] = Object.entries(site('c', `vlan_id: ${corp}`))
    const other = `{ ssid: Corp2, vlan_id: ${vlan}, hide_ssid: ${hidden} }`
    return { [path]: `${text}  corp2: ${other}\n` }
  }
  const stage = await memoryStage({ ...fleet({}, rule), ...files(10, 10, false) }, sites)
  await stage.apply()
  const one = await stage.opened(files(10, 20, false))
  const other = await stage.opened(files(10, 10, true))
  const third = await stage.opened(files(30, 10, false))
  // The forge merges the changes of the file.
  other.files = files(10, 20, true)
  third.files = files(30, 20, true)
  stage.merge(one, other, third)
  expect((await stage.apply()).settled).toEqual([
    `#${one.number} c/corp2 skipped`,
    `#${other.number} c/corp2 skipped`,
    `#${third.number} c/corp applied`
  ])
})

test('a rename is matched by the first parent of its merge, also when it waits', async () => {
  const renamed = `site: { id: ${idOf('b')}, name: b }\nwlans:\n  corp:\n    ssid: Renamed\n    vlan_id: 10\n`
  const { push, merged, apply, live } = await memoryStage()
  await merged({ 'fleet/b.yaml': renamed })
  await apply({ env: { WLANCTL_SUSPEND: 'later' } })
  push({ 'README.md': 'x\n' })
  expect(await apply()).toMatchObject({ code: 0, outcomes: { 'b/corp': 'applied' } })
  expect(live('ssid')).toEqual(['Corp', 'Renamed', 'Corp'])
})

test('a changed reference of a secret is sent, and one that this run lacks is settled', async () => {
  const secret = (name: string) =>
    site('b', `auth: { type: psk, psk: { $env: WLAN_SECRET_${name} } }`)
  const { newPull, planned, merge, apply, edit, simulator } = await memoryStage({
    ...fleet(),
    ...secret('OLD')
  })
  edit('b', { auth: { type: 'psk', psk: 'planted-old-psk' } })
  await apply()
  const pull = newPull(secret('NEW'))
  expect((await planned(pull)).result.permits[0].operations).toMatchObject([
    { pointer: '/auth/psk', after: { $env: 'WLAN_SECRET_NEW' } }
  ])
  merge(pull)
  await apply({ env: { WLANCTL_SUSPEND: 'x' } })
  const sent = await apply({ env: { WLAN_SECRET_NEW: 'planted-new-psk' }, isKilled: true })
  expect(sent).toMatchObject({ code: 0, outcomes: { 'b/corp': 'applied' } })
  expect(simulator.record(idOf('b'), wlanOf('b'))['auth']).toMatchObject({ psk: 'planted-new-psk' })
  expect(JSON.stringify(sent)).not.toContain('planted-new')
  const lacking = await apply()
  expect(lacking.settled).toEqual([`#${pull.number} b/corp skipped`])
  expect(lacking.report).toContain('missing secret `WLAN_SECRET_NEW`')
})

test('a plan that a secret refuses, too, waits for no run by hand, and shows no value', async () => {
  const policy = ', max_changes: 1, lint: { rules: { weak-key: error } }'
  const { newPull, planned } = await memoryStage(fleet({}, policy))
  const secret = site('b', 'auth: { type: psk, psk: { $env: WLAN_SECRET_NEW } }')
  const env = { WLAN_SECRET_NEW: 'password1' }
  const refused = await planned(newPull({ ...secret, ...site('c', 'vlan_id: 20') }), { env })
  expect(refused).toMatchObject({ code: 4 })
  expect(refused.result.permits).toBeUndefined()
  expect(refused.report).toContain('This plan permits nothing')
  expect(refused.report).not.toContain('waits for a run by hand')
  expect(JSON.stringify(refused)).not.toContain('password1')
})

test('a plan holds what the pull request changes, and names what else differs', async () => {
  const files = fleet({ b: 'vlan_id: 10\nhide_ssid: false' })
  const { newPull, planned, edit } = await memoryStage(files)
  edit('b', { isolation: true, vlan_id: 20, hide_ssid: true })
  const declared = 'vlan_id: 20\nhide_ssid: false\nisolation: false\nenabled: true'
  const { result, report } = await planned(newPull(site('b', declared)))
  const [permit, ...others] = result.permits
  expect(others).toEqual([])
  expect(permit.operations).toEqual([
    { pointer: '/vlan_id', before: 20, after: 20 },
    { pointer: '/isolation', before: true, after: false },
    { pointer: '/enabled', before: true, after: true }
  ])
  expect(report).toContain('**Also different, and not part of this plan:** `b/corp`.')
})

test('a plan of another service permits nothing', async () => {
  const { newPull, planned, merge, apply, live, front } = await memoryStage()
  const pull = newPull(B(20))
  const { result } = await planned(pull)
  merge(pull)
  await front(() => undefined)
  const applied = await apply()
  expect(applied).toMatchObject({ code: 5, outcomes: { 'b/corp': 'skipped' }, open: [] })
  expect(applied.report).toContain(`planned for \`${result.permits[0].base_url}\``)
  expect(live()).toEqual([10, 10, 10])
})

test('a plan permits at most what its merge changes', async () => {
  const { newPull, planned, merge, apply, live, edit } = await memoryStage()
  const pull = newPull(B(20))
  const { result } = await planned(pull)
  const [permit] = result.permits
  const forged = {
    ...permit,
    ...{ address: 'c/corp', site: { id: idOf('c'), name: 'c' } },
    wlan: { id: wlanOf('c'), ssid: 'Corp' },
    operations: [{ pointer: '/vlan_id', before: 66, after: 10 }]
  }
  pull.plan = artifactOf(JSON.stringify({ ...result, permits: [permit, forged] }))
  edit('c', { vlan_id: 66 })
  merge(pull)
  expect(await apply()).toMatchObject({ outcomes: { 'b/corp': 'applied' } })
  expect(live()).toEqual([10, 20, 66])
})

test('ends itself before the time limit of its job, and the next goes on', async () => {
  const { merged, apply, live, front } = await memoryStage()
  await front(async ({ method }) => {
    if (method === 'GET') await new Promise(resolve => setTimeout(resolve, 400))
  })
  const pull = await merged(B(20))
  const ended = await apply({ env: { WLANCTL_MAX_MINUTES: '0.002' } })
  expect(ended).toMatchObject({ code: 0, open: [`#${pull.number} b/corp`] })
  expect(ended.why).toEqual(['the time limit of the job is near: a later run goes on'])
  expect(live()).toEqual([10, 10, 10])
  expect(await apply()).toMatchObject({ code: 0, open: [] })
  expect(await apply({ env: { WLANCTL_MAX_MINUTES: 'soon' } })).toMatchObject({ code: 3 })
})

test('a conflict that is resolved by hand is planned and sent as resolved', async () => {
  const { merged, opened, planned, merge, apply, live } = await memoryStage()
  await apply()
  const pull = await opened(B(20))
  await merged(B(30))
  await apply()
  pull.files = B(40)
  await planned(pull)
  merge(pull)
  expect(await apply()).toMatchObject({ code: 0, outcomes: { 'b/corp': 'applied' } })
  expect(live()).toEqual([10, 40, 10])
})

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { nth } from '../support/ids.ts'
import { ciStage, fleet, kinds, site } from './stage.ts'

const B = (vlan: number) => site('b', `vlan_id: ${vlan}`)

describe.each(kinds)('apply on %s', kind => {
  test('a merge without a plan approves nothing, and forbids nothing', async () => {
    const { forge, merged, apply, live } = await ciStage(kind)
    await merged(B(20))
    await apply()
    forge.merge(forge.openPullRequest({ files: { 'README.md': 'more\n' }, branch: 'dependabot' }))
    const readme = await apply()
    expect(readme.code).toBe(0)
    forge.merge(forge.openPullRequest({ files: site('c', 'vlan_id: 30') }))
    const unplanned = await apply()
    expect(unplanned).toMatchObject({ code: 5, outcomes: { 'c/corp': 'skipped' } })
    expect(unplanned.report).toContain('it has no plan of its last commit')
    await merged(site('a', 'vlan_id: 40'))
    const next = await apply()
    expect(next).toMatchObject({ code: 0, outcomes: { 'a/corp': 'applied' } })
    expect(live()).toEqual([40, 20, 10])
  }, 60_000)

  test('the first of several commits without a pull request are named', async () => {
    const { forge, merged, apply } = await ciStage(kind)
    await merged(B(20))
    await apply()
    for (const vlan of [31, 32, 33, 34, 35, 36]) forge.pushToMain(site('c', `vlan_id: ${vlan}`))
    const { report } = await apply()
    expect(report).toMatch(
      /- `[0-9a-f]{7}`(?:, `[0-9a-f]{7}`){4} and 1 more: without a pull request/
    )
  }, 60_000)

  test('the first of three merges is not lost without an earlier apply', async () => {
    const { merged, apply, live, forge } = await ciStage(kind)
    const pulls = [
      await merged(site('a', 'vlan_id: 20')),
      await merged(site('b', 'vlan_id: 20')),
      await merged(site('c', 'vlan_id: 20'))
    ]
    const applied = await apply()
    expect(applied.outcomes).toEqual({
      'a/corp': 'applied',
      'b/corp': 'applied',
      'c/corp': 'applied'
    })
    expect(applied.result.pulls).toEqual(pulls.map(({ number }) => number).reverse())
    expect(live()).toEqual([20, 20, 20])
    expect(forge.state.deployments).toHaveLength(1)
  })

  test.each(['merge', 'squash', 'rebase'] as const)('a merge by %s', async method => {
    const { forge, plan, apply, live } = await ciStage(kind)
    const pull = forge.openPullRequest({ files: B(20) })
    forge.push(pull, site('c', 'vlan_id: 30'))
    await plan(pull)
    forge.merge(pull, method)
    expect(await apply()).toMatchObject({ code: 0, result: { pulls: [pull.number] } })
    expect(live()).toEqual([10, 20, 30])
  })

  test('a merge queue pushes two merges at once', async () => {
    const { forge, plan, apply, live } = await ciStage(kind)
    const pulls = [
      forge.openPullRequest({ files: B(20) }),
      forge.openPullRequest({ files: site('c', 'vlan_id: 30') })
    ]
    for (const pull of pulls) await plan(pull)
    forge.mergeQueue(pulls)
    expect(await apply()).toMatchObject({ code: 0 })
    expect(live()).toEqual([10, 20, 30])
  })

  test('a plan made after the merge approves nothing', async () => {
    const { forge, plan, apply, live } = await ciStage(kind)
    const pull = forge.openPullRequest({ files: B(20) })
    forge.merge(pull)
    await plan(pull)
    const applied = await apply()
    expect(applied.report).toContain('its plan was made after the merge')
    expect(applied).toMatchObject({ code: 5, outcomes: { 'b/corp': 'skipped' } })
    expect(live()).toEqual([10, 10, 10])
  })

  test('a plan that expired approves nothing', async () => {
    const { forge, merged, apply, live } = await ciStage(kind)
    await merged(B(20))
    for (const { artifacts } of forge.state.runs.flatMap(({ jobs }) => jobs)) {
      for (const artifact of artifacts) artifact.isExpired = true
    }
    const applied = await apply()
    expect(applied.report).toContain('its plan has expired')
    expect(live()).toEqual([10, 10, 10])
  })

  test('a plan on the stored snapshot approves nothing', async () => {
    const { forge, run, plan, apply, live } = await ciStage(kind)
    await run(forge.start('drift'), 'drift', { store: 'drift' })
    const pull = forge.openPullRequest({ files: B(20) })
    const planned = await plan(pull, { env: { WLANCTL_API_TOKEN: '' } })
    expect(planned.report).toContain('approves nothing')
    expect(planned.report).toContain('b/corp')
    forge.merge(pull)
    const applied = await apply()
    expect(applied.report).toContain('on the stored snapshot')
    expect(live()).toEqual([10, 10, 10])
  })

  test('a plan of another service approves nothing', async () => {
    const { forge, plan, apply, live } = await ciStage(kind)
    const other = await ciStage(kind)
    const pull = forge.openPullRequest({ files: B(20) })
    await plan(pull, { env: other.service })
    forge.merge(pull)
    const applied = await apply()
    expect(applied.report).toContain('of another service')
    expect(live()).toEqual([10, 10, 10])
  })

  test('pull requests of different fields of one network are both applied', async () => {
    const fields = (vlan: number, isolation: boolean) =>
      site('b', `vlan_id: ${vlan}\n# The VLAN is that of the staff.\n\nisolation: ${isolation}`)
    const { forge, plan, apply, simulator, live } = await ciStage(kind, {
      ...fleet(),
      ...fields(10, false)
    })
    const one = forge.openPullRequest({ files: fields(20, false) })
    const other = forge.openPullRequest({ files: fields(10, true) })
    await plan(one)
    const second = await plan(other)
    expect(second.report).toContain(`#${one.number} changes \`b/corp\`, too`)
    forge.mergeQueue([one, other])
    expect(await apply()).toMatchObject({ code: 0, outcomes: { 'b/corp': 'applied' } })
    expect(live()).toEqual([10, 20, 10])
    expect(live('isolation')).toEqual([false, true, false])
    expect(simulator.history).toHaveLength(1)
  })

  test('a field that two pull requests change is not called edited by hand', async () => {
    const b = (variable: number, vlan: string) => ({
      'fleet/b.yaml': `site: { id: ${nth(2)}, name: b, vars: { vlan: ${variable} } }\nwlans:\n  corp:\n    ssid: Corp\n    vlan_id: ${vlan}\n`
    })
    const { forge, plan, apply, live } = await ciStage(kind, {
      ...fleet(),
      ...b(10, '{ $var: vlan }')
    })
    const one = forge.openPullRequest({ files: b(20, '{ $var: vlan }') })
    const other = forge.openPullRequest({ files: b(10, '30') })
    await plan(one)
    await plan(other)
    forge.merge(one)
    const { job } = await apply()
    forge.merge(other)
    const stale = await apply()
    expect(stale).toMatchObject({ code: 5, outcomes: { 'b/corp': 'stale' } })
    expect(stale.report).toContain(`\`b/corp /vlan_id\` (run ${job.run.id})`)
    expect(live()).toEqual([10, 20, 10])
  })

  test('a damaged result next to a plan, and a damaged record before it, harm nothing', async () => {
    const { forge, run, merged, apply, live, edit } = await ciStage(kind)
    await merged(B(20))
    const { job: first } = await run(forge.start('apply'), 'apply')
    forge.write(first, { 'record.jsonl': '{' })
    forge.finish(first, 'wlanctl-record-fleet')
    const pull = forge.openPullRequest({ files: site('c', 'vlan_id: 30') })
    const job = forge.start('plan', { pull })
    await run(job, 'plan')
    forge.write(job, { 'result.json': '{' })
    forge.finish(job, 'wlanctl-plan-fleet')
    forge.merge(pull)
    edit('c', { vlan_id: 77 })
    const applied = await apply()
    expect(applied).toMatchObject({ code: 5, outcomes: { 'c/corp': 'stale' } })
    expect(applied.report).not.toContain('nothing was sent')
    expect(live()).toEqual([10, 20, 77])
  })

  test('an older commit never overwrites a newer one', async () => {
    const { forge, merged, apply, live } = await ciStage(kind)
    await merged(B(20))
    const older = forge.start('apply')
    await merged(B(30))
    expect(await apply()).toMatchObject({ code: 0 })
    const refused = await apply({ job: older })
    expect(refused.code).toBe(4)
    expect(refused.report).toContain('has applied')
    expect(live()).toEqual([10, 30, 10])
  })

  test('a run again of the same commit goes on where it stopped', async () => {
    const { forge, merged, apply, edit, live } = await ciStage(kind)
    await merged({ ...B(20), ...site('c', 'vlan_id: 30') })
    const first = await apply()
    edit('c', { vlan_id: 10 })
    const again = await apply({ job: forge.rerun(first.job) })
    expect(again).toMatchObject({
      code: 0,
      outcomes: { 'b/corp': 'unchanged', 'c/corp': 'applied' }
    })
    expect(live()).toEqual([10, 20, 30])
    expect(forge.state.deployments.map(({ sha }) => sha)).toEqual([forge.tip, forge.tip])
  })

  test('two fleets of one repository do not block each other', async () => {
    const apac = { 'apac/d.yaml': `site: { id: ${nth(4)}, name: d }\nwlans: { x: { ssid: X } }\n` }
    const { forge, merged, apply, live } = await ciStage(kind, { ...fleet(), ...apac })
    await merged(B(20))
    await apply()
    forge.merge(forge.openPullRequest({ files: { 'apac/d.yaml': '# another fleet\n' } }))
    await merged(site('c', 'vlan_id: 30'))
    const applied = await apply()
    expect(applied).toMatchObject({ code: 0, outcomes: { 'c/corp': 'applied' } })
    expect(applied.report).not.toContain('No plan approves')
    expect(live()).toEqual([10, 20, 30])
    const other = await apply({ line: 'apply --name apac' })
    expect(other.result.name).toBe('apac')
    expect(forge.state.deployments).toHaveLength(3)
  })

  test('the number of calls is bounded, however many merges wait', async () => {
    const { forge, plan, apply, live } = await ciStage(kind)
    for (let vlan = 20; vlan < 32; vlan += 1) {
      const pull = forge.openPullRequest({ files: B(vlan) })
      await plan(pull)
      forge.merge(pull)
    }
    const before = forge.server.calls.length
    const applied = await apply()
    expect(applied.report).toContain('too many to look up in one run')
    expect(forge.server.calls.length - before).toBeLessThanOrEqual(60)
    expect(applied.result.pulls).toHaveLength(8)
    expect(live()).toEqual([10, 31, 10])
  }, 60_000)

  test('a health check gets no token of the forge', async () => {
    const { forge, merged, apply } = await ciStage(kind)
    await merged(B(20))
    const job = forge.start('apply')
    const file = `${job.cwd}/environment`
    const own = { WLANCTL_FORGE_TOKEN: forge.token, GH_TOKEN: forge.token, COPY: forge.token }
    const env = { ...own, WLANCTL_CHECK: `env > ${file}` }
    expect(await apply({ job, env })).toMatchObject({ code: 0 })
    const seen = readFileSync(file, 'utf8')
    expect(seen).toContain('PATH=')
    expect(seen).not.toContain(forge.token)
  })

  test('nothing is sent while the variable suspends it', async () => {
    const { forge, merged, apply, live } = await ciStage(kind)
    await merged(B(20))
    const refused = await apply({ env: { WLANCTL_SUSPEND: 'an outage at b' } })
    expect(refused.code).toBe(4)
    expect(refused.report).toContain('an outage at b')
    expect(forge.state.deployments).toEqual([])
    expect(live()).toEqual([10, 10, 10])
  })

  test('the first push of a repository without a token is no failure, a later one is', async () => {
    const { merged, apply } = await ciStage(kind)
    const env = { WLANCTL_API_TOKEN: '' }
    expect(await apply({ env })).toMatchObject({ code: 0 })
    await merged(B(20))
    await apply()
    await merged(B(30))
    const missing = await apply({ env })
    expect(missing.code).toBe(3)
    expect(missing.report).toContain('the API token is missing')
  })

  test('a deployment that a pushed branch made counts for nothing', async () => {
    const { forge, merged, apply, live, plan } = await ciStage(kind)
    await merged(B(20))
    await apply()
    const pull = forge.openPullRequest({ files: B(30) })
    await plan(pull)
    const forged = forge.start('apply', { branch: 'evil', commit: pull.head })
    const job = { ...forged, env: { ...forged.env } }
    const refused = await apply({ job })
    expect(refused.code).toBe(3)
    expect(live()).toEqual([10, 20, 10])
  })

  test('without the history of the branch nothing is sent', async () => {
    const { forge, merged, apply, live } = await ciStage(kind)
    await merged(B(20))
    const job = forge.start('apply')
    const shallow = `${job.cwd}-shallow`
    execFileSync('git', [
      'clone',
      '--quiet',
      '--depth',
      '1',
      `file://${forge.state.repository.path}`,
      shallow
    ])
    const refused = await apply({ job: { ...job, cwd: shallow } })
    expect(refused.code).toBe(3)
    expect(refused.report).toContain('the clone is shallow')
    expect(live()).toEqual([10, 10, 10])
  })

  test('what differs is sent without a plan only if the option says so', async () => {
    const { forge, apply, live } = await ciStage(kind)
    forge.pushToMain(B(20))
    expect(await apply()).toMatchObject({ code: 5 })
    const sent = await apply({ line: 'apply --no-require-plan' })
    expect(sent.report).toContain('No plan was required')
    expect(live()).toEqual([10, 20, 10])
  })

  test('an option that would replace the approval is refused', async () => {
    const { apply, live, merged } = await ciStage(kind)
    await merged(B(20))
    const refused = await apply({ line: 'apply -- --plan other.json' })
    expect(refused.code).toBe(3)
    expect(refused.stderr).toContain('--plan')
    expect(live()).toEqual([10, 10, 10])
  })
})

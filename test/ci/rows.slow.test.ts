import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openForge } from '../../src/ci/open-forge.ts'
import { Failure } from '../../src/core/model/failure.ts'
import { nth } from '../support/ids.ts'
import { wlanctl } from '../support/program.ts'
import type { TestForge } from './forge/forge.ts'
import type { Pull, StoredArtifact } from './forge/state.ts'
import { zip } from './forge/zip.ts'
import { ciStage, fleet, kinds, site } from './stage.ts'

const B = (vlan: number) => site('b', `vlan_id: ${vlan}`)

/** The newest artifact that a run of a pull request stored. */
function planOf(forge: TestForge, pull: Pull): StoredArtifact {
  const runs = forge.state.runs.filter(run => run.pull === pull)
  const [artifact] = runs.flatMap(({ jobs }) => jobs.flatMap(job => job.artifacts)).reverse()
  if (artifact === undefined) throw new Error('no plan')
  return artifact
}

async function all<Entry>(list: AsyncIterable<Entry>): Promise<Entry[]> {
  const found: Entry[] = []
  for await (const each of list) found.push(each)
  return found
}

describe.each(kinds)('on %s', kind => {
  const bad: readonly (readonly [
    reason: RegExp,
    change: Partial<StoredArtifact> | ((pull: Pull, forge: TestForge) => void)
  ])[] = [
    [/expired/, { isExpired: true }],
    [/damaged/, { archive: Buffer.from('<html>') }],
    [/damaged/, { archive: zip([{ name: '../result.json', content: '{}' }]) }],
    [
      /damaged: .*checksum/,
      {
        archive: zip([
          { name: 'result.json', content: '{}' },
          { name: 'x', content: 'y', sum: 1 }
        ])
      }
    ],
    [/not usable/, { archive: zip([{ name: 'plan.json', content: '{}' }]) }],
    [/larger than/, { size: 2 ** 30 }],
    [/longer than|larger than/, { isEndless: true }],
    [
      /of another pull request/,
      (pull, forge) => {
        const others = forge.state.pulls.filter(each => each !== pull)
        Object.assign(planOf(forge, pull), {
          archive: planOf(forge, others.at(-1) as Pull).archive
        })
      }
    ],
    [/from a fork/, pull => Object.assign(pull, { isFork: true })],
    [
      /before the merge/,
      (pull, forge) => {
        const artifact = planOf(forge, pull)
        const at = new Date(Date.now() + 3_600_000)
        Object.assign(artifact, { createdAt: at })
        for (const { jobs } of forge.state.runs)
          for (const job of jobs) if (job.artifacts.includes(artifact)) job.endedAt = at
      }
    ],
    [/before the merge/, (pull, forge) => forge.push(pull, { 'README.md': 'x\n' })]
  ]

  test('a plan permits nothing that is no archive, late, of a fork, of another, or of an earlier commit', async () => {
    const { forge, apply, begin, live, opened, merged } = await ciStage(kind)
    begin()
    const pulls: Pull[] = []
    for (const [at, [, change]] of bad.entries()) {
      const pull = await opened(B(20 + at))
      if (typeof change === 'function') change(pull, forge)
      else Object.assign(planOf(forge, pull), change)
      forge.merge(pull)
      pulls.push(pull)
    }
    await merged(site('c', 'vlan_id: 30'))
    const applied = await apply()
    expect(applied).toMatchObject({
      code: 5,
      outcomes: { 'b/corp': 'skipped', 'c/corp': 'applied' },
      result: { missing: [] }
    })
    const lines = applied.report.split('\n')
    const notes = pulls.map(({ number }) => lines.find(line => line.startsWith(`- \`#${number}`)))
    for (const [at, [reason]] of bad.entries()) expect(notes[at]).toMatch(reason)
    expect(live()).toEqual([10, 10, 30])
  })

  const results = kind === 'github' ? /\/workflows\/.*\/runs$/ : /GET .*\/pipelines$/
  const pulls = kind === 'github' ? /\/pulls$/ : /\/merge_requests$/
  const plans = kind === 'github' ? /\/actions\/runs$/ : /\/merge_requests\/\d+\/pipelines$/

  test('what the forge does not give is asked again; without the newest result, nothing is sent', async () => {
    const { forge, merged, apply, begin, live } = await ciStage(kind)
    begin()
    await merged(B(20))
    const { faults } = forge.server
    const failing = (matching: RegExp) => faults.splice(0, 1, { matching, times: 99, status: 502 })
    failing(results)
    expect(await apply()).toMatchObject({ code: 1, result: {} })
    for (const matching of [pulls, plans]) {
      failing(matching)
      expect((await apply()).result.missing).toMatchObject([{ commit: forge.tip }])
    }
    expect(live()).toEqual([10, 10, 10])
    faults.length = 0
    expect(await apply()).toMatchObject({ code: 0, result: { missing: [] } })
    expect(live()).toEqual([10, 20, 10])
  })

  test('an answer of another shape ends in a sentence', async () => {
    const { forge, merged, begin } = await ciStage(kind)
    begin()
    const { number, head } = await merged(B(20))
    const { env } = forge.start('report')
    const port = await openForge({ env, signal: new AbortController().signal, pause: 1 })
    const pull = { number, head, isFork: false, commits: [], merged: new Date() }
    const operations: readonly (() => Promise<unknown>)[] = [
      async () => (await port.planOf(pull, 'fleet'))?.read([]),
      async () => (await all(port.results('apply', 'fleet', new Set([forge.tip]))))[0]?.read([]),
      ...[() => all(port.mergedSince(new Date(0))), () => port.commitsOf(pull)],
      ...[() => port.tip(), () => port.failed(), () => port.issue('t', () => undefined)],
      () => port.comment(number, 't', 'x')
    ]
    const texts = { id: 1, number: {}, state: 'merged', merged_at: {}, updated_at: {} }
    const lists = { total_count: 1, workflow_runs: 'x', artifacts: 'x' }
    const bodies = ['text', 5, [null], null, ['x'], [{}], [{ ...texts, created_at: {} }], lists]
    const routes = [/./, results, pulls, plans, /artifacts$|\/jobs$/, /commits$/]
    for (const body of bodies) {
      for (const matching of routes) {
        forge.server.faults.splice(0, 1, { matching, times: 99, status: 200, body })
        for (const operation of operations) {
          const thrown = await operation().catch((error: unknown) => error)
          if (!(thrown instanceof Error)) continue
          expect(thrown).toBeInstanceOf(Failure)
          expect(String(thrown)).not.toContain(forge.tokens.report)
        }
      }
    }
  })

  test('a result of a branch, a pull request or a tag is none, and a damaged one gives way', async () => {
    const { forge, merged, apply, begin, live } = await ciStage(kind)
    begin()
    const pull = await merged(B(20))
    const common = { format: 'wlanctl-ci/1', command: 'apply', name: 'fleet', url: 'x', code: 0 }
    const state = { verdict: 'x', pulls: [], since: forge.tip, open: [], missing: [] }
    const ofTag = kind === 'gitlab' ? [{ isTag: true }] : []
    for (const start of [{ branch: 'evil' }, { event: 'pull_request' } as const, ...ofTag]) {
      const forged = forge.start('apply', { ...start, commit: forge.tip })
      forge.write(forged, { 'result.json': JSON.stringify({ ...common, ...state }) })
      forge.finish(forged, 'wlanctl-apply-fleet')
    }
    const broken = forge.start('apply')
    forge.write(broken, { 'result.json': '{' })
    forge.finish(broken, 'wlanctl-apply-fleet')
    expect((await apply()).settled).toEqual([`#${pull.number} b/corp applied`])
    expect(live()).toEqual([10, 20, 10])
  })

  test('a merge queue, and a run without a token, only validate', async () => {
    const { forge, run, plan } = await ciStage(kind)
    const pull = forge.openPullRequest({ files: B(20) })
    const validated = await plan(pull, { env: { WLANCTL_API_TOKEN: '' } })
    expect(validated).toMatchObject({ code: 0 })
    expect(validated.result.permits).toBeUndefined()
    expect(validated.report).toContain('only validated')
    // A merge train runs for a merge request, and a merge queue for a branch.
    const of = kind === 'gitlab' ? { pull } : {}
    const queued = await run(forge.start('plan', { event: 'merge_group', ...of }), 'plan')
    expect(queued.report).toContain('This is a merge queue')
  })

  test('the report writes one comment for each pull request, and an issue of what waits or failed', async () => {
    const { forge, merged, plan, apply, report, comments, edit } = await ciStage(kind)
    const pull = forge.openPullRequest({ files: B(20) })
    const planned = await plan(pull)
    expect(await report(planned)).toMatchObject({ code: 0 })
    await report(planned)
    expect(comments(pull)).toHaveLength(1)
    expect(comments(pull)[0]).toContain('b/corp')
    forge.merge(pull)
    edit('b', { vlan_id: 77 })
    const stale = await apply()
    expect(await report(stale)).toMatchObject({ code: 0 })
    expect(comments(pull)).toHaveLength(2)
    const [issue] = forge.state.issues
    expect(issue?.body).toContain('## Failed applies')
    const other = await merged(site('c', 'vlan_id: 30'))
    const fine = await apply()
    await report(fine)
    expect(comments(other)).toHaveLength(1)
    expect(forge.state.issues).toMatchObject([{ state: 'closed' }])
  })

  test('the report says of a run that died where people look, and nothing of one that was cancelled', async () => {
    const { forge, merged, report, comments } = await ciStage(kind)
    const pull = await merged(B(20))
    const job = forge.start('apply')
    job.job.status = 'canceled'
    expect(await report(job, { apply: 'cancelled' })).toMatchObject({ code: 0 })
    expect(forge.state.issues).toEqual([])
    job.job.status = 'failed'
    expect(await report(job, { apply: 'failure' })).toMatchObject({ code: 0 })
    expect(comments(pull)[0]).toContain('ended without a result')
    expect(forge.state.issues).toHaveLength(1)
  })
})

/** What a run judges is the same on both forges. */
describe('a run', () => {
  const kind = 'github'

  test('drift is not sent along, and an edit by hand of a planned field is settled as stale', async () => {
    const { merged, apply, live, edit } = await ciStage(kind)
    const { number } = await merged({ ...site('c', 'vlan_id: 30') })
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

  test('what the plan shows of a change is permitted', async () => {
    const { forge, apply, edit, planned, begin } = await ciStage(kind)
    begin()
    edit('b', { bands: ['24', '5'] })
    edit('c', { isolation: true })
    const pulls = [
      site('a', 'vlan_id: 10\nenabled: false'),
      site('b', 'vlan_id: 10\nbands: ["24"]'),
      site('c', 'vlan_id: 20\nisolation: false')
    ].map(files => forge.openPullRequest({ files }))
    for (const pull of pulls) await planned(pull)
    forge.mergeQueue(pulls)
    const [one, two, three] = pulls.map(({ number }) => `#${number}`)
    const line = `apply --pull-request ${three?.slice(1)} --allow-downgrade`
    expect(await apply({ line })).toMatchObject({
      code: 0,
      settled: [`${one} a/corp applied`, `${two} b/corp applied`, `${three} c/corp applied`]
    })
  })

  test('a change over a limit waits for a run by hand that allows it, and a relaxed limit holds later', async () => {
    const { forge, plan, merged, apply, live } = await ciStage(kind, fleet({}, ', max_changes: 1'))
    const two = (vlan: number) => ({ ...B(vlan), ...site('c', `vlan_id: ${vlan}`) })
    const policy = fleet({}, ', max_changes: 5')['fleet/policy.yaml'] ?? ''
    const pull = forge.openPullRequest({ files: { ...two(20), 'fleet/policy.yaml': policy } })
    const planned = await plan(pull)
    expect(planned).toMatchObject({ code: 0 })
    expect(planned.report).toMatch(/^\*\*After the merge this waits for a run by hand/)
    forge.merge(pull)
    const waiting = await apply()
    expect(waiting).toMatchObject({ code: 0, settled: [] })
    expect(waiting.open).toHaveLength(2)
    const other = await apply({ line: 'apply --pull-request 999 --max-changes 5' })
    expect(other.open).toHaveLength(2)
    const sent = await apply({ line: `apply --pull-request ${pull.number} --max-changes 2` })
    expect(sent).toMatchObject({ code: 0, open: [] })
    expect(live()).toEqual([10, 20, 20])
    await merged(two(30))
    expect(await apply()).toMatchObject({ code: 0, open: [] })
    expect(live()).toEqual([10, 30, 30])
  })

  test('a sum of reviewed plans is no refusal', async () => {
    const { forge, apply, begin, live, planned } = await ciStage(
      kind,
      fleet({}, ', max_changes: 1')
    )
    begin()
    const pulls = (['a', 'b', 'c'] as const).map(name =>
      forge.openPullRequest({ files: site(name, 'vlan_id: 20') })
    )
    for (const pull of pulls) await planned(pull)
    forge.mergeQueue(pulls)
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
    const { forge, apply, plan, begin, live, edit } = await ciStage(
      kind,
      fleet({ b: declared }, policy)
    )
    edit('b', { hide_ssid: false, max_idletime: 1800, ...fields })
    begin()
    const pulls = [
      site('b', declared.replace(...one)),
      site('b', declared.replace(...other)),
      site('c', 'vlan_id: 30')
    ].map(files => forge.openPullRequest({ files }))
    for (const pull of pulls) expect(await plan(pull)).toMatchObject({ code: 0 })
    forge.mergeQueue(pulls)
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

  test('a rename is matched by the first parent of its merge, also when it waits', async () => {
    const renamed = {
      'fleet/b.yaml': `site: { id: ${nth(2)}, name: b }\nwlans:\n  corp:\n    ssid: Renamed\n    vlan_id: 10\n`
    }
    const { forge, merged, apply, live } = await ciStage(kind)
    await merged(renamed)
    await apply({ env: { WLANCTL_SUSPEND: 'later' } })
    forge.pushToMain({ 'README.md': 'x\n' })
    expect(await apply()).toMatchObject({ code: 0, outcomes: { 'b/corp': 'applied' } })
    expect(live('ssid')).toEqual(['Corp', 'Renamed', 'Corp'])
  })

  test('a changed reference of a secret is sent, and one that this run lacks is settled', async () => {
    const secret = (name: string) =>
      site('b', `auth: { type: psk, psk: { $env: WLAN_SECRET_${name} } }`)
    const { forge, plan, apply, edit, simulator } = await ciStage(kind, {
      ...fleet(),
      ...secret('OLD')
    })
    edit('b', { auth: { type: 'psk', psk: 'planted-old-psk' } })
    await apply()
    const pull = forge.openPullRequest({ files: secret('NEW') })
    const planned = await plan(pull)
    expect(planned.result.permits[0].operations).toMatchObject([
      { pointer: '/auth/psk', after: { $env: 'WLAN_SECRET_NEW' } }
    ])
    forge.merge(pull)
    const { job } = await apply({ env: { WLANCTL_SUSPEND: 'x' } })
    const env = { WLAN_SECRET_NEW: 'planted-new-psk' }
    const sent = await apply({ env, store: undefined as never })
    expect(sent).toMatchObject({ code: 0, outcomes: { 'b/corp': 'applied' } })
    expect(simulator.record(nth(2), nth(12))['auth']).toMatchObject({ psk: 'planted-new-psk' })
    expect(JSON.stringify(sent)).not.toContain('planted-new')
    const lacking = await apply({ job: forge.rerun(job) })
    expect(lacking.settled).toEqual([`#${pull.number} b/corp skipped`])
    expect(lacking.report).toContain('missing secret')
  })

  test('what would take a part of the fleet or replace the permission is refused, and so are results in a link', async () => {
    const { forge, merged, apply, run, service, live } = await ciStage(kind)
    await merged(B(20))
    const parts = ['--site=a', '--plan=x.json', '--shard=1/2', '--base=HEAD']
    for (const line of [...parts.map(option => `apply -- ${option}`), 'apply --max-changes 5']) {
      expect(await apply({ line })).toMatchObject({ code: 3 })
    }
    for (const form of ['link', 'file']) {
      const job = forge.start('apply')
      const elsewhere = join(job.cwd, 'elsewhere')
      mkdirSync(elsewhere)
      writeFileSync(join(elsewhere, 'plan.json'), 'mine')
      if (form === 'link') symlinkSync(elsewhere, job.results)
      else writeFileSync(job.results, 'x')
      const refused = await run(job, 'apply')
      expect(refused.code).toBe(3)
      expect(refused.stderr).not.toContain('bug')
      expect(readFileSync(join(elsewhere, 'plan.json'), 'utf8')).toBe('mine')
    }
    const { cwd } = forge.start('apply')
    const env = { ...service, WLANCTL_SUSPEND: 'an outage' }
    expect(await wlanctl(['apply', 'fleet', '--yes'], { cwd, env })).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('suspended: an outage')
    })
    expect(live()).toEqual([10, 10, 10])
  })

  test('a plan that a secret refuses, too, waits for no run by hand, and shows no value', async () => {
    const policy = ', max_changes: 1, lint: { rules: { weak-key: error } }'
    const { forge, plan } = await ciStage(kind, fleet({}, policy))
    const secret = site('b', 'auth: { type: psk, psk: { $env: WLAN_SECRET_NEW } }')
    const env = { WLAN_SECRET_NEW: 'password1' }
    const pull = forge.openPullRequest({ files: { ...secret, ...site('c', 'vlan_id: 20') } })
    const refused = await plan(pull, { env })
    expect(refused).toMatchObject({ code: 4 })
    expect(refused.result.permits).toBeUndefined()
    expect(refused.report).toContain('This plan permits nothing')
    expect(refused.report).not.toContain('waits for a run by hand')
    expect(JSON.stringify(refused)).not.toContain('password1')
  })

  test('a plan holds what the pull request changes, and names what else differs', async () => {
    const { forge, plan, edit } = await ciStage(kind)
    edit('b', { isolation: true, vlan_id: 20 })
    edit('c', { vlan_id: 66 })
    const pull = forge.openPullRequest({
      files: site('b', 'vlan_id: 20\nisolation: false\nenabled: true')
    })
    const planned = await plan(pull)
    const [permit, ...others] = planned.result.permits
    expect(others).toEqual([])
    expect(permit.operations).toEqual([
      { pointer: '/vlan_id', before: 20, after: 20 },
      { pointer: '/isolation', before: true, after: false },
      { pointer: '/enabled', before: true, after: true }
    ])
  })

  test('a plan of another service permits nothing', async () => {
    const { forge, plan, apply, live, front } = await ciStage(kind)
    const pull = forge.openPullRequest({ files: B(20) })
    const { result } = await plan(pull)
    forge.merge(pull)
    await front(() => undefined)
    const applied = await apply()
    expect(applied).toMatchObject({ code: 5, outcomes: { 'b/corp': 'skipped' }, open: [] })
    expect(applied.report).toContain(`planned for \`${result.permits[0].base_url}\``)
    expect(live()).toEqual([10, 10, 10])
  })

  test('a plan permits at most what its merge changes', async () => {
    const { forge, plan, apply, live, edit } = await ciStage(kind)
    const pull = forge.openPullRequest({ files: B(20) })
    const planned = await plan(pull)
    const [permit] = planned.result.permits
    const forged = {
      ...planned.result,
      permits: [
        permit,
        {
          ...permit,
          address: 'c/corp',
          site: { id: nth(3), name: 'c' },
          wlan: { id: nth(13), ssid: 'Corp' },
          operations: [{ pointer: '/vlan_id', before: 66, after: 10 }]
        }
      ]
    }
    Object.assign(planOf(forge, pull), {
      archive: zip([
        {
          name: kind === 'github' ? 'result.json' : 'x/result.json',
          content: JSON.stringify(forged)
        }
      ])
    })
    edit('c', { vlan_id: 66 })
    forge.merge(pull)
    expect(await apply()).toMatchObject({ outcomes: { 'b/corp': 'applied' } })
    expect(live()).toEqual([10, 20, 66])
  })

  test('ends itself before the time limit of its job, and the next goes on', async () => {
    const { merged, apply, live, front } = await ciStage(kind)
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
    const { forge, merged, plan, apply, begin, live, opened } = await ciStage(kind)
    begin()
    const pull = await opened(B(20))
    await merged(B(30))
    await apply()
    const { repository } = forge.state
    const resolved = repository.change(forge.tip, B(40), 'Resolve')
    const head = repository.commit(`${resolved}^{tree}`, [pull.head, forge.tip], 'Merge main')
    forge.moveTo(pull, head)
    await plan(pull)
    forge.merge(pull)
    expect(await apply()).toMatchObject({ code: 0, outcomes: { 'b/corp': 'applied' } })
    expect(live()).toEqual([10, 40, 10])
  })

  test('a run that is interrupted while a plan is read settles nothing', async () => {
    const { forge, merged, apply, live } = await ciStage(kind)
    await merged(B(20))
    const interrupt = new AbortController()
    const { signal } = interrupt
    forge.server.onCall = call => {
      if (/\/zip$|\/jobs\/\d+\/artifacts$/.test(call)) interrupt.abort()
    }
    const ended = await apply({ edges: { interrupted: signal, abortSignal: signal } })
    expect(ended).toMatchObject({ code: 130, result: {} })
    delete forge.server.onCall
    expect(await apply()).toMatchObject({ code: 0, outcomes: { 'b/corp': 'applied' } })
    expect(live()).toEqual([10, 20, 10])
  })

  test('the report of several attempts of a job is that of the newest one', async () => {
    const { forge, merged, apply, run } = await ciStage(kind)
    await merged(B(20))
    const { job, result } = await apply({ env: { WLANCTL_SUSPEND: 'a storm' } })
    const reporting = forge.start('report', { of: job })
    for (const attempt of [2, 10, 9]) {
      const folder = join(reporting.results, `wlanctl-apply-fleet-${attempt}`)
      mkdirSync(folder, { recursive: true })
      const url = result.url.replace(/\d+$/, attempt)
      writeFileSync(join(folder, 'result.json'), JSON.stringify({ ...result, code: 1, url }))
      writeFileSync(join(folder, 'report.md'), `### Attempt ${attempt}\n`)
    }
    expect(await run(reporting, 'report')).toMatchObject({ code: 0 })
    expect(forge.state.issues[0]?.body).toContain('Attempt 10')
  })

  test('a check of drift skips changes that wait', async () => {
    const frozen = fleet(
      {},
      ', freezes: [{ from: "2020-01-01T00:00:00Z", until: "2099-01-01T00:00:00Z", reason: x }]'
    )
    const { forge, merged, apply, run, edit, report } = await ciStage(kind, {
      ...frozen,
      'fleet/policy.yaml': frozen['fleet/policy.yaml']?.replace('ignore', 'report') ?? ''
    })
    await merged(B(20))
    await apply()
    const check = () => run(forge.start('drift'), 'drift', { store: 'drift' })
    expect(await check()).toMatchObject({ code: 0, result: { drift: 'none' } })
    await merged(site('c', 'vlan_id: 30'))
    expect(await check()).toMatchObject({ code: 0, result: { drift: 'none' } })
    edit('a', { vlan_id: 99 })
    const drifted = await check()
    expect(drifted).toMatchObject({ code: 0, result: { drift: 'drift' } })
    expect(drifted.report).toContain('To set the live WLANs as declared')
    expect(drifted.report).not.toContain('Fields that no file declares')
    await report(drifted)
    expect(forge.state.issues[0]?.body).toContain('## Drift')
    expect(drifted.read('snapshot.json')).toContain('wlanctl-snapshot/1')
    edit('a', { vlan_id: 10, enabled: false })
    const undeclared = await check()
    expect(undeclared).toMatchObject({ code: 0, result: { drift: 'drift' } })
    expect(undeclared.report).not.toContain('To set the live WLANs as declared')
    expect(undeclared.report).toContain('puts them back: `wlanctl revert --to snapshot.json`')
  })
})

import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openForge } from '../../src/ci/open-forge.ts'
import { Failure } from '../../src/core/model/failure.ts'
import { nth } from '../support/ids.ts'
import { wlanctl } from '../support/program.ts'
import type { TestForge } from './forge/forge.ts'
import type { Fault } from './forge/server.ts'
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
  describe('a plan permits nothing', () => {
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

    test('that is no archive, late, of a fork, of another, or of an earlier commit', async () => {
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
        outcomes: { 'b/corp': 'skipped', 'c/corp': 'applied' }
      })
      const lines = applied.report.split('\n')
      const notes = pulls.map(({ number }) => lines.find(line => line.startsWith(`- \`#${number}`)))
      for (const [at, [reason]] of bad.entries()) expect(notes[at]).toMatch(reason)
      expect(live()).toEqual([10, 10, 30])
    })

    test('of another service', async () => {
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

    test('for more than its merge changes', async () => {
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
  })

  test('a run ends itself before the time limit of its job, and the next goes on', async () => {
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
    pull.head = repository.commit(`${resolved}^{tree}`, [pull.head, forge.tip], 'Merge main')
    repository.setBranch(pull.branch, pull.head)
    repository.setReference(`refs/pull/${pull.number}/head`, pull.head)
    await plan(pull)
    forge.merge(pull)
    expect(await apply()).toMatchObject({ code: 0, outcomes: { 'b/corp': 'applied' } })
    expect(live()).toEqual([10, 40, 10])
  })

  describe('the forge', () => {
    const results = kind === 'github' ? /\/workflows\/.*\/runs$/ : /GET .*\/pipelines$/
    const pulls = kind === 'github' ? /\/pulls$/ : /\/merge_requests$/
    const plans = kind === 'github' ? /\/actions\/runs$/ : /\/merge_requests\/\d+\/pipelines$/

    test('that does not give the newest result: nothing is sent, no result is written', async () => {
      const { forge, merged, apply, begin, live } = await ciStage(kind)
      begin()
      await merged(B(20))
      forge.server.faults.push({ matching: results, times: 99, status: 502 })
      expect(await apply()).toMatchObject({ code: 1, result: {} })
      expect(live()).toEqual([10, 10, 10])
      forge.server.faults.length = 0
      expect(await apply()).toMatchObject({ code: 0, outcomes: { 'b/corp': 'applied' } })
    })

    test.each([
      ['pull requests', pulls],
      ['plans', plans]
    ])('that does not give %s is asked again', async (_, matching) => {
      const { forge, merged, apply, begin, live } = await ciStage(kind)
      begin()
      await merged(B(20))
      forge.server.faults.push({ matching, times: 99, status: 502 })
      expect((await apply()).result.missing).toMatchObject([{ commit: forge.tip }])
      forge.server.faults.length = 0
      expect(await apply()).toMatchObject({ code: 0, result: { missing: [] } })
      expect(live()).toEqual([10, 20, 10])
    })

    test.each<[string, unknown]>([
      ['a text', 'text'],
      ['a number', 5],
      ['a list of null', [null]],
      ['null', null],
      ['a list of texts', ['x']],
      ['a list of empty objects', [{}]],
      [
        'objects in place of texts',
        [{ id: 1, number: {}, state: 'merged', merged_at: {}, updated_at: {}, created_at: {} }]
      ],
      ['a text for a list', { total_count: 1, workflow_runs: 'x', artifacts: 'x' }]
    ])('that answers %s ends in a sentence', async (_, body) => {
      const { forge, merged, begin } = await ciStage(kind)
      begin()
      const { number, head } = await merged(B(20))
      const { env } = forge.start('report')
      const port = await openForge({ env, signal: new AbortController().signal, pause: 1 })
      const pull = { number, head, isFork: false, commits: [], merged: new Date() }
      const line = new Set([forge.tip])
      const operations = [
        async () => (await port.planOf(pull, 'fleet'))?.read([]),
        async () => (await all(port.results('apply', 'fleet', line)))[0]?.read([]),
        ...[() => all(port.mergedSince(new Date(0))), () => port.commitsOf(pull)],
        ...[() => port.tip(), () => port.failed(), () => port.issue('t', () => undefined)],
        () => port.comment(number, 't', 'x')
      ]
      const routes = [/./, results, pulls, plans, /artifacts$|\/jobs$/, /commits$/]
      for (const matching of routes) {
        forge.server.faults.splice(0, 1, { matching, times: 99, status: 200, body } as Fault)
        for (const operation of operations) {
          const thrown = await operation().then(
            () => undefined,
            (error: unknown) => error
          )
          if (thrown === undefined) continue
          expect(thrown).toBeInstanceOf(Failure)
          expect(String(thrown)).not.toContain(forge.tokens.report)
        }
      }
    })

    test('whose plan is being read when the run is interrupted settles nothing', async () => {
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

    test('whose pages never end is not followed for ever', async () => {
      const { forge, merged, apply, begin, live } = await ciStage(kind)
      begin()
      await merged(B(20))
      const next = `${forge.server.url}/endless?page=2`
      forge.server.faults.push({ matching: pulls, times: 99, next })
      await apply()
      forge.server.faults.length = 0
      await apply()
      expect(live()).toEqual([10, 20, 10])
    })
  })

  describe('the newest result', () => {
    test('gives way to the one before if it is damaged', async () => {
      const { forge, merged, apply, begin, live } = await ciStage(kind)
      begin()
      await merged(B(20))
      await merged(site('c', 'vlan_id: 30'))
      const broken = forge.start('apply')
      forge.write(broken, { 'result.json': '{' })
      forge.finish(broken, 'wlanctl-apply-fleet')
      expect(await apply()).toMatchObject({ code: 0 })
      expect(live()).toEqual([10, 20, 30])
    })

    test.each<[string, object]>([
      ['of a branch', { branch: 'evil' }],
      ['of a pull request', { event: 'pull_request' }],
      ...(kind === 'gitlab'
        ? [['of a tag named like the branch', { isTag: true }] as [string, object]]
        : [])
    ])('%s is none', async (_, start) => {
      const { forge, merged, apply, begin, live } = await ciStage(kind)
      begin()
      const pull = await merged(B(20))
      const forged = forge.start('apply', { ...start, commit: forge.tip })
      const result = {
        ...{
          format: 'wlanctl-ci/1',
          command: 'apply',
          name: 'fleet',
          url: 'x',
          code: 0,
          verdict: 'x'
        },
        ...{ pulls: [], since: forge.tip, open: [], missing: [] }
      }
      forge.write(forged, { 'result.json': JSON.stringify(result) })
      forge.finish(forged, 'wlanctl-apply-fleet')
      const applied = await apply()
      expect(applied.settled).toEqual([`#${pull.number} b/corp applied`])
      expect(live()).toEqual([10, 20, 10])
    })
  })

  test('without a token the first push is green, and a merged plan is red', async () => {
    const { merged, apply } = await ciStage(kind)
    const env = { WLANCTL_API_TOKEN: '' }
    const first = await apply({ env })
    expect(first).toMatchObject({ code: 0, open: [] })
    expect(first.report).toContain('not set up yet')
    const pull = await merged(B(20))
    const red = await apply({ env })
    expect(red).toMatchObject({ code: 3, open: [`#${pull.number} b/corp`] })
    expect(await apply()).toMatchObject({ code: 0, outcomes: { 'b/corp': 'applied' } })
  })

  test('a merge queue, and a run without a token, only validate', async () => {
    const { forge, run, plan } = await ciStage(kind)
    const pull = forge.openPullRequest({ files: B(20) })
    const validated = await plan(pull, { env: { WLANCTL_API_TOKEN: '' } })
    expect(validated).toMatchObject({ code: 0 })
    expect(validated.result.permits).toBeUndefined()
    expect(validated.report).toContain('only validated')
    if (kind === 'gitlab') return
    const queued = await run(forge.start('plan', { event: 'merge_group' }), 'plan')
    expect(queued.report).toContain('This is a merge queue')
  })

  describe('the report', () => {
    test('writes one comment for each pull request, and an issue of what waits or failed', async () => {
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

    test('of several attempts of a job is that of the newest one', async () => {
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

    test('says nothing of a run that was cancelled while it waited', async () => {
      const { forge, merged, report } = await ciStage(kind)
      await merged(B(20))
      const job = forge.start('apply')
      job.job.status = 'canceled'
      expect(await report(job, { apply: 'cancelled' })).toMatchObject({ code: 0 })
      expect(forge.state.issues).toEqual([])
    })

    test('says of a run that died where people look', async () => {
      const { forge, merged, report, comments } = await ciStage(kind)
      const pull = await merged(B(20))
      const job = forge.start('apply')
      job.job.status = 'failed'
      expect(await report(job, { apply: 'failure' })).toMatchObject({ code: 0 })
      expect(comments(pull)[0]).toContain('ended without a result')
      expect(forge.state.issues).toHaveLength(1)
    })
  })

  test('a check of drift skips changes that wait', async () => {
    const frozen = fleet(
      {},
      ', freezes: [{ from: "2020-01-01T00:00:00Z", until: "2099-01-01T00:00:00Z", reason: x }]'
    )
    const { forge, merged, apply, run, edit, report } = await ciStage(kind, frozen)
    await merged(B(20))
    await apply()
    const check = () => run(forge.start('drift'), 'drift', { store: 'drift' })
    expect(await check()).toMatchObject({ code: 0, result: { drift: 'none' } })
    await merged(site('c', 'vlan_id: 30'))
    expect(await check()).toMatchObject({ code: 0, result: { drift: 'none' } })
    edit('a', { vlan_id: 99 })
    const drifted = await check()
    expect(drifted).toMatchObject({ code: 0, result: { drift: 'drift' } })
    await report(drifted)
    expect(forge.state.issues[0]?.body).toContain('## Drift')
    expect(drifted.read('snapshot.json')).toContain('wlanctl-snapshot/1')
  })
})

/** What a run judges is the same on both forges. */
describe('a run', () => {
  const kind = 'github'

  test('drift is neither sent along nor a failure', async () => {
    const { merged, apply, live, edit } = await ciStage(kind)
    await merged(B(20))
    edit('b', { isolation: true })
    edit('a', { vlan_id: 99 })
    expect(await apply()).toMatchObject({ code: 0, outcomes: { 'b/corp': 'applied' } })
    expect(live()).toEqual([99, 20, 10])
    expect(live('isolation')).toEqual([false, true, false])
  })

  test.each([
    ['switches a network off', 'vlan_id: 10\nenabled: false'],
    ['resets the radio', 'vlan_id: 10\nbands: ["24"]'],
    ['moves clients and lets them see each other', 'vlan_id: 20\nisolation: false']
  ])('what its plan shows of a change that %s is permitted', async (_what, fields) => {
    const { merged, apply, edit } = await ciStage('github', fleet({ b: 'vlan_id: 10' }))
    edit('b', { isolation: true, bands: ['24', '5'] })
    const { number } = await merged(site('b', fields))
    expect(await apply({ line: `apply --pull-request ${number} --allow-downgrade` })).toMatchObject(
      {
        code: 0,
        settled: [`#${number} b/corp applied`]
      }
    )
  })

  test('an edit by hand of a planned field is stale, and settled', async () => {
    const { merged, apply, live, edit } = await ciStage(kind)
    const pull = await merged(B(20))
    edit('b', { vlan_id: 77 })
    const stale = await apply()
    expect(stale).toMatchObject({ code: 5, open: [], outcomes: { 'b/corp': 'stale' } })
    expect(stale.settled).toEqual([`#${pull.number} b/corp stale`])
    expect(await apply()).toMatchObject({ code: 0, settled: [] })
    expect(live()).toEqual([10, 77, 10])
  })

  test('a change over a limit waits for a run by hand that names and allows it', async () => {
    const { forge, plan, apply, live } = await ciStage(kind, fleet({}, ', max_changes: 1'))
    const pull = forge.openPullRequest({ files: { ...B(20), ...site('c', 'vlan_id: 20') } })
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
  })

  test('a relaxed limit holds from the next merge on', async () => {
    const two = { ...B(20), ...site('c', 'vlan_id: 20') }
    const { merged, apply, live } = await ciStage(kind, fleet({}, ', max_changes: 1'))
    const relaxed = {
      'fleet/policy.yaml': fleet({}, ', max_changes: 5')['fleet/policy.yaml'] ?? ''
    }
    await merged({ ...two, ...relaxed })
    expect((await apply()).open).toHaveLength(2)
    await merged({ ...site('a', 'vlan_id: 30') })
    expect(await apply()).toMatchObject({ code: 0, outcomes: { 'a/corp': 'applied' } })
    expect(live()).toEqual([30, 10, 10])
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

  test('options that take a part of the fleet, or replace the permission, are refused', async () => {
    const { apply } = await ciStage(kind)
    for (const option of ['--site=a', '--plan=x.json', '--shard=1/2', '--base=HEAD']) {
      expect(await apply({ line: `apply -- ${option}` })).toMatchObject({ code: 3 })
    }
    expect(await apply({ line: 'apply --max-changes 5' })).toMatchObject({ code: 3 })
  })

  test('apply elsewhere is refused while sending is suspended', async () => {
    const { forge, service, live } = await ciStage(kind)
    forge.pushToMain(B(20))
    const { cwd } = forge.start('apply')
    const env = { ...service, WLANCTL_SUSPEND: 'an outage' }
    const ended = await wlanctl(['apply', 'fleet', '--yes'], { cwd, env })
    expect(ended).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('suspended: an outage')
    })
    expect(live()).toEqual([10, 10, 10])
  })

  test.each(['link', 'file'])('results in a %s are refused', async form => {
    const { forge, merged, run, live } = await ciStage(kind)
    await merged(B(20))
    const job = forge.start('apply')
    rmSync(job.results, { recursive: true, force: true })
    const elsewhere = join(job.cwd, 'elsewhere')
    mkdirSync(elsewhere)
    writeFileSync(join(elsewhere, 'plan.json'), 'mine')
    if (form === 'link') symlinkSync(elsewhere, job.results)
    else writeFileSync(job.results, 'x')
    const refused = await run(job, 'apply')
    expect(refused.code).toBe(3)
    expect(refused.stderr).not.toContain('bug')
    expect(live()).toEqual([10, 10, 10])
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
})

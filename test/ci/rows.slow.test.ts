import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openForge } from '../../src/ci/open-forge.ts'
import { Failure } from '../../src/core/model/failure.ts'
import { wlanctl } from '../support/program.ts'
import { B, fleet, site, type Texts } from './fleet.ts'
import type { TestForge } from './forge/forge.ts'
import type { Pull, StoredArtifact } from './forge/state.ts'
import { zip } from './forge/zip.ts'
import { ciStage, kinds } from './stage.ts'

/** The newest artifact that a run of a pull request stored. */
function planOf(forge: TestForge, pull: Pull): StoredArtifact {
  const runs = forge.state.runs.filter(run => run.pull === pull)
  const [artifact] = runs.flatMap(({ jobs }) => jobs.flatMap(job => job.artifacts)).reverse()
  if (artifact === undefined) throw new Error('no plan')
  return artifact
}

/** A pull request with a plan of this result, which no program made. */
function claimed(forge: TestForge, files: Texts): Pull {
  const pull = forge.openPullRequest({ files })
  const job = forge.start('plan', { pull })
  const common = { format: 'wlanctl-ci/1', command: 'plan', name: 'fleet', url: 'x', code: 0 }
  const { number } = pull
  const about = { verdict: 'x', pulls: [number], permits: [], pull: { number, target: 'main' } }
  forge.write(job, { 'result.json': JSON.stringify({ ...common, ...about }) })
  forge.finish(job, 'wlanctl-plan-fleet')
  return pull
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
    const { forge, apply, live, merged } = await ciStage(kind)
    await apply()
    const pulls: Pull[] = []
    for (const [at, [, change]] of bad.entries()) {
      const pull = claimed(forge, B(20 + at))
      if (typeof change === 'function') change(pull, forge)
      else Object.assign(planOf(forge, pull), change)
      forge.merge(pull)
      pulls.push(pull)
    }
    await merged(site('c', 'vlan_id: 30'))
    const before = forge.server.calls.length
    const applied = await apply()
    // The tip is asked for once a minute.
    const calls = forge.server.calls.slice(before).filter(call => !call.endsWith('/branches/main'))
    expect(calls.length).toBeLessThan(20 + 4 * (1 + bad.length))
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

  test.each(['merge', 'squash', 'rebase'] as const)('a %s is applied', async method => {
    const { forge, plan, apply, live } = await ciStage(kind)
    await apply()
    const pull = forge.openPullRequest({ files: B(20) })
    forge.push(pull, site('c', 'vlan_id: 30'))
    await plan(pull)
    // GitLab rebases the branch first, whose last commit then needs another plan.
    if (kind !== 'gitlab' || method !== 'rebase') forge.pushToMain({ 'README.md': 'meanwhile\n' })
    forge.merge(pull, method)
    const applied = await apply()
    expect(applied).toMatchObject({ code: 0, open: [], result: { missing: [] } })
    expect(applied.settled).toHaveLength(2)
    expect(live()).toEqual([10, 20, 30])
  })

  const results = kind === 'github' ? /\/workflows\/.*\/runs$/ : /GET .*\/pipelines$/
  const pulls = kind === 'github' ? /\/pulls$/ : /\/merge_requests$/
  const plans = kind === 'github' ? /\/actions\/runs$/ : /\/merge_requests\/\d+\/pipelines$/

  test('what the forge does not give is asked again; without the newest result, nothing is sent', async () => {
    const { forge, merged, apply, live } = await ciStage(kind)
    await apply()
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
    const { forge, merged, apply } = await ciStage(kind)
    await apply()
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
    const { forge, merged, apply, live } = await ciStage(kind)
    await apply()
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
    expect(comments(pull)[0]).toContain('`Corp` at `b`')
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

/** What has no part of the forge is the same on both. */
describe('a run', () => {
  const kind = 'github'

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
    const waiting = await check()
    expect(waiting).toMatchObject({ code: 0, result: { drift: 'none' } })
    expect(waiting.report).toMatch(/^Not drift: 2 of the changes are merged/)
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
    edit('a', { enabled: true, portal: { enabled: false } })
    await check()
    const open = await check()
    expect(open.report).not.toContain('puts them back')
    expect(open).toMatchObject({ code: 0, result: { drift: 'drift' } })
  })
})

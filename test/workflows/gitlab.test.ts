import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { CORP, HQ, simulate } from '../simulator/simulate.ts'
import { commit, git, repository } from '../support/git.ts'
import { folder, ROOT } from '../support/program.ts'
import { Scanner } from '../support/scanner.ts'
import { gitlab, NOTES_TOKEN, PROJECT, SELF } from './fake/gitlab.ts'
import { type CiResult, ciJobs, globals, runPipeline, type Trigger } from './fake/pipeline.ts'
import { checkout, PSK } from './fake/town.ts'
import { read } from './fake/workflow.ts'

const FORK = 43

/** A project on GitLab with the example, its fleet and its service, and the events of both. */
async function village() {
  const { simulator } = await simulate()
  const hub = await gitlab()
  const origin = folder()
  cpSync(join(ROOT, 'examples/gitlab/.gitlab'), join(origin, '.gitlab'), { recursive: true })
  const write = (vlan: number, policy?: string, wlan?: string) =>
    cpSync(checkout(vlan, policy, wlan), origin, { recursive: true })
  write(20)
  repository(origin)
  const head = () => git(origin, 'rev-parse', 'HEAD')
  hub.tip = head()
  hub.deployments.push({ sha: hub.tip, status: 'success' })
  const settings = { WLANCTL_READ_TOKEN: simulator.token, WLANCTL_GITLAB_TOKEN: NOTES_TOKEN }

  const run = (trigger: Partial<Trigger>, given: Readonly<Record<string, string>> = {}) =>
    runPipeline(hub, {
      source: 'push',
      sha: head(),
      ref: 'main',
      checkout: origin,
      ofEnvironment: { WLANCTL_WRITE_TOKEN: simulator.token, WLAN_SECRET_GUEST: PSK },
      ...trigger,
      given: {
        CI_API_V4_URL: hub.url,
        CI_PROJECT_ID: PROJECT,
        CI_PROJECT_ROOT_NAMESPACE: 'acme',
        CI_DEFAULT_BRANCH: 'main',
        ...given,
        WLANCTL_BASE_URL: simulator.url,
        ...(trigger.given ?? settings)
      }
    })

  const ofRequest = (iid: number, from = Number(PROJECT)) => ({
    CI_MERGE_REQUEST_IID: String(iid),
    CI_MERGE_REQUEST_PROJECT_ID: PROJECT,
    CI_MERGE_REQUEST_SOURCE_PROJECT_ID: String(from),
    CI_MERGE_REQUEST_DIFF_BASE_SHA: git(origin, 'merge-base', 'main', 'HEAD')
  })

  /** Creates a merge request, or another commit on it. */
  const propose = (iid: number, vlan: number) => {
    git(origin, 'checkout', '--quiet', '-B', `change-${iid}`, 'main')
    write(vlan)
    commit(origin)
    const known = hub.mergeRequests.find(each => each.iid === iid)
    if (known) return void Object.assign(known, { sha: head() })
    hub.mergeRequests.push({
      iid,
      sha: head(),
      state: 'opened',
      target_branch: 'main',
      merge_commit_sha: null,
      squash_commit_sha: null,
      notes: []
    })
  }

  /** The pipeline of the last created merge request. */
  const plan = (iid: number, trigger: Partial<Trigger> = {}) =>
    run(
      { source: 'merge_request_event', ref: `refs/merge-requests/${iid}/head`, iid, ...trigger },
      ofRequest(iid)
    )

  const merge = (iid: number) => {
    git(origin, 'checkout', '--quiet', 'main')
    git(origin, 'merge', '--quiet', '--no-ff', '--strategy-option=theirs', `change-${iid}`)
    hub.tip = head()
    const request = hub.mergeRequests.find(each => each.iid === iid)
    Object.assign(request ?? {}, { state: 'merged', merge_commit_sha: head() })
  }

  const push = (trigger: Partial<Trigger> = {}) =>
    run(trigger, {
      CI_COMMIT_BRANCH: 'main',
      CI_COMMIT_BEFORE_SHA: git(origin, 'rev-parse', 'HEAD^')
    })

  return {
    simulator,
    hub,
    origin,
    write,
    head,
    propose,
    plan,
    merge,
    push,
    request: (iid: number) => hub.mergeRequests.find(each => each.iid === iid),
    planFromFork: (iid: number) =>
      run(
        { source: 'merge_request_event', ref: 'change', iid, projectId: FORK, given: {} },
        { ...ofRequest(iid, FORK), CI_PROJECT_ID: String(FORK) }
      ),
    schedule: (task = '', trigger: Partial<Trigger> = {}, branch = 'main') =>
      run({ source: 'schedule', ...trigger }, { CI_COMMIT_BRANCH: branch, TASK: task })
  }
}

/** A project with a merge request that was planned and merged. */
async function merged(vlan = 21) {
  const made = await village()
  made.propose(7, vlan)
  await made.plan(7)
  made.merge(7)
  return made
}

const codes = (results: Readonly<Record<string, CiResult>>) =>
  Object.fromEntries(Object.entries(results).map(([name, { code }]) => [name, code]))

const artifactOf = (result: CiResult | undefined, name: string) =>
  readFileSync(join(result?.folder ?? '', 'wlanctl-results', name), 'utf8')

/** A scenario runs several jobs, each in its own shells. */
const long = { timeout: 120_000 }

describe('the jobs on GitLab', long, () => {
  it('merge request, note, merge, apply, note, hand edit, drift, issue, fix, closed', async () => {
    const { simulator, hub, propose, plan, merge, push, request, schedule } = await village()
    propose(7, 21)
    const forged = { id: 1, author: { id: 666 }, body: '<!-- wlanctl:plan:fleet -->' }
    request(7)?.notes.push(forged)

    // Merge request: planned, and shown in one note and the widgets; nothing is sent.
    const planned = await plan(7)
    expect(codes(planned)).toEqual({ validate: 0, plan: 0, 'plan-note': 0 })
    expect(JSON.parse(artifactOf(planned['plan'], 'counts.json'))).toEqual({
      create: 0,
      update: 1,
      delete: 0
    })
    expect(JSON.parse(artifactOf(planned['plan'], 'codequality.json'))).toBeInstanceOf(Array)
    const note = request(7)?.notes[1]
    expect(note?.body).toMatch(/^<!-- wlanctl:plan:fleet -->\n### /)
    expect(note?.body).toContain('| `hq` | `corp`')
    expect(simulator.history).toEqual([])

    // Another commit: the same note.
    propose(7, 22)
    await plan(7)
    expect(request(7)?.notes).toEqual([forged, { ...note, body: expect.stringContaining('22') }])

    // Merged: the approved plan is applied.
    merge(7)
    expect(codes(await push())).toEqual({ apply: 0, 'apply-note': 0 })
    expect(simulator.record(HQ, CORP)['vlan_id']).toBe(22)
    expect(request(7)?.notes[2]?.body).toMatch(
      /^<!-- wlanctl:apply:fleet -->\n[\s\S]*\n- \[Pipeline \d+\]\(.*\): .*applied/
    )

    // In sync: no issue. A manual edit: one issue, which is updated.
    expect(codes(await schedule())).toEqual({ drift: 0, 'drift-issue': 0 })
    expect(hub.issues).toEqual([])
    simulator.edit(HQ, CORP, { vlan_id: 99 })
    expect(codes(await schedule())).toEqual({ drift: 2, 'drift-issue': 0 })
    simulator.edit(HQ, CORP, { vlan_id: 98 })
    await schedule()
    expect(hub.issues).toMatchObject([
      { state: 'opened', title: 'Drift: fleet is not as declared', author: { id: SELF } }
    ])
    expect(hub.issues[0]?.description).toContain('98')
    expect(hub.issues[0]?.notes).toEqual([])

    // The scheduled apply reverts the edit, and the next check closes the issue.
    expect(codes(await schedule('apply'))).toEqual({ 'apply-scheduled': 0 })
    expect(simulator.record(HQ, CORP)['vlan_id']).toBe(22)
    await schedule()
    expect(hub.issues).toMatchObject([
      { state: 'closed', notes: [{ body: expect.stringContaining('As declared again') }] }
    ])
  })

  it('apply what several merge requests planned since the last apply', async () => {
    const { simulator, hub, propose, plan, merge, push, request } = await village()
    propose(7, 21)
    await plan(7)
    merge(7)
    propose(8, 21)
    await plan(8)
    merge(8)
    expect(codes(await push())).toEqual({ apply: 0, 'apply-note': 0 })
    expect(simulator.record(HQ, CORP)['vlan_id']).toBe(21)
    for (const iid of [7, 8]) expect(request(iid)?.notes.at(-1)?.body).toContain('applied')
    expect(hub.deployments.at(-1)).toEqual({ sha: hub.tip, status: 'success' })
  })

  it('pass each secret to the jobs that need it, and print none', async () => {
    const { simulator, hub, push, schedule } = await merged()
    const results = { ...(await push()), ...(await schedule()) }
    const texts = Object.entries(results).map(([name, { log }]) => [name, log])
    const outputs = {
      ...Object.fromEntries(texts),
      hub: JSON.stringify([hub.mergeRequests, hub.issues]),
      report:
        artifactOf(results['apply'], 'outcome.html') + artifactOf(results['drift'], 'drift.json')
    }
    const scanner = new Scanner([
      { name: 'psk', value: PSK },
      { name: 'live psk', value: 'test-psk-123' },
      { name: 'token', value: simulator.token },
      { name: 'token for notes', value: NOTES_TOKEN }
    ])
    expect(scanner.scan(outputs)).toEqual([])
  })
})

describe('apply on GitLab fails closed', long, () => {
  type Village = Awaited<ReturnType<typeof village>>

  const refusals: Readonly<Record<string, [(made: Village) => unknown, RegExp]>> = {
    'the plan has expired': [
      ({ hub }) => {
        for (const { jobs } of hub.pipelines) for (const job of jobs) delete job.artifacts
      },
      /There is no plan of the last commit of !7/
    ],
    'its last commit has no plan': [
      ({ request, head }) => Object.assign(request(7) ?? {}, { sha: head() }),
      /There is no plan of the last commit of !7/
    ],
    'only a merge train has planned it': [
      ({ hub }) => {
        for (const each of hub.pipelines)
          Object.assign(each, { ref: 'refs/merge-requests/7/train' })
      },
      /There is no plan of the last commit of !7/
    ],
    'only the pipeline of a fork has planned it': [
      ({ hub }) => {
        for (const each of hub.pipelines) Object.assign(each, { project_id: FORK })
      },
      /There is no plan of the last commit of !7/
    ],
    'a later commit is the tip of the branch': [
      ({ hub }) => {
        hub.tip = 'f'.repeat(40)
      },
      /is not the last commit of main any more/
    ],
    'GitLab does not answer': [
      ({ hub }) => hub.failures.push({ matching: 'deployments', times: 1, status: 403 }),
      /answered GET .*deployments.* with 403: check WLANCTL_GITLAB_TOKEN and its role/
    ]
  }

  it.each(Object.entries(refusals))('where %s', async (_, [change, reason]) => {
    const made = await merged()
    change(made)
    const { apply } = await made.push()
    expect(apply?.code).toBe(1)
    expect(apply?.log).toMatch(reason)
    expect(artifactOf(apply, 'outcome.md')).toMatch(/^### 🔴 Apply: .*nothing was sent\n/)
    expect(made.simulator.history).toEqual([])
    expect(made.hub.deployments.at(-1)?.status).toBe('failed')
  })

  it('with the reason in the note, which the next run completes', async () => {
    const made = await merged()
    const plans = made.hub.pipelines.flatMap(({ jobs }) =>
      jobs.filter(({ name }) => name === 'plan')
    )
    const [artifacts] = plans.map(job => job.artifacts)
    for (const job of plans) delete job.artifacts
    await made.push()
    const note = made.request(7)?.notes.at(-1)
    expect(note?.body).toContain('### 🔴 Apply: refused, nothing was sent')
    expect(note?.body).toContain('There is no plan of the last commit of !7')
    for (const job of plans) if (artifacts) job.artifacts = artifacts
    await made.push()
    expect(made.request(7)?.notes.at(-1)?.id).toBe(note?.id)
    expect(note?.body).toMatch(/- \[Pipeline \d+\].*refused.*\n- \[Pipeline \d+\].*applied/)
  })

  it('for a push without a merge request, unless REQUIRE_PLAN says otherwise', async () => {
    const { simulator, hub, write, origin, head, push } = await village()
    write(21)
    commit(origin)
    hub.tip = head()
    const { apply } = await push()
    expect([apply?.code, apply?.log]).toEqual([1, expect.stringContaining('came without a merge')])
    expect(simulator.history).toEqual([])
    const ofEnvironment = {
      WLANCTL_WRITE_TOKEN: simulator.token,
      WLAN_SECRET_GUEST: PSK,
      REQUIRE_PLAN: 'false'
    }
    expect((await push({ ofEnvironment }))['apply']?.code).toBe(0)
    expect(simulator.record(HQ, CORP)['vlan_id']).toBe(21)
  })

  it('for changes that the plan does not show', async () => {
    const { simulator, write, origin, hub, head, push } = await merged(20)
    write(23)
    commit(origin)
    hub.tip = head()
    expect((await push())['apply']?.code).toBe(5)
    expect(simulator.record(HQ, CORP)['vlan_id']).toBe(20)
  })

  it('for a schedule if the commit was never applied', async () => {
    const { simulator, schedule } = await merged()
    const scheduled = (await schedule('apply'))['apply-scheduled']
    expect(scheduled?.code).toBe(1)
    expect(scheduled?.log).toContain('has not been applied yet')
    expect(simulator.history).toEqual([])
  })

  it.each([
    ['a limit', {}, 'max_changes: 0', /max_changes/],
    ['a missing token', { WLANCTL_WRITE_TOKEN: '' }, undefined, /API token is missing/],
    ['a registry that is down', undefined, undefined, /job ended early/]
  ])('for %s, with the reason in the note', async (_, change, policy, reason) => {
    const made = await village()
    if (policy) {
      made.write(20, policy)
      commit(made.origin)
      made.hub.deployments.push({ sha: made.head(), status: 'success' })
    }
    made.propose(7, 21)
    await made.plan(7)
    made.merge(7)
    const tokens = { WLANCTL_WRITE_TOKEN: made.simulator.token, WLAN_SECRET_GUEST: PSK }
    const results = await made.push({
      ofEnvironment: { ...tokens, ...change },
      isRegistryDown: change === undefined
    })
    expect(results['apply']?.code).not.toBe(0)
    expect(made.simulator.history).toEqual([])
    expect(made.request(7)?.notes.at(-1)?.body).toMatch(reason)
  })

  it('and continues after a temporary failure of GitLab, with one note', async () => {
    const { simulator, hub, push, request } = await merged()
    const status = 502
    hub.failures.push(
      { matching: 'deployments', times: 1, status },
      { matching: 'POST', times: 1, status, isDone: true }
    )
    expect(codes(await push())).toEqual({ apply: 0, 'apply-note': 0 })
    expect(simulator.record(HQ, CORP)['vlan_id']).toBe(21)
    const notes = request(7)?.notes.filter(({ body }) => body.includes('wlanctl:apply:'))
    expect(notes).toHaveLength(1)
  })
})

describe('drift on GitLab is reported', long, () => {
  it('for the default branch only: another one would open or close its issue', async () => {
    const { simulator, schedule } = await village()
    expect(await schedule('', {}, 'change')).toEqual({})
    expect(simulator.requests).toEqual([])
  })

  it('although some sites cannot be checked', async () => {
    const { simulator, hub, write, origin, schedule } = await village()
    write(20, undefined, 'missing: { ssid: Missing }')
    commit(origin)
    simulator.edit(HQ, CORP, { vlan_id: 99 })
    expect((await schedule())['drift']?.code).toBe(5)
    expect(hub.issues).toMatchObject([{ title: 'Drift: fleet is not as declared' }])
    expect(hub.issues[0]?.description).toContain('**Incomplete:**')
  })

  it('in a comment if more WLANs drift, with their owner', async () => {
    const { simulator, hub, origin, schedule } = await village()
    const file = join(origin, 'sites/hq.yaml')
    const text = readFileSync(file, 'utf8')
      .replace('ssid: Corp', 'ssid: Corp, limit_bcast: false')
      .replace('name: hq', 'name: hq, owner: hq-team')
    writeFileSync(file, text)
    commit(origin)
    simulator.edit(HQ, CORP, { vlan_id: 99 })
    await schedule()
    expect(hub.issues[0]?.description).toContain('@acme/hq-team')
    simulator.edit(HQ, CORP, { limit_bcast: true })
    await schedule()
    expect(hub.issues[0]?.notes.map(({ body }) => body)).toEqual([
      expect.stringMatching(
        /^Drift of more WLANs.*\n\n- `hq\/corp`: `\/limit_bcast` @acme\/hq-team\n/
      )
    ])
  })

  it('if a guard field changes that no file declares, after any number of checks', async () => {
    const { simulator, hub, schedule } = await village()
    await schedule()
    await schedule()
    expect(hub.issues).toEqual([])
    simulator.edit(HQ, CORP, { isolation: true })
    await schedule()
    expect(hub.issues).toMatchObject([{ title: 'Drift: fleet is not as declared' }])
    expect(hub.issues[0]?.description).toContain('- `hq/corp`: `/isolation`\n')
  })

  it.each([
    ['the service refuses', { fail: [{ answer: { status: 403 }, times: 'always' as const }] }, {}],
    ['the registry is down', {}, { isRegistryDown: true }]
  ])('as a failed check if %s, and its stored files are kept', async (_, service, change) => {
    const { simulator, hub, schedule } = await village()
    simulator.edit(HQ, CORP, { vlan_id: 99 })
    const first = JSON.parse(artifactOf((await schedule())['drift'], 'drift.json'))
    simulator.set(service)
    for (const _ of [1, 2]) {
      expect((await schedule('', change))['drift']?.code).not.toBe(0)
    }
    expect(hub.issues).toMatchObject([
      { title: 'Drift: fleet is not as declared', state: 'opened' },
      { title: 'Drift: fleet cannot be checked', state: 'opened' }
    ])
    expect(hub.issues[1]?.description).toMatch(/\*\*Cannot check since 20[0-9T:-]+Z:\*\*/)
    simulator.set({ fail: [] })
    const next = JSON.parse(artifactOf((await schedule())['drift'], 'drift.json'))
    expect(next.since.new_fields).toBe(0)
    expect(next.changes[0].first_seen['/vlan_id']).toBe(first.created)
    expect(hub.issues[1]).toMatchObject({ state: 'closed' })
  })

  it('without quick actions, and only in its own issue', async () => {
    const { simulator, hub, schedule } = await village()
    simulator.set({ fail: [{ answer: { status: 403, body: '/close' }, times: 'always' }] })
    await schedule()
    expect(hub.issues[0]?.description).not.toMatch(/^\s*\/close/m)
  })
})

describe('a merge request from a fork on GitLab', long, () => {
  it('is planned on the stored snapshot of a public project, without token or secret', async () => {
    const { simulator, hub, schedule, propose, planFromFork, request } = await village()
    await schedule()
    const requests = simulator.requests.length
    propose(8, 21)
    hub.isPublic = true
    const results = await planFromFork(8)
    expect(codes(results)).toEqual({ validate: 0, 'plan-on-snapshot': 0 })
    expect(artifactOf(results['plan-on-snapshot'], 'plan.md')).toContain('| `hq` | `corp`')
    expect(simulator.requests).toHaveLength(requests)
    expect(request(8)?.notes).toEqual([])
  })

  it('is validated if the snapshot cannot be read', async () => {
    const { schedule, propose, planFromFork } = await village()
    await schedule()
    propose(8, 9999)
    const results = await planFromFork(8)
    expect(codes(results)).toEqual({ validate: 3, 'plan-on-snapshot': 0 })
    expect(results['plan-on-snapshot']?.log).toContain('no stored snapshot that a fork can read')
  })
})

describe('.gitlab-ci.yml', () => {
  it('installs this version, and verifies its provenance', () => {
    expect(globals['WLANCTL_VERSION']).toBe(packageJson.version)
    expect(read('examples/gitlab/.gitlab/wlanctl/provenance.mjs')).toBe(
      read('.github/actions/wlanctl/provenance.mjs')
    )
    for (const job of Object.values(ciJobs)) {
      const lines = job.before_script ?? []
      const [install, check] = ['npm install', 'provenance.mjs'].map(text =>
        lines.findIndex(line => line.includes(text))
      )
      if (lines.length > 0) expect(check).toBeGreaterThan(install ?? Number.POSITIVE_INFINITY)
    }
  })

  it('passes a token that can write to the jobs of the environment, one at a time', () => {
    const writers = Object.entries(ciJobs).filter(([, { variables = {} }]) =>
      Object.values(variables).includes('$WLANCTL_WRITE_TOKEN')
    )
    expect(writers.map(([name]) => name)).toEqual(['apply', 'apply-scheduled'])
    for (const [, job] of writers) {
      expect(job).toMatchObject({ environment: 'production', resource_group: 'wlanctl' })
    }
  })

  it('keeps the files of later jobs equally long', () => {
    const kept = Object.values(ciJobs).flatMap(({ artifacts }) => artifacts?.expire_in ?? [])
    expect(new Set(kept)).toEqual(new Set(['90 days']))
  })
})

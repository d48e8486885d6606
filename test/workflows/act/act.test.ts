import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { CORP, HQ, simulate } from '../../simulator/simulate.ts'
import { git, repository } from '../../support/git.ts'
import { folder, ROOT, startCommand } from '../../support/program.ts'
import { type Artifact, github, REPOSITORY } from '../fake/github.ts'
import { checkout, PSK } from '../fake/town.ts'
import { filesIn, read } from '../fake/workflow.ts'
import { writeStubs } from './stubs.ts'

/**
 * Runs the workflows in nektos/act, which evaluates expressions, needs, outputs and called workflows itself.
 * `.ci/run` builds act if Go is installed; walk.test.ts runs the scripts without it.
 */
const hasAct = spawnSync('act', ['--version']).status === 0

type Run = Artifact['workflow_run']

const variablesOf = ({ id }: Run) => ({
  GITHUB_REPOSITORY: REPOSITORY,
  GITHUB_RUN_ID: String(id)
})

/** Every used action: its name and commit. */
const pins = new Set(
  filesIn('.github/workflows', /\.yml$/).flatMap(
    file => read(file).match(/(?<=uses: actions\/)[\w-]+@[0-9a-f]{40}/g) ?? []
  )
)

/** A service, a repository whose workflows call these, and act to run them. */
async function stage(names: readonly string[], vlan: number) {
  const { simulator } = await simulate()
  const hub = github()
  hub.quicken()
  const files = checkout(vlan)
  const workflows = join(files, '.github/workflows')
  mkdirSync(workflows, { recursive: true })
  for (const name of names) {
    // act does not know this key: without queues, one run is active at a time.
    const called = read(`.github/workflows/${name}.yml`).replace(/^ +queue: max\n/m, '')
    writeFileSync(join(workflows, `called-${name}.yml`), called)
    const example = parse(read(`examples/github/.github/workflows/${name}.yml`))
    const { wlans } = example.jobs
    wlans.uses = `./.github/workflows/called-${name}.yml`
    wlans.with['base-url'] = simulator.url
    writeFileSync(join(workflows, `${name}.yml`), JSON.stringify(example))
  }
  repository(files)
  const sha = git(files, 'rev-parse', 'HEAD')
  hub.change(state => {
    state.tip = sha
  })
  const home = folder()
  const stubs = writeStubs(join(home, 'actions'))
  const permissions = {
    actions: 'read',
    contents: 'write',
    issues: 'write',
    'pull-requests': 'write'
  }
  const env = {
    FAKE_BIN: hub.bin,
    FAKE_GITHUB: hub.directory,
    FAKE_PERMISSIONS: JSON.stringify(permissions),
    FLEET_FILES: files,
    OWN: ROOT
  }
  const secrets = {
    GITHUB_TOKEN: 'token-of-the-job',
    WLANCTL_API_TOKEN: simulator.token,
    WLANCTL_READ_TOKEN: simulator.token,
    WLAN_SECRET_GUEST: PSK
  }
  let runs = 0
  return {
    simulator,
    hub,
    sha,
    /** A file in an artifact of the last run. */
    stored: (path: string) => {
      const file = join(hub.directory, 'artifacts', String(runs), path)
      return existsSync(file) ? readFileSync(file, 'utf8') : undefined
    },
    /** Runs a workflow for an event; expects success; returns the log. */
    async run(name: string, event: string, payload: object = {}, of: Partial<Run> = {}) {
      const made = { repository_id: 1, head_repository_id: 1, head_branch: 'main', head_sha: sha }
      const run = { id: ++runs, ...made, ...of }
      const file = join(home, 'event.json')
      const repository = { default_branch: 'main', full_name: REPOSITORY }
      writeFileSync(file, JSON.stringify({ repository, ...payload }))
      const pairs = (option: string, values: Readonly<Record<string, string>>) =>
        Object.entries(values).flatMap(([key, value]) => [option, `${key}=${value}`])
      const words = [
        event,
        ...['--eventpath', file, '--workflows', `.github/workflows/${name}.yml`],
        ...['--platform', 'ubuntu-24.04=-self-hosted', '--defaultbranch', 'main'],
        ...pairs('--env', { ...env, FAKE_RUN: JSON.stringify(run), ...variablesOf(run) }),
        ...pairs('--secret', secrets),
        ...[...pins].flatMap(pin => [
          '--local-repository',
          `actions/${pin}=${stubs.get(pin.replace(/@.*/, ''))}`
        ])
      ]
      const options = { cwd: files, env: { PATH: process.env['PATH'] ?? '', HOME: home } }
      const { code, stdout, stderr } = await startCommand('act', words, options).ended
      return { code, log: code === 0 ? '' : stdout + stderr }
    }
  }
}

describe.skipIf(!hasAct)('the workflows in act', { timeout: 300_000 }, () => {
  it('plan.yml plans a pull request and writes one comment', async () => {
    const { hub, simulator, stored, run } = await stage(['plan'], 21)
    const { code, log } = await run('plan', 'pull_request', {
      pull_request: { number: 7, head: { repo: { full_name: REPOSITORY } } }
    })
    expect({ code, log }).toEqual({ code: 0, log: '' })
    expect(JSON.parse(stored('wlanctl-plan-fleet/plan.json') ?? '{}').summary.changed).toBe(1)
    expect(hub.state.comments).toMatchObject([{ issue: 7 }])
    expect(hub.state.comments[0]?.body).toMatch(/^<!-- wlanctl:plan:fleet -->\n###/)
    expect(simulator.history).toEqual([])
  })

  it('drift.yml opens an issue', async () => {
    const { hub, simulator, run } = await stage(['drift'], 20)
    simulator.edit(HQ, CORP, { vlan_id: 99 })
    const { code, log } = await run('drift', 'workflow_dispatch')
    expect({ code, log }).toEqual({ code: 0, log: '' })
    expect(hub.state.issues).toMatchObject([{ title: 'Drift: fleet is not as declared' }])
  })
  it('reconcile.yml plans, and applies that plan in the environment', async () => {
    const { simulator, stored, run } = await stage(['reconcile'], 20)
    simulator.edit(HQ, CORP, { vlan_id: 99 })
    const { code, log } = await run('reconcile', 'workflow_dispatch', { inputs: { site: '' } })
    expect({ code, log }).toEqual({ code: 0, log: '' })
    expect(simulator.record(HQ, CORP)['vlan_id']).toBe(20)
    expect(stored('wlanctl-record-fleet-1/record.jsonl')).toContain('"applied"')
    expect(stored('wlanctl-planned-fleet/plan.json')).not.toContain(PSK)
  })

  it('adopt.yml opens a pull request', async () => {
    const { hub, simulator, run } = await stage(['adopt'], 20)
    simulator.edit(HQ, CORP, { vlan_id: 99 })
    const { code, log } = await run('adopt', 'workflow_dispatch', { inputs: { site: '' } })
    expect({ code, log }).toEqual({ code: 0, log: '' })
    expect(hub.state.opened).toMatchObject([{ head: 'wlanctl/adopt-fleet', base: 'main' }])
  })

  it('apply.yml applies what the pull request planned, scheduled.yml corrects it, and revert.yml undoes it', async () => {
    const { hub, sha, simulator, stored, run } = await stage(
      ['plan', 'apply', 'scheduled', 'revert'],
      21
    )
    const head = { sha: 'aaa', repo: { full_name: REPOSITORY } }
    const ofBranch = { head_branch: 'change', head_sha: 'aaa' }
    const good = { code: 0, log: '' }
    const planned = await run(
      'plan',
      'pull_request',
      { pull_request: { number: 7, head } },
      ofBranch
    )
    expect(planned).toEqual(good)
    hub.change(({ pulls }) => {
      const merged = { number: 7, merged_at: '2026-11-20T10:00:00Z', merge_commit_sha: sha }
      pulls[sha] = [{ ...merged, head, base: { ref: 'main' } }]
    })
    expect(await run('apply', 'push', { before: '' })).toEqual(good)
    expect(simulator.record(HQ, CORP)['vlan_id']).toBe(21)
    expect(stored('wlanctl-record-fleet-1/record.jsonl')).toContain('"applied"')
    const comment = hub.state.comments.find(({ body }) => body.startsWith('<!-- wlanctl:apply'))
    expect(comment?.body).toContain('- [Run 2, attempt 1]')

    simulator.edit(HQ, CORP, { vlan_id: 99 })
    expect(await run('scheduled', 'schedule')).toEqual(good)
    expect(simulator.record(HQ, CORP)['vlan_id']).toBe(21)

    const inputs = { run: '2', 'ignore-windows': false }
    const undone = await run('revert', 'workflow_dispatch', { inputs })
    // The apply wrote a secret as well, which a record does not contain: the run fails, and says so.
    expect(undone.log).toContain('secrets of 1 WLAN not restored')
    expect(simulator.record(HQ, CORP)['vlan_id']).toBe(20)
    const { code, log } = await run('scheduled', 'schedule')
    expect(code).not.toBe(0)
    expect(log).toContain('undid an apply, and the files still declare what it undid')
    expect(hub.state.issues).toMatchObject([{ title: 'Scheduled: fleet cannot be applied' }])
  })
})

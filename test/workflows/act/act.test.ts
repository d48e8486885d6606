import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { CORP, HQ, simulate } from '../../simulator/simulate.ts'
import { git, repository } from '../../support/git.ts'
import { folder, ROOT, startCommand } from '../../support/program.ts'
import { github, REPOSITORY } from '../fake/github.ts'
import { checkout, PSK } from '../fake/town.ts'
import { filesIn, read } from '../fake/workflow.ts'
import { writeStubs } from './stubs.ts'

/**
 * The workflows in nektos/act: its evaluation of expressions, needs, outputs and called workflows instead of
 * ours. `.ci/run` builds it where there is Go; else the scripts run in their order, in walk.test.ts.
 */
const hasAct = spawnSync('act', ['--version']).status === 0

/** Every action in use: its name and commit. */
const pins = new Set(
  filesIn('.github/workflows', /\.yml$/).flatMap(
    file => read(file).match(/(?<=uses: actions\/)[\w-]+@[0-9a-f]{40}/g) ?? []
  )
)

/** A service, a repository with a fleet that calls a workflow, and act to run it. */
async function stage(name: string, vlan: number) {
  const { simulator } = await simulate()
  const hub = github()
  hub.quicken()
  const files = checkout(vlan)
  const workflows = join(files, '.github/workflows')
  mkdirSync(workflows, { recursive: true })
  // act, older than this key, knows none: one run at a time has no queue.
  const called = read(`.github/workflows/${name}.yml`).replace(/^ +queue: max\n/m, '')
  writeFileSync(join(workflows, 'called.yml'), called)
  const example = parse(read(`examples/github/.github/workflows/${name}.yml`))
  const { wlans } = example.jobs
  wlans.uses = './.github/workflows/called.yml'
  wlans.with['base-url'] = simulator.url
  writeFileSync(join(workflows, `${name}.yml`), JSON.stringify(example))
  repository(files)
  hub.change(state => {
    state.tip = git(files, 'rev-parse', 'HEAD')
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
    ARTIFACTS: join(home, 'artifacts'),
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
  return {
    simulator,
    hub,
    stored: (path: string) => {
      const file = join(env.ARTIFACTS, path)
      return existsSync(file) ? readFileSync(file, 'utf8') : undefined
    },
    /** Runs it for an event; gives the log of a run that failed. */
    async run(event: string, payload: object) {
      const file = join(home, 'event.json')
      const repository = { default_branch: 'main', full_name: REPOSITORY }
      writeFileSync(file, JSON.stringify({ repository, ...payload }))
      const pairs = (option: string, values: Readonly<Record<string, string>>) =>
        Object.entries(values).flatMap(([key, value]) => [option, `${key}=${value}`])
      const words = [
        event,
        ...['--eventpath', file, '--workflows', `.github/workflows/${name}.yml`],
        ...['--platform', 'ubuntu-24.04=-self-hosted', '--defaultbranch', 'main'],
        ...pairs('--env', { ...env, GITHUB_REPOSITORY: REPOSITORY }),
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

describe.skipIf(!hasAct)('in act', { timeout: 300_000 }, () => {
  it('plan.yml plans a pull request and writes one comment', async () => {
    const { hub, simulator, stored, run } = await stage('plan', 21)
    const { code, log } = await run('pull_request', {
      pull_request: { number: 7, head: { repo: { full_name: REPOSITORY } } }
    })
    expect({ code, log }).toEqual({ code: 0, log: '' })
    expect(JSON.parse(stored('wlanctl-plan-fleet/plan.json') ?? '{}').summary.changed).toBe(1)
    expect(hub.state.comments).toMatchObject([{ issue: 7 }])
    expect(hub.state.comments[0]?.body).toMatch(/^<!-- wlanctl:plan:fleet -->\n###/)
    expect(simulator.history).toEqual([])
  })

  it('drift.yml opens an issue', async () => {
    const { hub, simulator, run } = await stage('drift', 20)
    simulator.edit(HQ, CORP, { vlan_id: 99 })
    const { code, log } = await run('workflow_dispatch', {})
    expect({ code, log }).toEqual({ code: 0, log: '' })
    expect(hub.state.issues).toMatchObject([{ title: 'Drift: fleet is not as declared' }])
  })
  it('reconcile.yml plans, and applies that plan in the environment', async () => {
    const { simulator, stored, run } = await stage('reconcile', 20)
    simulator.edit(HQ, CORP, { vlan_id: 99 })
    const { code, log } = await run('workflow_dispatch', { inputs: { site: '' } })
    expect({ code, log }).toEqual({ code: 0, log: '' })
    expect(simulator.record(HQ, CORP)['vlan_id']).toBe(20)
    expect(stored('wlanctl-record-fleet-1/record.jsonl')).toContain('"applied"')
    expect(stored('wlanctl-planned-fleet/plan.json')).not.toContain(PSK)
  })

  it('adopt.yml opens a pull request', async () => {
    const { hub, simulator, run } = await stage('adopt', 20)
    simulator.edit(HQ, CORP, { vlan_id: 99 })
    const { code, log } = await run('workflow_dispatch', { inputs: { site: '' } })
    expect({ code, log }).toEqual({ code: 0, log: '' })
    expect(hub.state.opened).toMatchObject([{ head: 'wlanctl/adopt-fleet', base: 'main' }])
  })
})

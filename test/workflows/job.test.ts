import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import packageJson from '../../package.json' with { type: 'json' }
import { CORP, HQ } from '../simulator/simulate.ts'
import { interpolate } from './fake/expression.ts'
import { runWorkflow } from './fake/runner.ts'
import { checkout, PSK, town } from './fake/town.ts'
import { type Action, type Job, read, type Step, type Workflow, workflow } from './fake/workflow.ts'

const example = read('examples/elsewhere/.github/workflows/wlanctl.yml')
const { permissions, jobs }: Workflow = parse(
  example.replaceAll('WLAN_SECRET_GUEST_PSK', 'WLAN_SECRET_GUEST')
)
const { inputs, runs }: Action = parse(read('.github/actions/job/action.yml'))

/** True for steps of the example that use the action. */
const isOurs = ({ uses = '' }: Step) => uses.startsWith('example/wlanctl/')

/** The steps of the action; other tests cover the installation. */
const steps = runs.steps.flatMap((step): Step[] => {
  if (step.uses?.startsWith('actions/setup-node@')) return []
  if (!step.run?.includes('install.sh')) return [step]
  return [{ name: 'Install wlanctl', uses: './wlanctl/.github/actions/wlanctl' }]
})

/** Another organisation with the example, whose events start its jobs. */
async function elsewhere() {
  const made = await town()
  const { simulator, hub } = made
  let runs = 0
  const start = (
    kind: 'plan' | 'apply' | 'drift',
    vlan: number,
    sha: string,
    more: Readonly<Record<string, string>> = {}
  ) => {
    const job = jobs[kind] as Job
    const given = job.steps?.find(isOurs)?.with ?? {}
    const secrets = { WLANCTL_READ_TOKEN: simulator.token }
    const ofEnvironment = { WLANCTL_API_TOKEN: simulator.token, WLAN_SECRET_GUEST: PSK }
    const texts = {
      ...Object.fromEntries(defaults()),
      ...given,
      'base-url': simulator.url,
      ...more
    }
    const contexts = {
      github: { token: 'token-of-the-job' },
      secrets: { ...secrets, ...(job.environment ? ofEnvironment : {}) }
    }
    const values = Object.entries(texts).map(([name, text]) => [
      name,
      interpolate(String(text), contexts)
    ])
    const repository = { default_branch: 'main' }
    const pull_request = { number: 7, head: { repo: { full_name: 'acme/wifi' } } }
    const event_name = { plan: 'pull_request', apply: 'push', drift: 'schedule' }[kind]
    const event = kind === 'plan' ? { repository, pull_request } : { repository, before: '' }
    const ofFleet = (job.steps ?? []).filter(step => !isOurs(step))
    hub.change(state => {
      state.tip = sha
    })
    return runWorkflow(
      { on: {}, jobs: { [kind]: { ...job, steps: [...ofFleet, ...steps] } } },
      {
        run: {
          id: ++runs,
          repository_id: 1,
          head_repository_id: 1,
          head_branch: kind === 'plan' ? 'change' : 'main',
          head_sha: sha
        },
        inputs: Object.fromEntries(values),
        secrets,
        environments: { production: ofEnvironment },
        most: 'write',
        github: { event_name, sha, ref: 'refs/heads/main', ref_name: 'main', event },
        checkout: checkout(vlan)
      },
      hub
    )
  }
  return { ...made, start }
}

const defaults = () =>
  Object.entries(inputs).map(([name, input]) => [name, String(input.default ?? '')] as const)

describe('the jobs of a caller', { timeout: 120_000 }, () => {
  it('plan, apply the approved plan, and update the issue about drift', async () => {
    const { simulator, hub, open, merge, start } = await elsewhere()
    open(7)
    expect((await start('plan', 21, 'aaa'))['plan']?.result).toBe('success')
    expect(hub.state.comments[0]?.body).toContain('| `hq` | `corp`')
    expect(simulator.history).toEqual([])
    merge(7, 'aaa', 'merge7')
    const { apply } = await start('apply', 21, 'merge7')
    expect(apply).toMatchObject({ result: 'success' })
    expect(simulator.record(HQ, CORP)['vlan_id']).toBe(21)
    expect(hub.state.comments[1]?.body).toMatch(/^<!-- wlanctl:apply:fleet -->\n/)
    expect(hub.state.artifacts.map(({ name }) => name)).toEqual([
      'wlanctl-plan-fleet',
      'wlanctl-record-fleet-1',
      'wlanctl-applied-fleet'
    ])
    simulator.edit(HQ, CORP, { vlan_id: 99 })
    expect((await start('drift', 21, 'merge7'))['drift']?.result).toBe('success')
    expect(hub.state.issues).toMatchObject([{ title: 'Drift: fleet is not as declared' }])
    expect(hub.state.artifacts.at(-1)?.name).toBe('wlanctl-snapshot-fleet')
  })

  it('fail closed without a plan, with the reason in the comment', async () => {
    const { simulator, hub, merge, start } = await elsewhere()
    merge(7, 'aaa', 'merge7')
    const { apply } = await start('apply', 21, 'merge7')
    expect(apply?.result).toBe('failure')
    expect(simulator.history).toEqual([])
    expect(hub.state.comments.at(-1)?.body).toContain('There is no plan of the last commit of #7')
  })

  it('run the check after each wave, and post the results of apply and drift', async () => {
    const { simulator, hub, open, merge, start } = await elsewhere()
    const received: string[] = []
    const hook = createServer(async (request, response) => {
      received.push(JSON.parse(await text(request)).text)
      response.end()
    })
    await new Promise<void>(resolve => hook.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void hook.close())
    const { port } = hook.address() as AddressInfo
    const url = { 'webhook-url': `http://127.0.0.1:${port}/hook/planted-path` }
    open(7)
    await start('plan', 21, 'aaa', url)
    expect(received).toEqual([])
    merge(7, 'aaa', 'merge7')
    const { apply } = await start('apply', 21, 'merge7', { ...url, check: 'exit 3' })
    expect(apply?.result).toBe('failure')
    expect(apply?.summary).toContain('exit code 3')
    expect(received).toEqual([expect.stringMatching(/^fleet: 🔴 Apply.*actions\/runs\/2$/u)])
    simulator.edit(HQ, CORP, { vlan_id: 99 })
    for (let times = 0; times < 2; times++) await start('drift', 21, 'merge7', url)
    expect(received.slice(1)).toEqual([
      expect.stringContaining('fleet: Drift: fleet is not as declared')
    ])
    expect(JSON.stringify(hub.state) + apply?.log).not.toContain('planted-path')
  })

  it('have the inputs of the called workflows, except those of jobs', () => {
    const ofJobs = ['environment', 'runner', 'timeout-minutes']
    const called = ['plan', 'apply', 'drift'].flatMap(name =>
      Object.keys(workflow(name).on.workflow_call?.inputs ?? {})
    )
    expect(Object.keys(inputs)).toEqual(
      expect.arrayContaining(called.filter(name => !ofJobs.includes(name)))
    )
  })

  it('get the token and the secrets by name, in the steps that need them', async () => {
    const { simulator, open, merge, start } = await elsewhere()
    open(7)
    const results = [await start('plan', 21, 'aaa')]
    merge(7, 'aaa', 'merge7')
    results.push(await start('apply', 21, 'merge7'), await start('drift', 21, 'merge7'))
    const all = results.flatMap(result => Object.entries(result))
    const givenTo = (value: string) =>
      all.flatMap(([id, { given }]) =>
        Object.entries(given)
          .filter(([, env]) => JSON.stringify(env).includes(value))
          .map(([step]) => `${id}: ${step}`)
      )
    expect(givenTo(PSK)).toEqual(['apply: Run'])
    expect(givenTo(simulator.token)).toEqual([
      'plan: Run',
      'apply: Run',
      'drift: Run',
      'drift: Take a snapshot'
    ])
    for (const [, { log, summary }] of all) expect(log + summary).not.toContain(PSK)
  })
})

describe('examples/elsewhere', () => {
  it('sets existing inputs of the action in this version, and inherits no secrets', () => {
    expect(permissions).toEqual({})
    expect(example).not.toContain('inherit')
    for (const job of Object.values(jobs)) {
      const [step, ...others] = (job.steps ?? []).filter(isOurs)
      expect(others).toEqual([])
      expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(step?.with ?? {})))
      for (const [name, input] of Object.entries(inputs)) {
        if (input.default === undefined) expect(step?.with).toHaveProperty([name])
      }
    }
    expect(
      example.match(/# v\d.*/g)?.filter(each => each === `# v${packageJson.version}`)
    ).toHaveLength(3)
  })
})

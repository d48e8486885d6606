import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SimulatorOptions } from '../../../src/simulator/server.ts'
import { HQ, simulate } from '../../simulator/simulate.ts'
import { folder } from '../../support/program.ts'
import { type Artifact, github, REPOSITORY } from './github.ts'
import type { Event } from './machine.ts'
import { runWorkflow } from './runner.ts'
import { workflow } from './workflow.ts'

type Run = Artifact['workflow_run']

/** The guest secret, which only the environment has. */
export const PSK = 'planted-psk-of-the-guests'

const fleet = (vlan: number, wlan: string) => `site: { id: ${HQ}, name: hq }
wlans:
  corp: { ssid: Corp, vlan_id: ${vlan} }
  guest: { ssid: Guest, auth: { psk: { $env: WLAN_SECRET_GUEST } } }
  ${wlan}
`

/** A checkout of the repository with the fleet in it, its policy, and another WLAN, as YAML. */
export function checkout(vlan: number, policy?: string, wlan = ''): string {
  const directory = folder()
  mkdirSync(join(directory, 'sites'))
  writeFileSync(join(directory, 'sites/hq.yaml'), fleet(vlan, wlan))
  if (policy !== undefined) writeFileSync(join(directory, 'policy.yaml'), `policy: { ${policy} }\n`)
  return directory
}

/**
 * A repository on GitHub with its fleet and its service, and the events of both. By default the service is
 * that of `simulate()`, and the fleet a `checkout`.
 */
export async function town(
  service: Partial<SimulatorOptions> = {},
  wlanSecrets: Readonly<Record<string, string>> = { WLAN_SECRET_GUEST: PSK }
) {
  const { simulator } = await simulate(service)
  const hub = github()
  hub.quicken()
  let runs = 0

  /** Runs the workflow with this name for an event, on these files. */
  const run = (name: string, checkout: string, change: Partial<Event>, of: Partial<Run> = {}) => {
    const id = of.id ?? ++runs
    const event: Event = {
      run: {
        id,
        repository_id: 1,
        head_repository_id: 1,
        head_branch: 'main',
        head_sha: `head${id}`,
        ...of
      },
      inputs: { 'base-url': simulator.url },
      secrets: { WLANCTL_READ_TOKEN: simulator.token, ELSEWHERE_TOKEN: 'of-another-service' },
      environments: {
        production: { WLANCTL_API_TOKEN: simulator.token, ...wlanSecrets }
      },
      most: 'write',
      github: {},
      checkout,
      ...change
    }
    return runWorkflow(workflow(name), event, hub)
  }

  const planOf = (
    number: number,
    checkout: string,
    head_sha: string,
    change: Partial<Event> = {}
  ) => run('plan', checkout, { github: pullRequest(number, REPOSITORY), ...change }, { head_sha })

  /** Adds a pull request to GitHub, merged or not. */
  const know = (number: number, merged_at: string | null, head: string, sha: string) =>
    hub.change(({ pulls }) => {
      const base = { ref: 'main' }
      pulls[sha] = [{ number, merged_at, merge_commit_sha: sha, head: { sha: head }, base }]
    })

  const planFromForkOf = (number: number, checkout: string) =>
    run(
      'plan',
      checkout,
      { github: pullRequest(number, 'stranger/wifi'), secrets: {}, most: 'read' },
      { head_repository_id: 2 }
    )

  /** A push to the default branch, whose last commit it is unless GitHub has a newer one. */
  const applyOf = (checkout: string, sha: string, push: Push = {}) => {
    const { ref = 'refs/heads/main', before = '', tip = sha, id, attempt, inputs, ...change } = push
    hub.change(state => {
      state.tip = tip
    })
    return run(
      'apply',
      checkout,
      {
        github: { ...onMain('push', sha, before), ref },
        inputs: { 'base-url': simulator.url, ...inputs },
        ...(attempt === undefined ? {} : { attempt }),
        ...change
      },
      { head_sha: sha, ...(id === undefined ? {} : { id }) }
    )
  }

  /** Starts a workflow on the default branch by hand. */
  const start = (name: string, checkout: string, sha: string, more: Dispatch = {}) => {
    const { inputs, tip = sha, ...change } = more
    hub.change(state => {
      state.tip = tip
    })
    return run(
      name,
      checkout,
      {
        github: onMain('workflow_dispatch', sha),
        inputs: { 'base-url': simulator.url, ...inputs },
        ...change
      },
      { head_sha: sha }
    )
  }

  /** A run of scheduled.yml, by the schedule or another event. */
  const scheduledOf = (checkout: string, sha: string, of: Scheduled = {}) => {
    const { event = 'schedule', inputs, ...change } = of
    return run(
      'scheduled',
      checkout,
      {
        github: onMain(event, sha),
        inputs: { 'base-url': simulator.url, ...inputs },
        environments: { scheduled: { WLANCTL_API_TOKEN: simulator.token, ...wlanSecrets } },
        ...change
      },
      { head_sha: sha }
    )
  }

  const driftOf = (checkout: string, change: Partial<Event> = {}) =>
    run('drift', checkout, { github: onMain('schedule', 'any'), ...change })

  return {
    simulator,
    hub,
    planOf,
    planFromForkOf,
    applyOf,
    start,
    scheduledOf,
    driftOf,
    plan: (number: number, vlan: number, head: string) => planOf(number, checkout(vlan), head),
    planFromFork: (number: number, vlan: number) => planFromForkOf(number, checkout(vlan)),
    apply: (vlan: number, sha: string, push?: Push) => applyOf(checkout(vlan), sha, push),
    drift: (vlan: number, change?: Partial<Event>) => driftOf(checkout(vlan), change),
    /** A run for a commit of the merge queue. */
    planOfQueue: (vlan: number, sha: string) =>
      run('plan', checkout(vlan), { github: mergeGroup(sha) }, { head_sha: sha }),
    open: (number: number) => know(number, null, '', `open${number}`),
    merge: (number: number, head: string, sha: string) =>
      know(number, '2026-11-20T10:00:00Z', head, sha)
  }
}

/** The inputs of a manual start, and the last commit of the branch when its jobs run. */
export interface Dispatch extends Partial<Event> {
  readonly tip?: string
}

/** The trigger of a run of scheduled.yml. */
interface Scheduled extends Partial<Event> {
  readonly event?: 'schedule' | 'workflow_dispatch'
}

/** A push, and its run. */
export interface Push extends Partial<Event> {
  readonly ref?: string
  readonly before?: string
  /** The last commit of the branch when the run starts; by default the pushed one. */
  readonly tip?: string
  /** The id of the run that is repeated. */
  readonly id?: number
}

const repository = { default_branch: 'main' }

function pullRequest(number: number, from: string) {
  return {
    event_name: 'pull_request',
    actor: 'someone',
    ref: `refs/pull/${number}/merge`,
    event: { repository, pull_request: { number, head: { repo: { full_name: from } } } }
  }
}

function mergeGroup(sha: string) {
  const ref = 'refs/heads/gh-readonly-queue/main/pr-7'
  return { event_name: 'merge_group', actor: 'queue', sha, ref, event: { repository } }
}

function onMain(event_name: string, sha: string, before = '') {
  // A schedule has no event data about the repository that a job could use.
  const event = event_name === 'schedule' ? {} : { repository, before }
  return { event_name, sha, ref: 'refs/heads/main', ref_name: 'main', event }
}

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

/** The secret of the guests, which only the environment has. */
export const PSK = 'planted-psk-of-the-guests'

const fleet = (vlan: number) => `site: { id: ${HQ}, name: hq }
wlans:
  corp: { ssid: Corp, vlan_id: ${vlan} }
  guest: { ssid: Guest, auth: { psk: { $env: WLAN_SECRET_GUEST } } }
`

/** A checkout of the repository with the fleet in it. */
export function checkout(vlan: number): string {
  const directory = folder()
  mkdirSync(join(directory, 'sites'))
  writeFileSync(join(directory, 'sites/hq.yaml'), fleet(vlan))
  return directory
}

/**
 * A repository on GitHub, the service its fleet is about, and what may happen to both. Unless told
 * otherwise the service is that of `simulate()`, and the fleet a `checkout`.
 */
export async function town(
  service: Partial<SimulatorOptions> = {},
  wlanSecrets: Readonly<Record<string, string>> = { WLAN_SECRET_GUEST: PSK }
) {
  const { simulator } = await simulate(service)
  const hub = github()
  let runs = 0

  /** The workflow of this name runs for an event, on these files. */
  const run = (name: string, checkout: string, change: Partial<Event>, of: Partial<Run> = {}) => {
    const id = ++runs
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

  /** GitHub knows the number for a pull request's, merged or not. */
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

  const applyOf = (checkout: string, sha: string, ref = 'refs/heads/main', before = '') =>
    run('apply', checkout, { github: { ...onMain('push', sha, before), ref } })

  const driftOf = (checkout: string) =>
    run('drift', checkout, { github: onMain('schedule', 'any') })

  return {
    simulator,
    hub,
    planOf,
    planFromForkOf,
    applyOf,
    driftOf,
    plan: (number: number, vlan: number, head: string) => planOf(number, checkout(vlan), head),
    planFromFork: (number: number, vlan: number) => planFromForkOf(number, checkout(vlan)),
    apply: (vlan: number, sha: string, ref?: string) => applyOf(checkout(vlan), sha, ref),
    drift: (vlan: number) => driftOf(checkout(vlan)),
    open: (number: number) => know(number, null, '', `open${number}`),
    merge: (number: number, head: string, sha: string) =>
      know(number, '2026-11-20T10:00:00Z', head, sha)
  }
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

function onMain(event_name: string, sha: string, before = '') {
  const event = { repository, before }
  return { event_name, sha, ref: 'refs/heads/main', ref_name: 'main', event }
}

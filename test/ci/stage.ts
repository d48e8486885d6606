import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { startSimulator } from '../../src/simulator/server.ts'
import { frontOf } from '../support/front.ts'
import { nth } from '../support/ids.ts'
import { type Edges, type Ended, wlanctl } from '../support/program.ts'
import { type StartedJob, startForge } from './forge/forge.ts'
import type { Files } from './forge/git.ts'
import type { Kind, Pull } from './forge/state.ts'

export { kinds } from './forge/forge.ts'

const SITES = ['a', 'b', 'c'] as const

/** A fleet of three sites with a corp network each; live is as declared. */
export function fleet(
  sites: Partial<Record<(typeof SITES)[number], string>> = {},
  policy = ''
): Record<string, string> {
  return Object.fromEntries([
    ...SITES.map((name, at) => [`fleet/${name}.yaml`, siteFile(at, sites[name] ?? 'vlan_id: 10')]),
    ['fleet/policy.yaml', `policy: { max_change_percent: 100, unwatched: ignore${policy} }\n`],
    ['README.md', 'Wi-Fi\n']
  ])
}

function siteFile(at: number, fields: string): string {
  const block = fields
    .split('\n')
    .map(line => `    ${line}\n`)
    .join('')
  return `site: { id: ${nth(at + 1)}, name: ${SITES[at]} }\nwlans:\n  corp:\n    ssid: Corp\n${block}`
}

/** A forge with a fleet, and the service that the fleet is about. */
export async function ciStage(kind: Kind, files: Readonly<Record<string, string>> = fleet()) {
  const sites = SITES.map((name, at) => ({
    id: nth(at + 1),
    name,
    wlans: [{ id: nth(at + 11), ssid: 'Corp', vlan_id: 10, isolation: false, enabled: true }]
  }))
  const simulator = await startSimulator({ sites })
  onTestFinished(() => simulator.close())
  const forge = await startForge(kind, files)
  const service = { WLANCTL_BASE_URL: simulator.url, WLANCTL_API_TOKEN: simulator.token }

  /** The service through a server in front of it, from now on. */
  async function front(...hooks: Rest<Parameters<typeof frontOf>>) {
    service.WLANCTL_BASE_URL = await frontOf(simulator, ...hooks)
  }

  /** Runs a `ci` command in a job, and stores its results. */
  async function run(job: StartedJob, line: string, { env = {}, store, edges }: RunOptions = {}) {
    const [, name = 'fleet'] = /--name (\S+)/.exec(line) ?? []
    const words = ['ci', ...line.split(' '), '--fleet', 'fleet', '--results', job.results]
    const at = words.indexOf('--')
    const argv =
      at < 0 ? words : [...words.slice(0, at), ...words.slice(-4), ...words.slice(at, -4)]
    const ended = await wlanctl(
      argv,
      { cwd: job.cwd, env: { ...service, ...job.env, ...env } },
      { forgePause: 1, ...edges }
    )
    if (store !== undefined) forge.finish(job, `wlanctl-${store}-${name}`)
    return { ...ended, job, ...resultsOf(job) }
  }

  const plan = (pull: Pull, options: RunOptions & { readonly line?: string } = {}) =>
    run(forge.start('plan', { pull }), options.line ?? 'plan', { store: 'plan', ...options })

  /** The result of `ci plan` for a pull request that changes the VLANs of sites; undefined for any other. */
  function planOf(pull: Pull, job: StartedJob) {
    const permits = Object.entries(pull.files).map(([path, text]) => {
      const at = SITES.findIndex(name => path === `fleet/${name}.yaml`)
      const vlan = Number(/vlan_id: (\d+)/.exec(text ?? '')?.[1])
      if (at < 0 || text !== siteFile(at, `vlan_id: ${vlan}`)) return undefined
      const { vlan_id: before } = simulator.record(nth(at + 1), nth(at + 11))
      return {
        base_url: service.WLANCTL_BASE_URL,
        address: `${SITES[at]}/corp`,
        site: { id: nth(at + 1), name: SITES[at] },
        wlan: { id: nth(at + 11), ssid: 'Corp' },
        operations: [{ pointer: '/vlan_id', before, after: vlan }],
        effects: {}
      }
    })
    if (permits.includes(undefined)) return undefined
    const { number } = pull
    return {
      ...common(job, 'plan', [number]),
      ...{ permits, pull: { number, target: 'main' } }
    }
  }

  /** The result of `ci apply` that finds nothing to do. */
  const quietOf = (job: StartedJob) => ({
    ...common(job, 'apply', []),
    ...{ quiet: true, since: job.run.commit, open: [], missing: [], settled: [] }
  })

  function common({ env, run: { id } }: StartedJob, command: string, pulls: readonly number[]) {
    const url = env['CI_JOB_URL'] ?? `https://github.test/acme/wifi/actions/runs/${id}/attempts/1`
    const verdict = expect.any(String)
    return { format: 'wlanctl-ci/1', command, name: 'fleet', url, code: 0, verdict, pulls }
  }

  function store(job: StartedJob, command: string, result: object) {
    forge.write(job, { 'result.json': JSON.stringify({ ...result, verdict: 'Stored' }) })
    forge.finish(job, `wlanctl-${command}-fleet`)
  }

  /** Plans a pull request, without running the program if its result is known. */
  async function planned(pull: Pull): Promise<void> {
    const job = forge.start('plan', { pull })
    const result = planOf(pull, job)
    if (result === undefined) await run(job, 'plan', { store: 'plan' })
    else store(job, 'plan', result)
  }

  /** Stores the result of an apply of the tip that finds nothing to do, without running it. */
  function begin(): void {
    const job = forge.start('apply')
    store(job, 'apply', quietOf(job))
  }

  /** Opens a pull request with these files, and plans it. */
  async function opened(files: Files): Promise<Pull> {
    const pull = forge.openPullRequest({ files })
    await planned(pull)
    return pull
  }

  return {
    ...{ forge, simulator, service, front, run, plan, planOf, quietOf },
    ...{ planned, opened, begin },
    apply: (options: RunOptions & { readonly job?: StartedJob; readonly line?: string } = {}) =>
      run(options.job ?? forge.start('apply'), options.line ?? 'apply', {
        store: 'apply',
        ...options
      }),
    /** Reports the results of a run in a job of its own; `jobs` as GitHub's `needs`. */
    async report(of: Ran | StartedJob, jobs: Readonly<Record<string, string>> = {}) {
      const { job } = 'job' in of && 'results' in of ? { job: of } : of
      const reporting = forge.start('report', { of: job })
      const needs = Object.entries(jobs).map(([name, result]) => [name, { result }])
      const env = { WLANCTL_JOBS: JSON.stringify(Object.fromEntries(needs)) }
      return run({ ...reporting, results: job.results }, 'report', { env })
    },
    /** Opens a pull request with these fields of sites, plans it, and merges it. */
    async merged(files: Files): Promise<Pull> {
      const pull = await opened(files)
      forge.merge(pull)
      return pull
    },
    edit(site: (typeof SITES)[number], fields: Record<string, unknown>) {
      const at = SITES.indexOf(site)
      simulator.edit(nth(at + 1), nth(at + 11), fields as never)
    },
    /** The live value of a field at each site. */
    live: (field = 'vlan_id') =>
      SITES.map((_, at) => simulator.record(nth(at + 1), nth(at + 11))[field]),
    comments: (pull: Pull) => pull.comments.map(({ body }) => body)
  }
}

type Rest<List> = List extends readonly [unknown, ...infer Others] ? Others : never

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  /** The kind of artifact to store the results as. */
  readonly store?: 'plan' | 'apply' | 'drift'
  readonly edges?: Edges
}

export type Ran = Ended & ReturnType<typeof resultsOf> & { readonly job: StartedJob }

function resultsOf({ results }: StartedJob) {
  const read = (name: string) => {
    const file = join(results, name)
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }
  return {
    read,
    report: read('report.md'),
    result: JSON.parse(read('result.json') || '{}'),
    ...linesOf(read('result.json')),
    outcomes: statusesOf(read('outcomes.json'))
  }
}

interface Stored {
  readonly open?: readonly {
    readonly pull: number
    readonly address: string
    readonly why: string
  }[]
  readonly settled?: readonly {
    readonly pull: number
    readonly address: string
    readonly status: string
  }[]
}

/** What a result leaves open and has settled: `#1001 b/corp`, with the status. */
function linesOf(text: string) {
  const { open = [], settled = [] } = JSON.parse(text || '{}') as Stored
  return {
    open: open.map(({ pull, address }) => `#${pull} ${address}`),
    why: open.map(({ why }) => why),
    settled: settled.map(({ pull, address, status }) => `#${pull} ${address} ${status}`)
  }
}

function statusesOf(text: string): Record<string, string> {
  const { outcomes = [] } = JSON.parse(text || '{}') as {
    outcomes?: readonly { address: string; status: string }[]
  }
  return Object.fromEntries(outcomes.map(({ address, status }) => [address, status]))
}

/** The file of a site with these fields of its network. */
export function site(name: (typeof SITES)[number], fields: string): Record<string, string> {
  return { [`fleet/${name}.yaml`]: siteFile(SITES.indexOf(name), fields) }
}

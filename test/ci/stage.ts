import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { startSimulator } from '../../src/simulator/server.ts'
import { type Edges, type Ended, wlanctl } from '../support/program.ts'
import {
  fleet,
  idOf,
  linesOf,
  SITES,
  type SiteName,
  live as sitesOfService,
  type Texts,
  wlanOf
} from './fleet.ts'
import { type StartedJob, startForge } from './forge/forge.ts'
import type { Kind, Pull } from './forge/state.ts'

export { kinds } from './forge/forge.ts'

/** A forge with a fleet, and the service that the fleet is about. */
export async function ciStage(kind: Kind, files = fleet()) {
  const simulator = await startSimulator({ sites: sitesOfService })
  onTestFinished(() => simulator.close())
  const forge = await startForge(kind, files)
  const service = { WLANCTL_BASE_URL: simulator.url, WLANCTL_API_TOKEN: simulator.token }

  /** Runs a `ci` command in a job, and stores its results. */
  async function run(job: StartedJob, line: string, { env = {}, store, edges }: RunOptions = {}) {
    const [command = '', ...rest] = line.split(' ')
    const argv = ['ci', command, '--fleet', 'fleet', '--results', job.results, ...rest]
    const ended = await wlanctl(
      argv,
      { cwd: job.cwd, env: { ...service, ...job.env, ...env } },
      { forgePause: 1, ...edges }
    )
    if (store !== undefined) forge.finish(job, `wlanctl-${store}-fleet`)
    return { ...ended, job, ...resultsOf(job) }
  }

  const plan = (pull: Pull, options: RunOptions = {}) =>
    run(forge.start('plan', { pull }), 'plan', { store: 'plan', ...options })

  return {
    ...{ forge, simulator, service, run, plan },
    apply: ({ line = 'apply', ...options }: RunOptions & { readonly line?: string } = {}) =>
      run(forge.start('apply'), line, { store: 'apply', ...options }),
    /** Reports the results of a run in a job of its own; `jobs` as GitHub's `needs`. */
    async report(of: Ran | StartedJob, jobs: Readonly<Record<string, string>> = {}) {
      const { job } = 'job' in of && 'results' in of ? { job: of } : of
      const reporting = forge.start('report', { of: job })
      const needs = Object.entries(jobs).map(([name, result]) => [name, { result }])
      const env = { WLANCTL_JOBS: JSON.stringify(Object.fromEntries(needs)) }
      return run({ ...reporting, results: job.results }, 'report', { env })
    },
    /** Opens a pull request with these fields of sites, plans it, and merges it. */
    async merged(files: Texts): Promise<Pull> {
      const pull = forge.openPullRequest({ files })
      await plan(pull)
      forge.merge(pull)
      return pull
    },
    edit(name: SiteName, fields: Record<string, unknown>) {
      simulator.edit(idOf(name), wlanOf(name), fields as never)
    },
    /** The live VLAN of each site. */
    live: () => SITES.map(name => simulator.record(idOf(name), wlanOf(name))['vlan_id']),
    comments: (pull: Pull) => pull.comments.map(({ body }) => body)
  }
}

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
  const result = JSON.parse(read('result.json') || '{}')
  const { outcomes = [] } = JSON.parse(read('outcomes.json') || '{}')
  return {
    ...{ read, report: read('report.md'), result },
    ...linesOf(result),
    outcomes: Object.fromEntries(outcomes.map((each: Stored) => [each.address, each.status]))
  }
}

interface Stored {
  readonly address: string
  readonly status: string
}

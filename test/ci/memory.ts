import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Job, runJob } from '../../src/ci/command.ts'
import { apply } from '../../src/ci/commands/apply.ts'
import { plan } from '../../src/ci/commands/plan.ts'
import type { Artifact, CiCommand, CurrentRun, Forge } from '../../src/ci/forge.ts'
import type { Consent, PermitRun } from '../../src/ci/judge.ts'
import { type ExitCode, exit, Failure, worst, wrongInput } from '../../src/core/model/failure.ts'
import { outcomesExit, plannedExit } from '../../src/core/plan/exit-codes.ts'
import { withRotations } from '../../src/core/plan/rotation.ts'
import { loadFleet } from '../../src/fleet/load.ts'
import { secretSource } from '../../src/fleet/secrets/source.ts'
import { executePlan } from '../../src/run/execute-plan.ts'
import { makePlan } from '../../src/run/make-plan.ts'
import { openWriter } from '../../src/service/client.ts'
import { type SimulatorOptions, startSimulator } from '../../src/simulator/server.ts'
import { frontOf } from '../support/front.ts'
import { folder } from '../support/program.ts'
import { fleet, idOf, linesOf, live, SITES, type SiteName, type Texts, wlanOf } from './fleet.ts'
import { Repository } from './memory-repository.ts'

interface Pull {
  readonly number: number
  files: Texts
  readonly head: string
  merge?: string
  plan?: Artifact
  /** True if the forge does not list it yet. */
  isLate?: boolean
}

export const artifactOf = (text: string): Artifact => ({
  url: 'https://forge.test/artifact',
  read: async () => new Map([['result.json', text]])
})

/** A fleet, its repository, forge and service, all in memory: `ci` on them starts no process, and asks the service only. */
export async function memoryStage(files: Texts = fleet(), sites: SimulatorOptions['sites'] = live) {
  const simulator = await startSimulator({ sites })
  onTestFinished(() => simulator.close())
  const repository = new Repository(files)
  const pulls: Pull[] = []
  const results: { readonly commit: string; readonly of: string; text: string }[] = []
  let baseUrl = simulator.url
  let tips = 0
  const hooks: { onTip?: (asked: number) => unknown } = {}
  const never = new AbortController().signal

  function forgeOf(run: CurrentRun): Forge {
    const unused = async () => undefined
    return {
      ...{ kind: 'github', run, maxBody: 10_000, comment: unused, issue: unused, summary: unused },
      failed: async () => new Set(),
      async tip() {
        tips += 1
        hooks.onTip?.(tips)
        return repository.main
      },
      async *mergedSince() {
        for (const { number, head, merge, isLate } of pulls) {
          if (merge === undefined || isLate) continue
          yield { number, head, isFork: false, commits: [merge], merged: new Date() }
        }
      },
      commitsOf: async () => ['another commit'],
      planOf: async ({ number }) => pulls.find(each => each.number === number)?.plan,
      async *results(of, name, line) {
        const own = results.filter(each => each.of === `${of} ${name}` && line.has(each.commit))
        yield* own.reverse().map(({ text }) => artifactOf(text))
      }
    }
  }

  interface Options {
    readonly env?: Readonly<Record<string, string>>
    readonly now?: string
    readonly name?: string
    readonly consent?: Consent
    /** How the health check of each wave ends; default: there is none. */
    readonly check?: 'passes' | 'fails'
    /** True to store no result, as a run that was killed. */
    readonly isKilled?: boolean
  }

  /** Runs a command in a checkout of a commit. */
  async function run(
    command: CiCommand,
    head: string,
    pull: Pull | undefined,
    { env = {}, now, name = 'fleet', consent, check, isKilled }: Options
  ) {
    const cwd = folder()
    for (const [path, text] of Object.entries(repository.files(head))) {
      mkdirSync(dirname(join(cwd, path)), { recursive: true })
      writeFileSync(join(cwd, path), text)
    }
    const clock = () => (now === undefined ? new Date() : new Date(now))
    const variables = { WLANCTL_API_TOKEN: simulator.token, ...env }
    let outcomes = {}

    const load = async (option: 'base' | 'since', sha?: string) => {
      const { desired, findings } = await loadFleet({
        ...{ directory: 'fleet', cwd, rulesOver: 'live', now: clock },
        secrets: secretSource({ env: variables, prefix: 'WLAN_SECRET_' }),
        ...(sha && { [option]: async () => repository.revision(sha) })
      })
      if (desired === undefined) throw wrongInput(JSON.stringify(findings))
      return { ...desired, sites: withRotations(desired.sites) }
    }

    /** What `plan` and `apply` do, without reports. */
    const program: Job['program'] = async ([word, , ...words], ci = {}, stop = never) => {
      if (word === 'test') return ended(exit.done)
      const on = () => undefined
      const context = { tool: 't', now: clock, interrupted: stop, abortSignal: never, on }
      const connection = { baseUrl, tokens: [simulator.token], parallelism: 4, timeout: 20 }
      const writer = openWriter({ ...connection, userAgent: 'test', env: {} })
      try {
        if (word === 'plan') {
          const fleet = await load('since', words[words.indexOf('--changed-since') + 1])
          const request = { parallelism: 4, ...(ci.narrow && { narrow: ci.narrow }) }
          const made = await makePlan(fleet, writer, request, context)
          ci.planned?.(made)
          return ended(plannedExit(made.plan, true, made.lint.secretFindings))
        }
        const problem = check === 'fails' ? 'the check failed' : undefined
        const permit: PermitRun = {
          load: sha => load('base', sha),
          ...{ reader: writer, parallelism: 4, allowances: {}, context },
          check: check && (async () => problem)
        }
        const input = await ci.permit?.(permit)
        if (input === undefined) throw new Error('nothing to execute')
        const allowances = { maxChanges: 'all', allowDowngrade: ['*'] } as const
        const options = { verifyTimeout: 1, parallelism: 1, maxAttempts: 1, allowances }
        const confirm = async () => undefined
        const execution = await executePlan(input, writer, { ...options, confirm }, context)
        outcomes = Object.fromEntries(execution.outcomes.map(each => [each.address, each.status]))
        const code = outcomesExit({ plan: input.plan, ...execution })
        return ended(worst(code, stop.aborted ? exit.interrupted : exit.done))
      } catch (error) {
        if (error instanceof Failure) return ended(error.exitCode, error.message)
        throw error
      } finally {
        await writer.close()
      }
    }

    const commit = pull?.head ?? head
    const target = { target: 'main', targetCommit: repository.main }
    const current = { isMergeQueue: false, commit, url: 'https://forge.test/run' }
    const forge = forgeOf({
      ...{ ...current, branch: pull ? 'change' : 'main', defaultBranch: 'main' },
      pull: pull && { number: pull.number, ...target }
    })
    const job: Job = {
      ...{ command, forge, fleet: 'fleet', name, results: join(cwd, 'results'), options: [] },
      ...{ temporary: folder(), env: variables, now: clock, pause: 1, program },
      git: async words => ({
        code: 0,
        stdout: Buffer.from(repository.git(head, words)),
        reason: ''
      }),
      log: async () => undefined
    }
    const work = () => (command === 'plan' ? plan(job) : apply(job, consent))
    const code = await runJob(job, work).catch((error: Failure) => error.exitCode)
    const read = (file: string) => {
      const path = join(job.results, file)
      return existsSync(path) ? readFileSync(path, 'utf8') : ''
    }
    const text = read('result.json')
    if (pull !== undefined) pull.plan = artifactOf(text)
    else if (text !== '' && !isKilled) results.push({ commit, of: `${command} ${name}`, text })
    const result = JSON.parse(text || '{}')
    return { code, report: read('report.md'), result, ...linesOf(result), outcomes }
  }

  const newPull = (files: Texts): Pull => {
    const head = repository.commit([repository.main], files)
    const pull = { number: 1001 + pulls.length, files, head }
    pulls.push(pull)
    return pull
  }

  /** Merges pull requests with one push. */
  function merge(...merged: readonly Pull[]): void {
    for (const pull of merged) {
      pull.merge = repository.commit([repository.main, pull.head], pull.files)
      repository.main = pull.merge
    }
  }

  /** Plans a pull request, in the merge that the forge prepares. */
  function planned(pull: Pull, options: Options = {}) {
    const prepared = repository.commit([repository.main, pull.head], pull.files)
    return run('plan', prepared, pull, options)
  }

  async function opened(files: Texts): Promise<Pull> {
    const pull = newPull(files)
    await planned(pull)
    return pull
  }

  return {
    ...{ simulator, repository, results, hooks, newPull, merge, planned, opened },
    apply: ({ at = repository.main, ...options }: Options & { readonly at?: string } = {}) =>
      run('apply', at, undefined, options),
    /** Opens a pull request, plans and merges it. */
    async merged(files: Texts): Promise<Pull> {
      const pull = await opened(files)
      merge(pull)
      return pull
    },
    /** Pushes commits without a pull request. */
    push(files: Texts, count = 1): void {
      for (let at = 0; at < count; at += 1) {
        repository.main = repository.commit([repository.main], files)
      }
    },
    /** The service through a server in front of it, from now on. */
    async front(...given: Rest<Parameters<typeof frontOf>>) {
      baseUrl = await frontOf(simulator, ...given)
    },
    edit(name: SiteName, fields: Record<string, unknown>) {
      simulator.edit(idOf(name), wlanOf(name), fields as never)
    },
    /** The live value of a field at each site. */
    live: (field = 'vlan_id') =>
      SITES.map(name => simulator.record(idOf(name), wlanOf(name))[field])
  }
}

type Rest<List> = List extends readonly [unknown, ...infer Others] ? Others : never

const ended = (code: ExitCode, reason = 'done') => ({ code, reason })

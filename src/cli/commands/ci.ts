import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Argument, InvalidArgumentError, Option } from 'commander'
import { type Ending, type Job, runJob } from '../../ci/command.ts'
import { apply } from '../../ci/commands/apply.ts'
import { drift } from '../../ci/commands/drift.ts'
import { plan } from '../../ci/commands/plan.ts'
import { report } from '../../ci/commands/report.ts'
import type { CiCommand } from '../../ci/forge.ts'
import type { CiHooks, Consent } from '../../ci/judge.ts'
import { isForgeCredential, openForge } from '../../ci/open-forge.ts'
import { type ExitCode, wrongInput } from '../../core/model/failure.ts'
import { compact } from '../../core/values/collections.ts'
import { withoutSecrets } from '../../core/values/environment.ts'
import { escapeText } from '../../report/escape.ts'
import type { CommandRow, Context } from '../command.ts'
import { gitIn } from '../files/git.ts'
import { integerBetween, numberOrAll, repeatable } from '../option-values.ts'
import { groups, under } from '../options.ts'
import { writeLine } from '../terminal/io.ts'

interface Options {
  readonly fleet: string
  readonly name: string
  readonly results: string
}

interface ApplyOptions extends Options {
  readonly pullRequest?: number
  readonly maxChanges?: number | 'all'
  readonly allowDowngrade: readonly string[]
  readonly ignoreWindows?: true
}

const passedOptions = new Argument('[options...]')

const jobOptions = [
  ...under(
    groups.selection,
    new Option('--fleet <dir>', 'the directory with the YAML files').default('.'),
    new Option('--name <name>', 'the name of the fleet, unique in the repository')
      .argParser(parseName)
      .default('fleet')
  ),
  ...under(
    groups.output,
    new Option('--results <dir>', 'the folder for the results').default('wlanctl-results')
  )
]

function parseName(text: string): string {
  if (/^[a-z0-9][a-z0-9-]{0,62}$/.test(text)) return text
  throw new InvalidArgumentError('Expected a-z, 0-9 and -.')
}

function runOf<Given extends Options>(
  name: CiCommand,
  work: (job: Job, options: Given) => Promise<Ending>
) {
  return (context: Context, passed: readonly string[], options: Given) =>
    withJob(context, { name, passed, options }, job => runJob(job, () => work(job, options)))
}

export const command: CommandRow = {
  examples: ['wlanctl ci plan --help'],
  subcommands: {
    plan: {
      description: 'plan what a pull request changes; exit 4 where `apply` would refuse',
      arguments: [passedOptions],
      passesOptions: true,
      options: [jobOptions],
      run: runOf('plan', plan)
    },
    apply: {
      description: 'send of the tip what the plans of merged pull requests permit',
      arguments: [passedOptions],
      passesOptions: true,
      options: [
        jobOptions,
        under(
          groups.limits,
          new Option(
            '--pull-request <n>',
            'by hand: the pull request that the next three options allow more'
          ).argParser(integerBetween(1, 1_000_000_000)),
          new Option('--max-changes <n|all>', 'the most WLANs that it may change').argParser(
            numberOrAll
          ),
          repeatable(
            '--allow-downgrade [glob]',
            'allow it to weaken security, of all WLANs or those with a matching address; repeatable'
          ).preset('*'),
          new Option('--ignore-windows', 'also send it outside of windows, and in a freeze')
        )
      ],
      run: runOf('apply', (job, options: ApplyOptions) => apply(job, consentOf(options)))
    },
    drift: {
      description: 'check for drift, and store a snapshot',
      arguments: [passedOptions],
      passesOptions: true,
      options: [jobOptions],
      run: runOf('drift', drift)
    },
    report: {
      description: 'write the comments and the issue of the results',
      options: [jobOptions],
      run: (context, options: Options) =>
        withJob(context, { name: 'apply', passed: [], options }, report)
    }
  }
}

/** What a run by hand allows. Throws (exit 3) if it names no pull request. */
function consentOf(options: ApplyOptions): Consent | undefined {
  const { pullRequest: pull, maxChanges, allowDowngrade, ignoreWindows } = options
  const downgrades = allowDowngrade.length > 0 ? allowDowngrade : undefined
  const given = compact({ maxChanges, ignoreWindows, allowDowngrade: downgrades })
  if (pull !== undefined) return { pull, ...given }
  if (Object.keys(given).length === 0) return undefined
  throw wrongInput('these options allow more to one pull request', 'name it with --pull-request')
}

interface Called {
  readonly name: CiCommand
  readonly passed: readonly string[]
  readonly options: Options
}

/** Options that decide what is permitted or recorded, which is the task of `ci` itself. */
const OWN = /^--(?:plan|expect|record|report|format|out|against|yes|base|changed-since)(?:=|$)|^-y$/

/** Options that would take a part of the fleet: what an apply does not cover, it would settle. */
const PART = /^--(?:site|exclude-site|wlan|shard)(?:=|$)/

async function withJob(
  { io, run }: Context,
  { name, passed, options }: Called,
  work: (job: Job) => Promise<ExitCode>
): Promise<ExitCode> {
  const own = passed.find(word => OWN.test(word) || (name === 'apply' && PART.test(word)))
  if (own !== undefined)
    throw wrongInput(`\`ci ${name}\` does not take the option ${escapeText(own)}`)
  const { env, cwd, now, interrupted, abortSignal, forgePause: pause = 1000 } = io
  const forge = await openForge({ env, signal: abortSignal, pause })
  const temporary = await mkdtemp(join(env['RUNNER_TEMP'] || tmpdir(), 'wlanctl-ci-'))
  const { fleet, name: fleetName, results } = options
  try {
    return await work({
      ...{ command: name, forge, fleet, name: fleetName, temporary, options: passed },
      ...{ env, now, pause },
      results: resolve(cwd, results),
      git: gitIn(cwd, { ...io, interrupted }),
      log: line => writeLine(io, `wlanctl: ${escapeText(line)}`),
      async program(argv, ci, stop) {
        let reason: string | undefined
        let headline: string | undefined
        const hooks: CiHooks = {
          ...ci,
          reported(line) {
            headline = line
          },
          failed(message) {
            reason = message
          }
        }
        const signal = stop === undefined ? interrupted : AbortSignal.any([interrupted, stop])
        const own = { argv, env: withoutSecrets(env, isForgeCredential), interrupted: signal }
        const code = await run({ ...io, ...own, ci: hooks })
        return { code, reason: reason ?? `The program ended with exit code ${code}.`, headline }
      }
    })
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

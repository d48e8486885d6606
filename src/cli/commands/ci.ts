import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Writable } from 'node:stream'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type CiCommand, type Ending, type Job, runJob } from '../../ci/command.ts'
import { type ApplySettings, apply } from '../../ci/commands/apply.ts'
import { drift } from '../../ci/commands/drift.ts'
import { type PlanSettings, plan } from '../../ci/commands/plan.ts'
import { report } from '../../ci/commands/report.ts'
import { openForge } from '../../ci/open-forge.ts'
import { type ExitCode, wrongInput } from '../../core/model/failure.ts'
import { tool } from '../../core/model/tool.ts'
import { escapeText } from '../../report/escape.ts'
import type { Context } from '../context.ts'
import { gitIn } from '../files/git.ts'
import { addExample, addGroup, groups } from '../options.ts'
import { type Io, writeLine } from '../terminal/io.ts'

interface Options {
  readonly fleet: string
  readonly name: string
  readonly results: string
}

type ApplyOptions = Options & ApplySettings

export function define(command: Command, context: Context): void {
  const { ends } = context
  const add = (name: CiCommand | 'report', argument: string, description: string) =>
    addJobOptions(command.command(`${name} ${argument}`).description(description))
  /** A command that passes its last words to the program. */
  const adding = (name: CiCommand, description: string) => add(name, '[options...]', description)
  const run = <Given extends Options>(
    name: CiCommand,
    work: (job: Job, options: Given) => Promise<Ending>
  ) =>
    ends((passed: readonly string[], options: Given) =>
      withJob(context, { name, passed, options }, job => runJob(job, () => work(job, options)))
    )

  adding('plan', 'plan a pull request; exit 4 where `apply` would refuse')
    .addOption(
      new Option(
        '--scope <scope>',
        'the sites to plan: those that the pull request changes, or all'
      )
        .choices(['changed', 'all'])
        .default('changed')
    )
    .action(run<Options & PlanSettings>('plan', plan))
  const applying = addGroup(
    adding('apply', 'apply what the plans of merged pull requests approve'),
    groups.repository,
    new Option('--environment <name>', 'the environment of the deployment').default('production')
  )
  addGroup(
    applying,
    groups.limits,
    new Option('--no-require-plan', 'send what differs, approved or not')
  ).action(run<ApplyOptions>('apply', apply))
  adding('drift', 'check for drift, and store a snapshot').action(run('drift', drift))
  add('report', '<of>', 'write the comments and issues of a result').action(
    ends((of: string, options: Options) =>
      withJob(context, { name: commandOf(of), passed: [], options }, report)
    )
  )
  addExample(command, 'wlanctl ci plan --help')
}

const reported = ['plan', 'apply', 'drift'] as const

function commandOf(word: string): CiCommand {
  const found = reported.find(name => name === word)
  if (found !== undefined) return found
  throw wrongInput(`expected one of ${reported.join(', ')}, got ${JSON.stringify(word)}`)
}

function addJobOptions(command: Command): Command {
  addGroup(
    command,
    groups.selection,
    new Option('--fleet <dir>', 'the directory with the YAML files').default('.'),
    new Option('--name <name>', 'the name of the fleet, unique in the repository')
      .argParser(parseName)
      .default('fleet')
  )
  return addGroup(
    command,
    groups.output,
    new Option('--results <dir>', 'the folder for the results').default('wlanctl-results')
  )
}

function parseName(text: string): string {
  if (/^[a-z0-9][a-z0-9-]{0,62}$/.test(text)) return text
  throw new InvalidArgumentError('Expected a-z, 0-9 and -.')
}

interface Called {
  readonly name: CiCommand
  readonly passed: readonly string[]
  readonly options: Options
}

/** Options that decide what is approved or recorded, which is the task of `ci` itself. */
const OWN =
  /^--(?:plan|expect|require-plan|record|report|format|out|against|yes|base|changed-since)(?:=|$)|^-y$/

/** Runs a command with the forge of this process, and removes its downloads afterwards. */
async function withJob(
  { io, run }: Context,
  { name, passed, options }: Called,
  work: (job: Job) => Promise<ExitCode>
): Promise<ExitCode> {
  const own = passed.find(word => OWN.test(word))
  if (own !== undefined)
    throw wrongInput(`\`ci ${name}\` sets the option ${escapeText(own)} itself`)
  const { env, cwd, now, interrupted, abortSignal, forgePause: pause = 1000 } = io
  const forge = await openForge({ env, userAgent: tool.name, signal: abortSignal, pause })
  const temporary = await mkdtemp(join(env['RUNNER_TEMP'] || tmpdir(), 'wlanctl-ci-'))
  const { fleet, name: fleetName, results } = options
  try {
    return await work({
      ...{ command: name, forge, fleet, temporary, options: passed, env, cwd, now },
      ours: { kind: forge.kind, name: fleetName, defaultBranch: forge.run.defaultBranch },
      results: resolve(cwd, results),
      git: gitIn(cwd, { ...io, interrupted }),
      log: line => writeLine(io, `wlanctl: ${escapeText(line)}`),
      async program(argv, beforeSending) {
        const errors = new Tail(io.stderr)
        const inner: Io = {
          ...io,
          ...{ argv, env: forge.childEnvironment, stderr: errors },
          ...(beforeSending && { beforeSending })
        }
        const code = await run(inner)
        return { code, reason: errors.reason(code) }
      }
    })
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

/** The number of characters in which the message of a run is searched. */
const TAIL = 20_000

class Tail extends Writable {
  #text = ''
  readonly #target: Writable

  constructor(target: Writable) {
    super({ decodeStrings: false })
    this.#target = target
  }

  override _write(chunk: string | Buffer, _: BufferEncoding, done: (error?: Error | null) => void) {
    this.#text = (this.#text + String(chunk)).slice(-TAIL)
    this.#target.write(chunk, error => done(error))
  }

  /** The last message of the program, which begins with its name. */
  reason(code: ExitCode): string {
    const [last = ''] = /wlanctl: (?![\s\S]*\nwlanctl: )[\s\S]*$/.exec(this.#text) ?? []
    return last.trim() || `The program ended with exit code ${code}.`
  }
}

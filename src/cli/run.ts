import { Command, CommanderError, Option } from 'commander'
import { type ExitCode, exit, Failure } from '../core/model/failure.ts'
import { tool } from '../core/model/tool.ts'
import { plural, quote } from '../core/values/text.ts'
import { escapeInside, escapeLines, escapeText } from '../report/escape.ts'
import { wrapLines } from '../report/layout.ts'
import { type CommandRow, type Context, define } from './command.ts'
import { applyEnvironment, type ReportFile } from './option-values.ts'
import { groups } from './options.ts'
import { commandGroups, connectionHelp, type HelpDetail, helpSettings } from './terminal/help.ts'
import { columnsOf, type Io, linesFor, write, writeLine } from './terminal/io.ts'

/**
 * Runs the program once and returns its exit code; never throws. The only place that converts errors to text:
 * a `Failure` to its message and hint, any other error to a bug report with its stack.
 */
export async function run(io: Io): Promise<ExitCode> {
  try {
    return await runCommand(io)
  } catch (error) {
    return await reportError(error, io).catch(() => exit.failed)
  }
}

async function runCommand(io: Io): Promise<ExitCode> {
  let code: ExitCode = exit.done
  const context: Context = {
    io,
    run,
    end(ended) {
      code = ended
    },
    loadProgram: words => createProgram(context, words.filter(isCommand), () => undefined)
  }
  if (io.argv[0] === 'help' && io.argv[1] === 'connection') {
    await write(io, connectionHelp(columnsOf(io.stdout)))
    return code
  }
  const argv = withHelpOptions(io.argv)
  const called = argv.filter(isCommand).slice(0, 1)
  const help: string[] = []
  const detail = argv.includes('-h') ? 'brief' : 'full'
  const program = await createProgram(context, called, text => help.push(text), detail)
  try {
    await program.parseAsync(argv, { from: 'user' })
  } finally {
    if (help.length > 0) await write(io, wrapLines(help.join(''), columnsOf(io.stdout)))
  }
  return code
}

/**
 * The arguments with the help as an option: none and `help` are `-h`, `help --all` is `--help`, `help plan` is `plan --help`.
 * `help foo` of an unknown command becomes `foo`, so that commander reports the error.
 */
function withHelpOptions(argv: readonly string[]): readonly string[] {
  const [first = 'help', second] = argv
  if (first !== 'help') return argv
  if (second === undefined || second === '-h') return ['-h']
  if (second.startsWith('-')) return ['--help']
  return isCommand(second) ? [...argv.slice(1), '--help'] : argv.slice(1)
}

async function reportError(error: unknown, io: Io): Promise<ExitCode> {
  // Commander has already printed its message.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exit.done : exit.wrongInput
  const end = async (code: ExitCode, message: string) => {
    io.ci?.failed?.(message)
    await writeLine(io, `wlanctl: ${message}`)
    return code
  }
  if (io.interrupted.aborted) return end(exit.interrupted, 'interrupted')
  if (error instanceof Failure) {
    const hint = error.hint === undefined ? '' : `\n  ${escapeText(error.hint)}`
    return end(error.exitCode, `${escapeText(error.message)}${hint}`)
  }
  const bug = 'this is a bug in wlanctl; please report it with these lines:'
  return end(exit.failed, `${bug}\n${formatBug(error)}`)
}

/** The error on one line, escaped because it may contain untrusted text, and its stack. */
function formatBug(error: unknown): string {
  const { stack = '' } = error instanceof Error ? error : {}
  const frames = stack.split('\n').filter(line => line.startsWith('    at '))
  return [String(error), ...frames].map(escapeText).join('\n')
}

/** A command without description is not in the help. */
type CommandEntry = readonly [
  group: keyof typeof commandGroups,
  description: string,
  load: () => Promise<{ readonly command: CommandRow }>
]

/** The commands, in the order of the help; each file is loaded only when its command is called. */
const commands: Readonly<Record<string, CommandEntry>> = {
  demo: ['trial', 'a guided tour on the embedded service', () => import('./commands/demo.ts')],
  simulate: [
    'trial',
    'run the embedded service on a loopback port',
    () => import('./commands/simulate.ts')
  ],
  audit: ['view', 'check live sites without any file', () => import('./commands/audit.ts')],
  list: [
    'view',
    'list WLANs by their fields: declared, live, or of a snapshot',
    () => import('./commands/list.ts')
  ],
  diff: [
    'view',
    'show what differs between two states of the live networks',
    () => import('./commands/diff.ts')
  ],
  explain: [
    'view',
    'explain a lint rule, a field, a finding, or where the values of a WLAN come from',
    () => import('./commands/explain.ts')
  ],
  show: [
    'view',
    'show or merge saved plans, snapshots, outcomes and records',
    () => import('./commands/show.ts')
  ],
  init: ['start', 'make a repository for a fleet, with its CI', () => import('./commands/init.ts')],
  import: ['start', 'turn live sites into YAML files', () => import('./commands/import.ts')],
  doctor: [
    'start',
    'check everything a run needs, and suggest fixes',
    () => import('./commands/doctor.ts')
  ],
  validate: [
    'change',
    'check the files; needs no network, token or secret',
    () => import('./commands/validate.ts')
  ],
  test: [
    'change',
    'run the tests that the fleet declares; needs no network, token or secret',
    () => import('./commands/test.ts')
  ],
  plan: ['change', 'show what apply would do', () => import('./commands/plan.ts')],
  apply: [
    'change',
    'make the live WLANs match the files, and verify',
    () => import('./commands/apply.ts')
  ],
  drift: [
    'after',
    'the scheduled check: exit 2 when live differs from declared',
    () => import('./commands/drift.ts')
  ],
  adopt: [
    'after',
    'write live values into the files, to resolve drift',
    () => import('./commands/adopt.ts')
  ],
  revert: [
    'after',
    'undo the changes in a record, or restore a state',
    () => import('./commands/revert.ts')
  ],
  snapshot: [
    'machines',
    'save the live WLANs, for `plan --against`',
    () => import('./commands/snapshot.ts')
  ],
  token: ['machines', 'create or list API tokens', () => import('./commands/token.ts')],
  schema: ['machines', 'print a JSON Schema, for editors', () => import('./commands/schema.ts')],
  ci: ['machines', 'run the above in jobs of GitHub or GitLab', () => import('./commands/ci.ts')],
  completion: [
    'machines',
    'print the completion script of a shell',
    () => import('./commands/completion.ts')
  ],
  complete: ['machines', '', () => import('./commands/complete.ts')]
}

function isCommand(word: string): boolean {
  return Object.hasOwn(commands, word)
}

/** The program with these commands defined, and the others only listed; `writeHelp` receives its help. */
async function createProgram(
  context: Context,
  defined: readonly string[],
  writeHelp: (text: string) => unknown,
  detail: HelpDetail = 'full'
): Promise<Command> {
  const { io } = context
  const program = new Command('wlanctl')
    .description('Keeps the Wi-Fi networks of many sites in sync with YAML in Git.')
    .optionsGroup(groups.general)
    .version(tool.version, '-V, --version', 'print the version')
    .addHelpOption(
      new Option('-h, --help', 'show help: -h the most important options, --help all').helpGroup(
        groups.general
      )
    )
    .exitOverride()
    .configureOutput({
      writeOut: text => void writeHelp(text),
      writeErr: text => void io.stderr.write(escapeLines(text)),
      outputError: (text, writeErr) =>
        writeErr(linesFor(io.stderr, formatUsageError(text, defined))),
      getOutHelpWidth: () => columnsOf(io.stdout),
      getErrHelpWidth: () => columnsOf(io.stderr),
      getOutHasColors: () => false,
      getErrHasColors: () => false
    })
    .configureHelp(helpSettings(detail))
    .hook('preAction', async (_, called) => {
      // The word to complete may be empty.
      if (called.name() !== 'complete') refuseEmptyArguments(called)
      applyEnvironment(called, io)
      await checkOutputs(called, io)
    })
  for (const [name, [group, description, load]] of Object.entries(commands)) {
    const command = program.command(name, { hidden: description === '' }).description(description)
    command.helpGroup(commandGroups[group])
    if (!defined.includes(name)) continue
    define(command, (await load()).command, context)
  }
  return program
}

/** Throws (exit 3) if a file of `--out`, `--record` or `--report` cannot be written. */
async function checkOutputs(called: Command, io: Io): Promise<void> {
  const { report = [], ...values } = called.opts<{ readonly report?: readonly ReportFile[] }>()
  const single = called.options.filter(({ flags }) => OUTPUT_OPTIONS.includes(flags))
  const named = single.map(option => Reflect.get(values, option.attributeName()))
  const files = [...report.map(({ file }) => file), ...named].filter(file => file !== undefined)
  if (files.length === 0) return
  const { checkOutputFiles } = await import('./output.ts')
  await checkOutputFiles(files, io)
}

const OUTPUT_OPTIONS: readonly string[] = ['--out <file>', '--record <file>']

/** Options for a secret in other programs. */
const SECRET_OPTIONS = /^--(?:api-)?(?:token|key)$|^--password$/

const TOKEN_HINT = `a command line shows a token to every user of the machine: set WLANCTL_API_TOKEN,
  or name a file that only you can read with --token-file`

const otherNames: Readonly<Record<string, string>> = { status: 'drift', query: 'list' }

/**
 * Words a usage error of commander like all others, and makes it safe to show, because it repeats arguments
 * from any source. Only the name of an unknown option is shown, because people try `--token=…` and `-p…`.
 */
function formatUsageError(text: string, [called]: readonly string[]): string {
  const [, message = '', suggestion] =
    /^error: (.*?)(?:\n\(Did you mean ([^\n]*)\?\))?\n$/s.exec(text) ?? []
  const [, command] = /^unknown command '(.*)'$/s.exec(message) ?? []
  const [, option] = /^unknown option '(--[^'=]*|-.)/s.exec(message) ?? []
  const near = suggestion ?? otherNames[command ?? '']
  const usage =
    called === undefined
      ? '`wlanctl help` lists the commands'
      : `\`wlanctl ${called} --help\` lists the options`
  const hint = near === undefined ? usage : `did you mean ${near}?`
  if (option === undefined) return errorText(expected(message) ?? quoted(message), hint)
  return errorText(`unknown option ${option}`, SECRET_OPTIONS.test(option) ? TOKEN_HINT : hint)
}

function errorText(message: string, hint: string): string {
  return `wlanctl: ${escapeInside(message)}\n  ${hint}\n`
}

function quoted(message: string): string {
  return message.replaceAll(/'([^'"]*)'/g, '"$1"')
}

/** The error about an invalid or missing value as `expected X, got Y`; undefined for another one. */
function expected(message: string): string | undefined {
  const [, command, most, count] =
    /^too many arguments for '(.*)'\. Expected (\d+) arguments? but got (\d+)/.exec(message) ?? []
  if (command !== undefined)
    return `${command}: expected ${plural(Number(most), 'argument')} at most, got ${count}`
  const [, one, another] =
    /^option '.*?(--[\w-]+)[^']*' cannot be used with option '.*?(--[\w-]+)[^']*'$/.exec(message) ??
    []
  if (one !== undefined) return `${one} cannot be used with ${another}`
  const [, flag] = /^option '.*?(--[\w-]+)[^']*' argument missing$/.exec(message) ?? []
  if (flag !== undefined) return `${flag}: expected a value, got none`
  const [, missing] = /^missing required argument '(.*)'$/.exec(message) ?? []
  if (missing !== undefined) return `expected the argument <${missing}>, got none`
  const [, given, argument, choices] =
    /^command-argument value '(.*)' is invalid for argument '([\w-]+)'\. Allowed choices are (.*)\.$/s.exec(
      message
    ) ?? []
  if (given !== undefined) {
    return `expected one of ${choices} for <${argument}>, got ${quote(given, 100)}`
  }
  const [, option, value, known, description] =
    /^option '.*?(--[\w-]+)[^']*' argument '(.*)' is invalid\. (?:Allowed choices are (.*?)|Expected (.*?))\.?$/s.exec(
      message
    ) ?? []
  if (value === undefined) return undefined
  const wanted = known === undefined ? description : `one of ${known}`
  return `${option}: expected ${wanted}, got ${quote(value, 100)}`
}

function refuseEmptyArguments(command: Command): void {
  const at = command.args.indexOf('')
  if (at < 0) return
  const argument = command.registeredArguments[at] ?? command.registeredArguments.at(-1)
  command.error(`error: argument '${argument?.name()}' must not be empty`)
}

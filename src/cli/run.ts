import { Command, CommanderError, Help, Option } from 'commander'
import { type ExitCode, exit, Failure } from '../model/failure.ts'
import { quote } from '../model/text.ts'
import { escapeInside, escapeLines, escapeText } from '../report/escape.ts'
import { type CommandFile, type Context, tool } from './context.ts'
import { type Io, write, writeLine } from './io.ts'
import { applyEnvironment, type ReportFile } from './option-values.ts'
import { exitCodesHelp, groups } from './options.ts'

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

/** Loads and runs the command in the arguments. */
async function runCommand(io: Io): Promise<ExitCode> {
  let code: ExitCode = exit.done
  const context: Context = {
    io,
    ends:
      action =>
      async (...args) => {
        code = await action(...args)
      },
    run,
    loadProgram: words => createProgram(context, words.filter(isCommand), () => undefined)
  }
  const called = io.argv.filter(isCommand).slice(0, 1)
  const help: string[] = []
  const program = await createProgram(context, called, text => help.push(text))
  try {
    await program.parseAsync(withoutHelpOfUnknown(io.argv), { from: 'user' })
  } finally {
    if (help.length > 0) await write(io, help.join(''))
  }
  return code
}

/** Replaces `help foo` by `foo` for an unknown command, so that commander reports the error. */
function withoutHelpOfUnknown(argv: readonly string[]): readonly string[] {
  const [first, second = '-'] = argv
  const isKnown = second.startsWith('-') || isCommand(second)
  return first !== 'help' || isKnown ? argv : argv.slice(1)
}

async function reportError(error: unknown, io: Io): Promise<ExitCode> {
  // Commander has already printed its message.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exit.done : exit.wrongInput
  if (io.interrupted.aborted) {
    await writeLine(io, 'wlanctl: interrupted')
    return exit.interrupted
  }
  if (error instanceof Failure) {
    const hint = error.hint === undefined ? '' : `\n  ${escapeText(error.hint)}`
    await writeLine(io, `wlanctl: ${escapeText(error.message)}${hint}`)
    return error.exitCode
  }
  await writeLine(io, 'wlanctl: this is a bug in wlanctl; please report it with these lines:')
  await writeLine(io, formatBug(error))
  return exit.failed
}

/** The error on one line, escaped because it may contain untrusted text, and its stack. */
function formatBug(error: unknown): string {
  const { stack = '' } = error instanceof Error ? error : {}
  const frames = stack.split('\n').filter(line => line.startsWith('    at '))
  return [String(error), ...frames].map(escapeText).join('\n')
}

/** A command without description is not in the help. */
type CommandEntry = readonly [description: string, load: () => Promise<CommandFile>]

/** The commands; each file is loaded only when its command is called. */
const commands: Readonly<Record<string, CommandEntry>> = {
  validate: [
    'check the files; needs no network, token or secret',
    () => import('./commands/validate.ts')
  ],
  plan: ['show what apply would do', () => import('./commands/plan.ts')],
  apply: ['make the live WLANs match the files, and verify', () => import('./commands/apply.ts')],
  drift: [
    'the scheduled check: exit 2 when live differs from declared',
    () => import('./commands/drift.ts')
  ],
  snapshot: ['save the live WLANs, for `plan --against`', () => import('./commands/snapshot.ts')],
  show: [
    'show or merge saved plans, snapshots, outcomes and records',
    () => import('./commands/show.ts')
  ],
  revert: ['undo the changes in a record', () => import('./commands/revert.ts')],
  init: ['make a repository for a fleet, with its CI', () => import('./commands/init.ts')],
  import: ['turn live sites into YAML files', () => import('./commands/import.ts')],
  audit: ['check live sites without any file', () => import('./commands/audit.ts')],
  adopt: [
    'write live values into the files, to resolve drift',
    () => import('./commands/adopt.ts')
  ],
  doctor: ['check everything a run needs, and suggest fixes', () => import('./commands/doctor.ts')],
  explain: [
    'explain a lint rule, a field, or the values of a WLAN and where they come from',
    () => import('./commands/explain.ts')
  ],
  token: ['create or list API tokens', () => import('./commands/token.ts')],
  simulate: ['run the embedded service on a loopback port', () => import('./commands/simulate.ts')],
  demo: ['a guided tour on the embedded service', () => import('./commands/demo.ts')],
  schema: ['print a JSON Schema, for editors', () => import('./commands/schema.ts')],
  completion: ['print the completion script of a shell', () => import('./commands/completion.ts')],
  complete: ['', () => import('./commands/complete.ts')]
}

function isCommand(word: string): boolean {
  return Object.hasOwn(commands, word)
}

/** The program with these commands defined, and the others only listed; `writeHelp` receives its help. */
async function createProgram(
  context: Context,
  defined: readonly string[],
  writeHelp: (text: string) => unknown
): Promise<Command> {
  const { io } = context
  const program = new Command('wlanctl')
    .description('Keeps the Wi-Fi networks of many sites in sync with YAML in Git.')
    .optionsGroup(groups.general)
    .version(tool.version, '-V, --version', 'print the version')
    .addHelpOption(new Option('-h, --help', 'show help').helpGroup(groups.general))
    .exitOverride()
    .showHelpAfterError('(run with --help for usage)')
    .configureOutput({
      writeOut: text => void writeHelp(text),
      writeErr: text => void io.stderr.write(escapeLines(text)),
      outputError: (text, writeErr) => writeErr(formatUsageError(text)),
      getOutHelpWidth: () => io.stdout.columns ?? 80,
      getErrHelpWidth: () => io.stderr.columns ?? 80,
      getOutHasColors: () => false,
      getErrHasColors: () => false
    })
    .configureHelp({ optionDescription: describeOption })
    .addHelpText('after', exitCodesHelp)
    .hook('preAction', async (_, called) => {
      // The word to complete may be empty.
      if (called.name() !== 'complete') refuseEmptyArguments(called)
      applyEnvironment(called, io)
      await checkOutputs(called, io)
    })
  for (const [name, [description, load]] of Object.entries(commands)) {
    const command = program.command(name, { hidden: description === '' }).description(description)
    if (!defined.includes(name)) continue
    ;(await load()).define(command, context)
    sortOptions(command)
    refuseEmptyAndRepeatedValues(command)
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

/** The options that name an output file, besides `--report`. */
const OUTPUT_OPTIONS: readonly string[] = ['--out <file>', '--record <file>']

/** The description of an option in the help, without its value as code for an option without a value. */
function describeOption(option: Option): string {
  const shown: Option = Object.create(option, { presetArg: { value: undefined } })
  return new Help().optionDescription(shown)
}

/** Sorts the options of a command, and with them its help, in the order of `groups`. */
function sortOptions(command: Command): void {
  const headings = Object.values(groups)
  const rank = ({ helpGroupHeading = '' }: Option) => headings.indexOf(helpGroupHeading)
  const options = command.options as Option[]
  options.sort((a, b) => rank(a) - rank(b))
  for (const subcommand of command.commands) sortOptions(subcommand)
}

/** Options for a secret in other programs. */
const SECRET_OPTIONS = /^--(?:api-)?(?:token|key)$|^--password$/

const TOKEN_HINT = `
  A command line shows a token to every user of the machine: set WLANCTL_API_TOKEN,
  or name a file that only you can read with --token-file.`

/**
 * Makes a usage error of commander safe to show, because it repeats arguments from any source. Only the name
 * of an unknown option is shown, because people try `--token=…` and `-p…`.
 */
function formatUsageError(text: string): string {
  const [, message = '', suggestion = ''] =
    /^(.*?)(\n\(Did you mean [^\n]*\))?\n$/s.exec(text) ?? []
  const choice = formatChoiceError(message)
  if (choice !== undefined) return `${escapeInside(choice)}\n`
  const [, option] = /^error: unknown option '(--[^'=]*|-.)/s.exec(message) ?? []
  if (option === undefined) return `${escapeInside(message)}${suggestion}\n`
  const hint = SECRET_OPTIONS.test(option) ? TOKEN_HINT : suggestion
  return `error: unknown option '${escapeInside(option)}'${hint}\n`
}

/** The error about a value that is none of the choices as `expected X, got Y`; undefined for another one. */
function formatChoiceError(message: string): string | undefined {
  const [, value = '', argument, choices] =
    /^error: command-argument value '(.*)' is invalid for argument '([\w-]+)'\. Allowed choices are (.*)\.$/s.exec(
      message
    ) ?? []
  if (argument !== undefined) {
    return `error: expected one of ${choices} for <${argument}>, got ${quote(value, 100)}`
  }
  const [, option, given = '', known] =
    /^error: option '.*?(--[\w-]+)[^']*' argument '(.*)' is invalid\. Allowed choices are (.*)\.$/s.exec(
      message
    ) ?? []
  if (option === undefined) return undefined
  return `error: expected one of ${known} for ${option}, got ${quote(given, 100)}`
}

/**
 * Rejects an empty value, such as that of an unset shell variable, and a repeated option that would lose a
 * value. An option whose default is a list is repeatable.
 */
function refuseEmptyAndRepeatedValues(command: Command): void {
  for (const option of command.options) {
    if (!(option.required || option.optional)) continue
    let given = 0
    const check = (value: string | null) => {
      given += 1
      if (value === '') command.error(`error: option '${option.flags}' must not be empty`)
      if (given > 1 && !Array.isArray(option.defaultValue)) {
        command.error(`error: option '${option.flags}' is given more than once`)
      }
    }
    command.on(`option:${option.name()}`, check)
  }
  for (const subcommand of command.commands) refuseEmptyAndRepeatedValues(subcommand)
}

function refuseEmptyArguments(command: Command): void {
  const at = command.args.indexOf('')
  if (at < 0) return
  const argument = command.registeredArguments[at] ?? command.registeredArguments.at(-1)
  command.error(`error: argument '${argument?.name()}' must not be empty`)
}

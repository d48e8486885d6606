import { Command, Option } from 'commander'
import { escapeInside } from '../report/escape.ts'
import type { CommandFile, Context } from './context.ts'
import { applyEnvironment } from './option-values.ts'
import { groups } from './options.ts'
import { tool } from './version.ts'

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
  show: ['show a saved plan or a record', () => import('./commands/show.ts')],
  merge: [
    'merge the plans, snapshots or outcomes of several runs',
    () => import('./commands/merge.ts')
  ],
  revert: ['undo the changes in a record', () => import('./commands/revert.ts')],
  import: ['turn live sites into YAML files', () => import('./commands/import.ts')],
  adopt: [
    'write live values into the files, to resolve drift',
    () => import('./commands/adopt.ts')
  ],
  doctor: ['check everything a run needs, and suggest fixes', () => import('./commands/doctor.ts')],
  token: ['create or list API tokens', () => import('./commands/token.ts')],
  simulate: ['run the embedded service on a loopback port', () => import('./commands/simulate.ts')],
  demo: ['a guided tour on the embedded service', () => import('./commands/demo.ts')],
  schema: ['print a JSON Schema, for editors', () => import('./commands/schema.ts')],
  completion: ['print the completion script of a shell', () => import('./commands/completion.ts')]
}

export const commandNames: readonly string[] = Object.keys(commands)

export function isCommand(word: string): boolean {
  return Object.hasOwn(commands, word)
}

const EXIT_CODES = `
Exit codes:
  0  done                           3  the input is wrong; nothing was sent
  1  failed                         4  refused by a limit or policy; nothing was sent
  2  there are changes (drift,      5  incomplete: not all could be read or applied
     plan --detailed-exitcode)    130  interrupted`

/** The program with these commands defined, the others only listed; `writeHelp` gets its help. */
export async function createProgram(
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
      writeErr: text => void io.stderr.write(text),
      outputError: (text, writeErr) => writeErr(formatUsageError(text)),
      getOutHelpWidth: () => io.stdout.columns ?? 80,
      getErrHelpWidth: () => io.stderr.columns ?? 80,
      getOutHasColors: () => false,
      getErrHasColors: () => false
    })
    .addHelpText('after', EXIT_CODES)
    .hook('preAction', (_, called) => {
      refuseEmptyArguments(called)
      applyEnvironment(called, io)
    })
  for (const [name, [description, load]] of Object.entries(commands)) {
    const command = program.command(name).description(description)
    if (!defined.includes(name)) continue
    ;(await load()).define(command, context)
    sortOptions(command)
    refuseEmptyAndRepeatedValues(command)
  }
  return program
}

/** Puts the options of a command, and with them its help, in the order of `groups`. */
function sortOptions(command: Command): void {
  const headings = Object.values(groups)
  const rank = ({ helpGroupHeading = '' }: Option) => headings.indexOf(helpGroupHeading)
  const options = command.options as Option[]
  options.sort((a, b) => rank(a) - rank(b))
  for (const subcommand of command.commands) sortOptions(subcommand)
}

/** Options that other programs have for a secret. */
const SECRET_OPTIONS = /^--(?:api-)?(?:token|key)$|^--password$/

const TOKEN_HINT = `
  A command line shows a token to every user of the machine: set WLANCTL_API_TOKEN,
  or name a file that only you can read with --token-file.`

/**
 * A usage error of commander, safe to show: it repeats arguments, which may come from anywhere. An unknown
 * option is shown by its name only, since people try `--token=…` and `-p…`.
 */
function formatUsageError(text: string): string {
  const [, message = '', suggestion = ''] =
    /^(.*?)(\n\(Did you mean [^\n]*\))?\n$/s.exec(text) ?? []
  const [, option] = /^error: unknown option '(--[^'=]*|-.)/s.exec(message) ?? []
  if (option === undefined) return `${escapeInside(message)}${suggestion}\n`
  const hint = SECRET_OPTIONS.test(option) ? TOKEN_HINT : suggestion
  return `error: unknown option '${escapeInside(option)}'${hint}\n`
}

/**
 * Refuses an empty value, such as that of an unset shell variable, and a second value where one would be
 * lost. An option whose default is a list is repeatable.
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

import type { Argument, Command, Option } from 'commander'
import type { ExitCode } from '../core/model/failure.ts'
import { groups } from './options.ts'
import type { Io } from './terminal/io.ts'

export interface Context {
  readonly io: Io
  /** The program with the commands among these words defined, for completion. */
  readonly loadProgram: (words: readonly string[]) => Promise<Command>
  /** Runs the program in this process, as `demo` does. */
  readonly run: (io: Io) => Promise<ExitCode>
  readonly end: (code: ExitCode) => void
}

export interface CommandRow {
  readonly arguments?: readonly Argument[]
  /** True if other options are arguments, for another command. */
  readonly passesOptions?: true
  /** In the order of the help, within each heading. */
  readonly options?: readonly (readonly Option[])[]
  readonly notes?: string
  /** Command lines at the end of the help; a test runs each of them. */
  readonly examples?: readonly string[]
  /** Receives the value of each argument, and then the options. Absent if there are subcommands. */
  readonly run?: (context: Context, ...given: never[]) => Promise<ExitCode>
  readonly subcommands?: Readonly<Record<string, CommandRow & { readonly description: string }>>
}

export function define(command: Command, row: CommandRow, context: Context): void {
  const { run, notes, examples, subcommands = {} } = row
  for (const argument of row.arguments ?? []) command.addArgument(argument)
  command.allowUnknownOption(row.passesOptions === true)
  const options = (row.options ?? []).flat().sort((a, b) => rank(a) - rank(b))
  for (const option of options) command.addOption(option)
  refuseEmptyAndRepeatedValues(command)
  if (run !== undefined) {
    command.action(async (...given) => context.end(await run(context, ...(given as never[]))))
  }
  for (const [name, subcommand] of Object.entries(subcommands)) {
    define(command.command(name).description(subcommand.description), subcommand, context)
  }
  if (notes !== undefined) command.addHelpText('after', `\n${notes}`)
  if (examples !== undefined) {
    const lines = examples.map(line => `  $ ${line}`)
    command.addHelpText('after', `\nExample:\n${lines.join('\n')}`)
  }
}

function rank({ helpGroupHeading = '' }: Option): number {
  return Object.values(groups).indexOf(helpGroupHeading)
}

/** Rejects an empty value, and a repeated option unless its default is a list. */
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
}

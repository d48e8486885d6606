import type { Command, Option } from 'commander'
import { formatNames } from '../../report/report.ts'

/** Options whose values are names in the fleet; `wlanctl completion --values` prints them. */
export const fleetValues = ['site', 'wlan'] as const

/** The words of one command, as a shell completes them. */
export interface CommandWords {
  /** The command and its subcommand, e.g. `token create`; empty for the program. */
  readonly path: string
  readonly description: string
  readonly options: readonly OptionWords[]
  readonly choices: readonly string[]
}

export interface OptionWords {
  /** E.g. `--format`. */
  readonly flag: string
  /** E.g. `-q`. */
  readonly short: string | undefined
  readonly description: string
  /** What its value is; undefined if it has none. */
  readonly value: OptionValue | undefined
}

/** `any` covers files, whose names every shell completes by itself. */
export type OptionValue =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'fleet'; readonly name: (typeof fleetValues)[number] }
  | { readonly kind: 'any' }

/** The words of a command and of all its subcommands. */
export function wordsOf(command: Command, path: readonly string[] = []): CommandWords[] {
  const help = command.createHelp()
  const own: CommandWords = {
    path: path.join(' '),
    description: command.description(),
    options: help.visibleOptions(command).flatMap(optionWords),
    choices: [
      ...help.visibleCommands(command).map(subcommand => subcommand.name()),
      ...command.registeredArguments.flatMap(argument => argument.argChoices ?? [])
    ]
  }
  const subcommands = command.commands.flatMap(each => wordsOf(each, [...path, each.name()]))
  return [own, ...subcommands]
}

function optionWords(option: Option): OptionWords[] {
  const { long, short, description, required } = option
  if (long === undefined || long === null) return []
  const value = required ? optionValue(option) : undefined
  return [{ flag: long, short: short ?? undefined, description, value }]
}

function optionValue(option: Option): OptionValue {
  const name = fleetValues.find(each => each === option.name())
  if (name !== undefined) return { kind: 'fleet', name }
  if (option.argChoices !== undefined) return { kind: 'words', words: option.argChoices }
  if (option.name() === 'report')
    return { kind: 'words', words: formatNames.map(each => `${each}=`) }
  return { kind: 'any' }
}

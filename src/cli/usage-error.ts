import type { Command } from 'commander'
import { escapeInside } from '../report/escape.ts'

/** Options that other programs have for a secret. */
const SECRET_OPTIONS = /^--(?:api-)?(?:token|key)$|^--password$/

const TOKEN_HINT = `
  A command line shows a token to every user of the machine: set WLANCTL_API_TOKEN,
  or name a file that only you can read with --token-file.`

/**
 * What commander says of wrong words in a call, safe to show: it repeats the words, which a script may
 * have from anywhere. Of an unknown option only the name is left, since people try `--token=…` and `-p…`.
 */
export function shownUsageError(text: string): string {
  const [, said = '', meant = ''] = /^(.*?)(\n\(Did you mean [^\n]*\))?\n$/s.exec(text) ?? []
  const [, option] = /^error: unknown option '(--[^'=]*|-.)/s.exec(said) ?? []
  if (option === undefined) return `${escapeInside(said)}${meant}\n`
  const hint = SECRET_OPTIONS.test(option) ? TOKEN_HINT : meant
  return `error: unknown option '${escapeInside(option)}'${hint}\n`
}

/**
 * Refuses a value that is empty, as that of an unset variable of a shell is, and a second value where
 * one of them would be lost. An option is repeatable if its default is a list.
 */
export function refuseSlips(command: Command): void {
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
  for (const inner of command.commands) refuseSlips(inner)
}

/** The same for what is no option. */
export function refuseEmptyArguments(command: Command): void {
  const at = command.args.indexOf('')
  if (at < 0) return
  const argument = command.registeredArguments[at] ?? command.registeredArguments.at(-1)
  command.error(`error: argument '${argument?.name()}' must not be empty`)
}

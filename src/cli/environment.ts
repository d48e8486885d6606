import { type Command, Option } from 'commander'
import { reasonOf } from '../model/failure.ts'
import type { Io } from './io.ts'

/**
 * An option that an environment variable may give, too: how a run connects and looks, never a
 * consent. The flag wins over the variable, the variable over the default; an empty variable counts
 * as unset, because CI systems set those for secrets that a job does not get.
 */
export class EnvOption extends Option {
  readonly variable: string

  constructor(flags: string, description: string, variable: string) {
    super(flags, `${description} (env: ${variable})`)
    this.variable = variable
  }
}

/** Takes what the flags left open from the environment; a variable is checked as a flag is. */
export function applyEnvironment(command: Command, { env }: Pick<Io, 'env'>): void {
  for (const option of command.options) {
    if (!(option instanceof EnvOption)) continue
    const value = env[option.variable]
    const name = option.attributeName()
    if (!value || command.getOptionValueSource(name) === 'cli') continue
    command.setOptionValueWithSource(name, parsed(option, value, command), 'env')
  }
}

function parsed({ parseArg, variable }: EnvOption, value: string, command: Command): unknown {
  try {
    return parseArg ? parseArg(value, undefined) : value
  } catch (error) {
    return command.error(`error: ${variable} is invalid. ${reasonOf(error)}`)
  }
}

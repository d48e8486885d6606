import { type Command, InvalidArgumentError, Option } from 'commander'
import type { GroupName } from '../core/audit/kinds.ts'
import { reasonOf } from '../core/model/failure.ts'
import { parseShard, type Shard } from '../core/model/shard.ts'
import { asPointer, type Pointer } from '../core/values/pointer.ts'
import { parseTime } from '../core/values/time.ts'
import { prefixProblem } from '../fleet/secrets/variable-names.ts'
import { type FormatName, formatNames } from '../report/report.ts'
import type { Io } from './terminal/io.ts'

export interface ReportFile {
  readonly format: FormatName
  readonly file: string
}

/**
 * An option with an environment variable; never one that approves something. The flag takes precedence over
 * the variable, and the variable over the default. An empty variable counts as unset, because CI systems set
 * empty variables for secrets that a job does not get.
 */
export class EnvOption extends Option {
  readonly variable: string

  constructor(flags: string, description: string, variable: string) {
    super(flags, `${description} (env: ${variable})`)
    this.variable = variable
  }

  /** The parsed value of the variable. Throws an `InvalidArgumentError`. */
  parseValue(value: string): unknown {
    return this.parseArg === undefined ? value : this.parseArg<unknown>(value, undefined)
  }
}

/** Sets the options without a flag from the environment; a variable is validated like a flag. */
export function applyEnvironment(command: Command, { env }: Pick<Io, 'env'>): void {
  for (const option of command.options) {
    if (!(option instanceof EnvOption)) continue
    const value = env[option.variable]
    const name = option.attributeName()
    if (!value || command.getOptionValueSource(name) === 'cli') continue
    command.setOptionValueWithSource(name, parseVariable(option, value, command), 'env')
  }
}

function parseVariable(option: EnvOption, value: string, command: Command): unknown {
  const { variable } = option
  try {
    return option.parseValue(value)
  } catch (error) {
    return command.error(`error: ${variable} is invalid. ${reasonOf(error)}`)
  }
}

export function integerBetween(min: number, max: number): (text: string) => number {
  return text => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= min && value <= max) return value
    throw new InvalidArgumentError(`Expected an integer from ${min} to ${max}.`)
  }
}

export function numberOrAll(text: string): number | 'all' {
  if (text === 'all') return 'all'
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Expected an integer or `all`.')
}

function append(text: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, text]
}

/** An option that collects its values, as texts by default; without one it has none. */
export function repeatable(flags: string, description: string, parse = append): Option {
  return new Option(flags, description).argParser(parse).default([])
}

export function appendGroupName(
  text: string,
  previous: readonly GroupName[] = []
): readonly GroupName[] {
  const [, name = '', glob = ''] = /^([^=]*)=(.+)$/.exec(text) ?? []
  if (/^[a-z][a-z0-9_-]*$/i.test(name)) return [...previous, { name, glob }]
  throw new InvalidArgumentError('Expected NAME=GLOB, e.g. north=10.10.*')
}

export function appendPointer(text: string, previous: readonly Pointer[] = []): readonly Pointer[] {
  if (/^(?:(?:\/(?:[^~/]|~[01])+)+|[^~/.]+(?:\.[^~/.]+)*)$/.test(text))
    return [...previous, asPointer(text)]
  throw new InvalidArgumentError('Expected a field, e.g. auth.psk, or its pointer.')
}

export function parseSecretPrefix(text: string): string {
  const problem = prefixProblem(text)
  if (problem === undefined) return text
  throw new InvalidArgumentError(`Expected a prefix like WLAN_SECRET_: ${problem}.`)
}

export function parseShardOption(text: string): Shard {
  const shard = parseShard(text)
  if (shard !== undefined) return shard
  throw new InvalidArgumentError('Expected I/N, e.g. 3/8: part 3 of 8.')
}

export function parseReportFile(text: string, previous: readonly ReportFile[] = []): ReportFile[] {
  const [name = '', ...rest] = text.split('=')
  const file = rest.join('=')
  const format = formatNames.find(known => known === name)
  if (format === undefined || file === '') {
    throw new InvalidArgumentError(`Expected FORMAT=FILE; formats: ${formatNames.join(', ')}.`)
  }
  return [...previous, { format, file }]
}

export function parseDigest(text: string): string {
  if (/^sha256:[0-9a-f]{64}$/.test(text)) return text
  throw new InvalidArgumentError('Expected a digest as `plan` prints it, sha256:….')
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)$/

/** Parses a date and time, which must have an offset because sites may be in several time zones. */
export function parseInstant(text: string): Date {
  const time = INSTANT.test(text) ? parseTime(text) : undefined
  if (time !== undefined) return new Date(time)
  throw new InvalidArgumentError(
    'Expected a date and time with an offset, like 2026-12-04T18:00+01:00 or 2026-12-04T17:00Z.'
  )
}

import { type Command, Option } from 'commander'
import { matchesGlob, matchesGlobs } from '../core/values/glob.ts'
import { historyFormats } from '../report/estate-history.ts'
import type { NextStep, RenderOptions } from '../report/report.ts'
import { writeFileAtomic } from './files/files.ts'
import { repeatable } from './option-values.ts'
import { addGroup, addOptions, groups, type ReportOptions } from './options.ts'
import { inFile, renderOptionsFor } from './output.ts'
import { type Io, write } from './terminal/io.ts'
import { printNextSteps } from './terminal/next-steps.ts'

/** The options of the commands about the states of an estate. */
export interface EstateOptions extends Pick<ReportOptions, 'quiet' | 'verbose' | 'color'> {
  readonly format: keyof typeof historyFormats
  readonly out?: string
  readonly site: readonly string[]
  readonly wlan: readonly string[]
}

export function addEstateOptions(command: Command): Command {
  addGroup(
    addOptions(command, 'verbosity'),
    groups.output,
    new Option('--format <format>', 'the format of the result')
      .choices(Object.keys(historyFormats))
      .default('text'),
    new Option('--out <file>', 'write the result to a file instead of printing it')
  )
  return addGroup(
    command,
    groups.selection,
    repeatable('--site <glob>', 'only sites with a matching name or id; repeatable'),
    repeatable('--wlan <glob>', 'only networks with a matching SSID or address; repeatable')
  )
}

/** True if one of the texts matches, or there is no glob. */
export function matchesAny(globs: readonly string[], ...texts: readonly string[]): boolean {
  return matchesGlobs(globs, glob => texts.some(text => matchesGlob(text, glob)))
}

/** Writes a result with the next steps to `--out` or stdout. */
export async function writeResult<T>(
  formats: Readonly<Record<EstateOptions['format'], (result: T, options: RenderOptions) => string>>,
  result: T,
  steps: readonly NextStep[],
  options: EstateOptions,
  io: Io
): Promise<void> {
  const { format, out } = options
  const render = formats[format]
  const rendered = (how: RenderOptions) => render(result, { ...how, next: steps })
  if (out !== undefined) return writeFileAtomic(out, rendered(inFile), io.cwd)
  await write(io, rendered(renderOptionsFor(io.stdout, options, io)))
  await printNextSteps(steps, options, io)
}

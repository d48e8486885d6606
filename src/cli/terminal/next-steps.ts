import { formatShard } from '../../core/model/shard.ts'
import { escapeInside } from '../../report/escape.ts'
import type { FleetOptions, ReportOptions } from '../options.ts'
import { type Io, quoteForShell, write } from './io.ts'

/** A command that makes sense after a result, and its purpose. */
export type NextStep = readonly [command: string, purpose: string]

/** The options that select the part of a fleet: a next step covers the same part. */
type Selecting = Pick<ReportOptions, 'fleet'> &
  Partial<Pick<FleetOptions, 'site' | 'excludeSite' | 'wlan' | 'shard' | 'changedSince' | 'base'>>

/** A command over the same part of the fleet, as words for a shell. */
export function sameSelection(command: string, options: Selecting, ...more: string[]): string {
  const { fleet = '.', site = [], excludeSite = [], wlan = [], shard, changedSince } = options
  const base = command === 'adopt' ? undefined : options.base
  const repeated = (name: string, globs: readonly string[]) => globs.flatMap(glob => [name, glob])
  const words = [
    ...(fleet === '.' ? [] : [fleet]),
    ...repeated('--site', site),
    ...repeated('--exclude-site', excludeSite),
    ...repeated('--wlan', wlan),
    ...(shard === undefined ? [] : ['--shard', formatShard(shard)]),
    ...(changedSince === undefined ? [] : ['--changed-since', changedSince]),
    ...(base === undefined ? [] : ['--base', base]),
    ...more
  ]
  return ['wlanctl', command, ...words.map(quoteForShell)].join(' ')
}

export function formatNextSteps(steps: readonly NextStep[]): string {
  const lines = steps.map(
    ([command, purpose]) => `  ${escapeInside(command)}\n      # ${purpose}\n`
  )
  return steps.length === 0 ? '' : `Next:\n${lines.join('')}`
}

/** Prints the next steps for a person: after a result as text on a terminal. */
export async function printNextSteps(
  steps: readonly NextStep[],
  { format, quiet }: Pick<ReportOptions, 'quiet'> & { readonly format: string },
  io: Io
): Promise<void> {
  if (format !== 'text' || quiet || io.stdout.isTTY !== true || steps.length === 0) return
  await write(io, `\n${formatNextSteps(steps)}`)
}

import { formatShard } from '../../core/model/shard.ts'
import { escapeInside } from '../../report/escape.ts'
import { wrapText } from '../../report/layout.ts'
import type { NextStep } from '../../report/report.ts'
import type { FleetOptions, ReportOptions } from '../options.ts'
import { columnsOf, type Io, quoteForShell, write } from './io.ts'

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

/** A command stays on one line, to be copied; its purpose is wrapped to the width of the terminal. */
export function formatNextSteps(
  steps: readonly NextStep[],
  width = Number.POSITIVE_INFINITY
): string {
  const lines = steps.flatMap(([command, purpose]) => [
    `  ${escapeInside(command)}`,
    ...wrapText(purpose, width, '      # ')
  ])
  return steps.length === 0 ? '' : `Next:\n${lines.join('\n')}\n`
}

/** Prints the next steps for a person: after a result as text on a terminal. */
export async function printNextSteps(
  steps: readonly NextStep[],
  { format, quiet }: Pick<ReportOptions, 'quiet'> & { readonly format: string },
  io: Io
): Promise<void> {
  if (format !== 'text' || quiet || io.stdout.isTTY !== true || steps.length === 0) return
  await write(io, `\n${formatNextSteps(steps, columnsOf(io.stdout))}`)
}

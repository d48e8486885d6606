import type { PlanSummary } from '../../core/model/plan.ts'
import { formatShard } from '../../core/model/shard.ts'
import { compact } from '../../core/values/collections.ts'
import { escapeInside } from '../../report/escape.ts'
import { fleetCommand } from '../../report/fleet-command.ts'
import { wrapText } from '../../report/layout.ts'
import type { NextStep, Rerun } from '../../report/report.ts'
import type { FleetOptions, ReportOptions } from '../options.ts'
import { columnsOf, type Io, quoteForShell, write, writeLine } from './io.ts'

type Selecting = Pick<ReportOptions, 'fleet'> &
  Partial<Pick<FleetOptions, 'site' | 'excludeSite' | 'wlan' | 'shard' | 'changedSince' | 'base'>>

type Running = Selecting & Pick<ReportOptions, 'restores'>

export function sameSelection(command: string, options: Selecting, ...more: string[]): string {
  const about = { ...compact({ fleet: options.fleet }), rerun: repeated(options) }
  return fleetCommand(about)(command, ...more)
}

function repeated(options: Selecting): Rerun {
  const { site = [], excludeSite = [], wlan = [], shard, changedSince, base } = options
  const each = (name: string, globs: readonly string[]) => globs.flatMap(glob => [name, glob])
  const part = [
    ...each('--site', site),
    ...each('--exclude-site', excludeSite),
    ...each('--wlan', wlan),
    ...(shard === undefined ? [] : ['--shard', formatShard(shard)])
  ]
  if (changedSince !== undefined) return { part, base: ['--changed-since', changedSince] }
  return { part, base: base === undefined ? [] : ['--base', base] }
}

/** What the commands about some networks of a run repeat; which networks, they say themselves. */
export function rerunOf({ restores, wlan: _, ...options }: Running): Rerun {
  return { ...repeated(options), ...compact({ revert: restores?.words }) }
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

const planning = ['plan', 'apply', 'drift', 'adopt', 'doctor']
const reading = [...planning, 'revert', 'diff', 'list', 'import', 'snapshot', 'audit']

/** The options without which a next step could not do the same: each goes on to these commands. */
const carried: Readonly<Record<string, readonly string[]>> = {
  '--base-url': reading,
  '--token-file': reading,
  '--secret-prefix': [...planning, 'revert', 'list', 'import', 'validate'],
  '--secrets-dir': planning,
  '--secrets-file': planning
}

/** A next step with the connection and the secrets of this run, as far as its arguments name them. */
function carryOn(command: string, argv: readonly string[]): string {
  const [, name = ''] = command.split(' ')
  const words = Object.entries(carried).flatMap(([option, commands]) => {
    const at = argv.findIndex(word => word === option || word.startsWith(`${option}=`))
    if (at === -1 || !commands.includes(name) || command.includes(` ${option}`)) return []
    const value = argv[at] === option ? argv[at + 1] : argv[at]?.slice(option.length + 1)
    return [option, quoteForShell(value ?? '')]
  })
  return [command, ...words].join(' ')
}

export function withoutDryRun(argv: readonly string[]): string {
  const words = argv.filter(word => word !== '--dry-run')
  return ['wlanctl', ...words].map(quoteForShell).join(' ')
}

export function stepAfterFiles(options: Selecting): NextStep {
  return [sameSelection('plan', options), 'compares the files with the live networks']
}

/** The step after a run that could read no site; undefined after any other. */
export function stepWhenUnread(
  { sites, sites_failed }: Pick<PlanSummary, 'sites' | 'sites_failed'>,
  { fleet }: Pick<ReportOptions, 'fleet'>
): NextStep | undefined {
  if (sites === 0 || sites_failed < sites) return undefined
  return [sameSelection('doctor', compact({ fleet })), 'checks the connection and the token']
}

/** Prints the next steps after a result as text: on a terminal below it, in a pipe on stderr, since they are no part of it. */
export async function printNextSteps(
  steps: readonly NextStep[],
  { format, quiet }: Pick<ReportOptions, 'quiet'> & { readonly format: string },
  io: Io
): Promise<void> {
  if (format !== 'text' || quiet || steps.length === 0) return
  const complete = steps.map(([command, purpose]): NextStep => [carryOn(command, io.argv), purpose])
  if (io.stdout.isTTY === true) {
    await write(io, `\n${formatNextSteps(complete, columnsOf(io.stdout))}`)
  } else await writeLine(io, formatNextSteps(complete).trimEnd())
}

import { Argument, Option } from 'commander'
import type { Desired } from '../../core/model/desired.ts'
import { type ExitCode, exit, Failure, wrongInput } from '../../core/model/failure.ts'
import type { Shard } from '../../core/model/shard.ts'
import { planExit } from '../../core/plan/exit-codes.ts'
import { compact } from '../../core/values/collections.ts'
import type { Pointer } from '../../core/values/pointer.ts'
import type { SecretOptions } from '../../fleet/secrets/source.ts'
import { type Former, planRevert } from '../../run/plan-revert.ts'
import type { RestoreSelection } from '../../run/record/restore-state.ts'
import { openWriter } from '../../service/client.ts'
import { clockUntil } from '../../service/http/clock.ts'
import type { CommandRow } from '../command.ts'
import { connectionOf } from '../connect.ts'
import { execute, readApproval } from '../execute.ts'
import { readRecord } from '../files/saved-files.ts'
import { loadDesired } from '../load-desired.ts'
import { appendPointer, repeatable } from '../option-values.ts'
import {
  type ApprovalOptions,
  type ExecuteCommandOptions,
  groups,
  optionSets,
  type ReportOptions,
  type SelectionOptions,
  type ServiceOptions,
  under
} from '../options.ts'
import { savePlan, showPlan, writeReport } from '../output.ts'
import { requireTerminal } from '../terminal/confirm.ts'
import type { Io } from '../terminal/io.ts'
import { printNextSteps, sameSelection, withoutDryRun } from '../terminal/next-steps.ts'
import { runContext } from '../terminal/progress.ts'
import { printRequestSummary } from '../terminal/request-summary.ts'

interface Options
  extends SelectionOptions,
    ExecuteCommandOptions,
    ApprovalOptions,
    ServiceOptions,
    ReportOptions,
    Pick<SecretOptions, 'secretPrefix'> {
  readonly force?: true
  readonly withoutFleet?: true
  readonly dryRun?: true
  readonly out?: string
  readonly to?: string
  readonly field: readonly Pointer[]
  readonly shard?: Shard
}

export const command: CommandRow = {
  arguments: [
    new Argument('[file]', 'a record of `apply --record`; with --to, the fleet'),
    new Argument(
      '[fleet]',
      'the fleet whose policy applies, and that declares the sites (default: ".")'
    )
  ],
  options: [
    optionSets.selection,
    optionSets.shard,
    optionSets.secretPrefix,
    optionSets.service,
    optionSets.report,
    optionSets.approval,
    optionSets.execute,
    under(
      groups.selection,
      new Option('--to <state>', 'restore this state instead: a snapshot file or folder').conflicts(
        'force'
      ),
      repeatable(
        '--field <field>',
        'with --to: only this field, e.g. vlan_id; repeatable',
        appendPointer
      )
    ),
    under(
      groups.limits,
      new Option('--force', 'also revert fields that were edited since'),
      new Option('--without-fleet', 'also revert at sites of no fleet; no policy applies'),
      new Option('--dry-run', 'print the plan, and send nothing')
    ),
    under(groups.output, new Option('--out <file>', 'save the plan'))
  ],
  examples: [
    'wlanctl apply examples/quickstart --yes --record record.jsonl',
    'wlanctl revert record.jsonl examples/quickstart --yes'
  ],
  run: ({ io }, file: string | undefined, fleet: string | undefined, options: Options) =>
    revert(file, fleet, options, io)
}

async function revert(
  file: string | undefined,
  directory: string | undefined,
  given: Options,
  io: Io
): Promise<ExitCode> {
  const { to, parallelism, expect, ignoreWindows } = given
  const fleetDirectory = to === undefined ? directory : file
  const options = { ...given, restores: restoredBy(file, fleetDirectory, given) }
  const former =
    to === undefined ? await formerRuns(file, options, io) : await formerState(to, directory, io)
  const fleet = await fleetOf(fleetDirectory, options, io)
  const connection = await connectionOf(options, io, io.abortSignal)
  const approvals = await readApproval(options, connection.baseUrl, io)
  const reader = openWriter(connection)
  try {
    const request = {
      ...{ former, fleet, selection: selectionOf(options), force: options.force === true },
      ...{ parallelism, approvals, expect, allowances: options, ...compact({ ignoreWindows }) }
    }
    const clock = clockUntil(io.abortSignal)
    const { input, writer } = await planRevert(request, reader, clock, runContext(options, io))
    const { plan, planned, changes } = input
    if (options.out !== undefined) {
      await savePlan(options.out, plan, options, io)
    }
    if (options.dryRun) {
      await writeReport({ kind: 'plan', command: 'revert', plan, planned }, options, io)
      await printRequestSummary({ ...plan.summary, rest: 'in parts' }, options, io, reader)
      const step = [withoutDryRun(io.argv), 'makes these changes'] as const
      const isPossible = changes.length > 0 && plan.refusals === undefined
      await printNextSteps(isPossible ? [step] : [], options, io)
      return planExit(plan, exit.done)
    }
    await showPlan(plan, options, io, { command: 'revert' })
    if (!options.yes && changes.length > 0) requireTerminal(io, 'revert')
    const drift = sameSelection('drift', { ...options, ...compact({ fleet: fleetDirectory }) })
    const next = [[drift, 'shows where live differs from the files now']] as const
    const isKnown = (code: ExitCode) => code === exit.done || code === exit.incomplete
    return await execute(input, writer, options, io, code =>
      isKnown(code) && !options.withoutFleet ? next : []
    )
  } finally {
    await reader.close()
  }
}

/** The arguments of a command that restores the same; the fields of a state are part of it. */
function restoredBy(
  file = '',
  fleet: string | undefined,
  { to, field, force, withoutFleet }: Options
): NonNullable<ReportOptions['restores']> {
  const words = [
    ...(to === undefined ? [file] : ['--to', to]),
    ...field.flatMap(each => ['--field', each]),
    ...(force ? ['--force'] : []),
    ...(withoutFleet ? ['--without-fleet'] : [])
  ]
  return { words, ...compact({ fleet }) }
}

function selectionOf({ site, excludeSite, wlan, shard, field }: Options): RestoreSelection {
  return { sites: site, excludedSites: excludeSite, wlans: wlan, shard, fields: field }
}

async function formerRuns(name: string | undefined, options: Options, io: Io): Promise<Former> {
  if (name === undefined) {
    throw wrongInput(
      'expected a record, or a state with --to, got neither',
      'name the file of `wlanctl apply --record FILE`, or a snapshot with `--to`'
    )
  }
  if (options.field.length > 0)
    throw wrongInput('expected --field with --to: a record is undone by WLAN')
  return { name, runs: await readRecord(name, io) }
}

async function formerState(name: string, directory: string | undefined, io: Io): Promise<Former> {
  if (directory !== undefined) throw wrongInput('expected a fleet with --to, got two arguments')
  const { readState } = await import('../files/states.ts')
  return { name, state: await readState(name, io) }
}

async function fleetOf(
  directory: string | undefined,
  options: Options,
  io: Io
): Promise<Desired | undefined> {
  if (options.withoutFleet) {
    if (directory === undefined) return undefined
    throw wrongInput('expected a fleet or --without-fleet, got both')
  }
  const { shard: _, ...others } = options
  const all = { ...others, site: [], wlan: [] }
  if (directory !== undefined) return loadDesired(directory, all, io)
  // The folder may contain other YAML, and findings about it would distract from the missing fleet.
  const guess = { ...all, isGuess: true } as const
  return loadDesired('.', guess, io).catch((thrown: unknown) => {
    if (!(thrown instanceof Failure) || thrown.exitCode !== exit.wrongInput) throw thrown
    throw wrongInput(
      `the working directory is not a valid fleet: ${thrown.message}`,
      'give the fleet as the [fleet] argument, or --without-fleet'
    )
  })
}

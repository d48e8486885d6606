import { Option } from 'commander'
import type { ExitCode } from '../../core/model/failure.ts'
import type { Plan } from '../../core/model/plan.ts'
import { driftExit } from '../../core/plan/exit-codes.ts'
import { compact } from '../../core/values/collections.ts'
import type { Snapshot } from '../../files/snapshot.ts'
import { weakensSecurity } from '../../report/overview/danger-words.ts'
import { undeclaredSteps } from '../../report/overview/headline.ts'
import type { NextStep } from '../../report/report.ts'
import { makeDrift } from '../../run/make-drift.ts'
import type { CommandRow } from '../command.ts'
import { withReader } from '../connect.ts'
import { loadDesired } from '../load-desired.ts'
import { fleetArgument, groups, optionSets, type PlanningOptions, under } from '../options.ts'
import { writeReport } from '../output.ts'
import { secretSourceOf } from '../secret-source.ts'
import type { Io } from '../terminal/io.ts'
import { printNextSteps, sameSelection, stepWhenUnread } from '../terminal/next-steps.ts'
import { runContext } from '../terminal/progress.ts'
import { printRequestSummary } from '../terminal/request-summary.ts'

interface Options extends PlanningOptions {
  readonly since?: string
}

export const command: CommandRow = {
  arguments: [fleetArgument],
  options: [
    optionSets.planning,
    under(
      groups.output,
      new Option(
        '--since <state>',
        'also compare the fields that no file declares with this snapshot: its file or its folder'
      )
    )
  ],
  examples: ['wlanctl drift examples/quickstart'],
  run: ({ io }, fleet: string, options: Options) => drift(fleet, { ...options, fleet }, io)
}

async function drift(fleet: string, options: Options, io: Io): Promise<ExitCode> {
  const desired = await loadDesired(fleet, options, io, secretSourceOf(options, io))
  const { since: name, site, wlan, changedSince, shard, parallelism } = options
  const listsSites = site.length + wlan.length === 0 && changedSince === undefined
  return withReader(options, io, desired, async reader => {
    const since = name === undefined ? undefined : { name, state: await stateNamed(name, io) }
    const request = { parallelism, since, listsSites, shard }
    const { plan, planned, groups, lint } = await makeDrift(
      desired,
      reader,
      request,
      runContext(options, io)
    )
    const next = stepsAfter(plan, options)
    const report = { kind: 'drift', plan, planned, groups, ...compact({ since: name }) } as const
    await writeReport({ ...report, ...lint }, options, io, { next })
    await printRequestSummary(plan.summary, options, io, reader)
    await printNextSteps(next, options, io)
    return driftExit(plan, lint.secretFindings)
  })
}

async function stateNamed(name: string, io: Io): Promise<Snapshot> {
  const { readState } = await import('../files/states.ts')
  return readState(name, io)
}

function stepsAfter(plan: Plan, options: Options): NextStep[] {
  const { changes, findings } = plan
  const unread = stepWhenUnread(plan.summary, options)
  if (unread !== undefined) return [unread]
  const [undo, keep]: [NextStep[], NextStep[]] = [[], []]
  if (changes.length > 0) {
    undo.push(
      plan.refusals === undefined
        ? [sameSelection('apply', options), 'puts the declared values back']
        : [sameSelection('plan', options), 'shows what `apply` refuses, and how to allow it']
    )
    // Never a command that declares a fault.
    if (!changes.some(({ dangers = [] }) => dangers.some(({ kind }) => weakensSecurity(kind))))
      keep.push([sameSelection('adopt', options), 'writes the live values into the files instead'])
  }
  const undeclared = findings.filter(({ code }) => code === 'UNDECLARED_CHANGED')
  if (undeclared.length > 0) {
    const command = (name: string, ...words: string[]) => sameSelection(name, options, ...words)
    const [first, second] = undeclaredSteps(command, options.since)
    undo.push(first)
    if (
      undeclared.some(each => !each.not_adoptable) &&
      !undeclared.some(({ danger }) => weakensSecurity(danger))
    )
      keep.push(second)
  }
  return [...undo, ...keep]
}

import { type Command, Option } from 'commander'
import { openWriter } from '../api/client.ts'
import { declaredAgain, keyOf, notUndone, planUndo } from '../apply/record/declare.ts'
import { parseRecord } from '../apply/record/read.ts'
import { type Undo, undoOf } from '../apply/record/undo.ts'
import { isMeant } from '../config/select.ts'
import { type ExitCode, exit, Failure } from '../model/failure.ts'
import type { Outcome } from '../model/outcome.ts'
import { defaultPolicy, type Policy } from '../model/policy.ts'
import type { RecordedRun } from '../model/record.ts'
import { planSite } from '../plan/plan.ts'
import {
  addCarryOutOptions,
  type CarryOutOptions,
  carryOut,
  checkBefore,
  showPlan
} from './carrying-out/carry-out.ts'
import { readInput } from './files/files.ts'
import type { Io } from './io.ts'
import type { Context } from './program.ts'
import { connectionOf } from './reading/connection.ts'
import { derive } from './reading/derive.ts'
import {
  addExample,
  addReportOptions,
  addSelectionOptions,
  addServiceOptions,
  append,
  type SelectionOptions
} from './words/options.ts'

interface Options extends SelectionOptions, CarryOutOptions {
  readonly run: readonly string[]
  readonly force?: true
}

/** A record is no fleet: the WLANs in it are all that it is about, and none of them is too many. */
const policy: Policy = { ...defaultPolicy, maxChangePercent: 100, unmanaged: 'ignore' }

export function define(command: Command, { io, ends }: Context): void {
  const reading = command.argument('<file>', 'what `apply --record` recorded')
  addCarryOutOptions(addReportOptions(addServiceOptions(addSelectionOptions(reading))))
    .addOption(
      new Option('--run <id>', 'only this run of the record, as `show` names it; repeatable')
        .argParser(append)
        .default([], 'all')
    )
    .addOption(new Option('--force', 'also what somebody changed since'))
    .action(ends((file: string, options: Options) => revert(file, options, io)))
  addExample(
    command,
    'wlanctl apply examples/quickstart --yes --record record.jsonl',
    'wlanctl revert record.jsonl --yes'
  )
}

/**
 * Undoes what a record says was applied: as a plan that is shown, approved and carried out like any
 * other. What is declared is what was there before.
 */
async function revert(file: string, options: Options, io: Io): Promise<ExitCode> {
  await checkBefore(options, io)
  const runs = chosen(parseRecord(await readInput(file, io.cwd), file), options.run, file)
  const connection = await connectionOf(options, io, io.cut)
  refuseOtherService(runs, connection.baseUrl, file)
  const undos = meant(undoOf(runs), options, file)
  const undone = new Map(undos.map(undo => [undo.address, undo]))
  const desired = {
    policy,
    sites: declaredAgain(undos, file),
    findings: undos.flatMap(undo => notUndone(undo, file))
  }
  const writer = openWriter(connection)
  try {
    const { plan, verdicts, changes } = await derive(
      desired,
      writer,
      options,
      io,
      new Set(),
      (site, live) => (options.force ? planSite(site, live) : planUndo(site, live, undone))
    )
    await showPlan(plan, options, io)
    const remark = (outcome: Outcome) => withLost(outcome, undone.get(outcome.address))
    const work = {
      command: 'revert',
      plan,
      verdicts,
      changes,
      decided: [],
      policy,
      remark
    } as const
    return await carryOut(work, writer, options, io)
  } finally {
    await writer.close()
  }
}

function chosen(
  runs: readonly RecordedRun[],
  ids: readonly string[],
  file: string
): readonly RecordedRun[] {
  const unknown = ids.find(id => !runs.some(run => run.id === id))
  if (unknown === undefined)
    return ids.length === 0 ? runs : runs.filter(({ id }) => ids.includes(id))
  const known = runs.map(({ id }) => id).join(', ')
  throw new Failure(exit.wrongInput, `${file} has no run ${unknown}`, `it has: ${known}`)
}

function refuseOtherService(runs: readonly RecordedRun[], baseUrl: string, file: string): void {
  const other = runs.find(run => run.baseUrl !== baseUrl)
  if (other === undefined) return
  throw new Failure(
    exit.wrongInput,
    `${file}: the run ${other.id} was on ${other.baseUrl}, and this one is for ${baseUrl}`,
    'choose the runs on this service with --run'
  )
}

function meant(undos: readonly Undo[], { site, wlan }: SelectionOptions, file: string): Undo[] {
  const left = undos.filter(undo => isMeant({ sites: site, wlans: wlan }, undo.site, keyOf(undo)))
  if (left.length > 0 || site.length + wlan.length === 0) return left
  throw new Failure(exit.wrongInput, `nothing that ${file} says was applied fits --site and --wlan`)
}

function withLost(outcome: Outcome, undo: Undo | undefined): Outcome {
  const lost = undo?.lostSecrets ?? []
  return lost.length === 0 ? outcome : { ...outcome, notRestored: lost }
}

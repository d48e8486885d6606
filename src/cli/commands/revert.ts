import { type Command, Option } from 'commander'
import { openWriter, type Writer } from '../../api/client.ts'
import { declaredAgain, keyOf, notUndone, planUndo } from '../../apply/record/declare.ts'
import { type Undo, undoOf } from '../../apply/record/undo.ts'
import { isSelected } from '../../config/select.ts'
import { defaultPolicy, type Policy } from '../../model/desired.ts'
import { type ExitCode, exit, Failure } from '../../model/failure.ts'
import type { Outcome } from '../../model/outcome.ts'
import type { RecordedRun } from '../../model/record.ts'
import { formatPlan, planForm } from '../../plan/file.ts'
import { planSite } from '../../plan/plan.ts'
import { refuseTooLarge } from '../../plan/saved.ts'
import { escapeJson } from '../../report/escape.ts'
import { referencesOnly } from '../../secrets/source.ts'
import {
  addExecuteOptions,
  checkFiles,
  type ExecuteOptions,
  type ExecutePlanInput,
  executePlan,
  showPlan
} from '../../workflow/execute-plan.ts'
import { loadOrRefuse, makePlan } from '../../workflow/make-plan.ts'
import { requireTerminal } from '../../workflow/refusals.ts'
import {
  declaredIn,
  type Fleet,
  guarded,
  policyOf,
  refuseStrangers
} from '../../workflow/within-fleet.ts'
import { connectionOf } from '../connection.ts'
import { planExit } from '../exit-codes.ts'
import { checkTarget, writeFileAtomic } from '../files/files.ts'
import { readRecord } from '../files/saved-files.ts'
import type { Io } from '../io.ts'
import {
  addExample,
  addReportOptions,
  addSecretPrefix,
  addSelectionOptions,
  addServiceOptions,
  append,
  type SecretFlags,
  type SelectionOptions
} from '../options.ts'
import { writeReport } from '../output.ts'
import type { Context } from '../program.ts'
import { printRequestSummary } from '../request-summary.ts'

interface Options extends SelectionOptions, ExecuteOptions, Pick<SecretFlags, 'secretPrefix'> {
  readonly run: readonly string[]
  readonly force?: true
  readonly withoutFleet?: true
  readonly dryRun?: true
  readonly out?: string
}

/** Without a fleet the WLANs in the record are all that it is about, and none of them is too many. */
const freePolicy: Policy = { ...defaultPolicy, maxChangePercent: 100, unmanaged: 'ignore' }

export function define(command: Command, { io, ends }: Context): void {
  const reading = command
    .argument('<file>', 'what `apply --record` recorded')
    .argument('[fleet]', 'the fleet whose policy holds, and that declares the sites (default: ".")')
  const options = addServiceOptions(addSecretPrefix(addSelectionOptions(reading)))
  addExecuteOptions(addReportOptions(options))
    .addOption(
      new Option('--run <id>', 'only this run of the record, as `show` names it; repeatable')
        .argParser(append)
        .default([], 'all')
    )
    .addOption(new Option('--force', 'also what somebody changed since'))
    .addOption(new Option('--without-fleet', 'also at sites of no fleet; no policy holds then'))
    .addOption(new Option('--dry-run', 'print the plan, and send nothing'))
    .addOption(new Option('--out <file>', 'save the plan'))
    .action(
      ends((file: string, fleet: string | undefined, options: Options) =>
        revert(file, fleet, options, io)
      )
    )
  addExample(
    command,
    'wlanctl apply examples/quickstart --yes --record record.jsonl',
    'wlanctl revert record.jsonl examples/quickstart --yes'
  )
}

/**
 * Undoes what a record says was applied: as a plan that is shown, approved and carried out like any
 * other. What is declared is what was there before. The record is a claim: what the fleet demands of a
 * change holds for this one.
 */
async function revert(
  file: string,
  directory: string | undefined,
  options: Options,
  io: Io
): Promise<ExitCode> {
  await checkFiles(options, io)
  if (options.out !== undefined) await checkTarget(options.out, io.cwd)
  const runs = chosen(await readRecord(file, io), options.run, file)
  const fleet = await fleetOf(directory, options, io)
  const connection = await connectionOf(options, io, io.cut)
  refuseOtherService(runs, connection.baseUrl, file)
  const undos = meant(undoOf(runs), options, file)
  if (fleet !== undefined) refuseStrangers(undos, fleet, file)
  const writer = openWriter(connection)
  try {
    const work = await workFor(undos, { file, fleet }, writer, options, io)
    const { plan } = work
    if (options.out !== undefined) {
      const text = escapeJson(formatPlan(plan))
      refuseTooLarge(text, planForm)
      await writeFileAtomic(options.out, text, io.cwd)
    }
    if (options.dryRun) {
      await writeReport({ kind: 'plan', plan, verdicts: work.verdicts }, options, io)
      await printRequestSummary(plan.summary, options, io, writer)
      return planExit(plan, exit.done)
    }
    await showPlan(plan, options, io)
    if (!options.yes && work.changes.length > 0) requireTerminal(io, 'revert')
    return await executePlan(work, writer, options, io)
  } finally {
    await writer.close()
  }
}

/** The fleet whose policy holds; undefined where the command line says that there is none. */
async function fleetOf(
  directory: string | undefined,
  options: Options,
  io: Io
): Promise<Fleet | undefined> {
  if (options.withoutFleet) {
    if (directory === undefined) return undefined
    throw new Failure(exit.wrongInput, 'give a fleet, or --without-fleet, not both')
  }
  const whole = { ...options, site: [], wlan: [] }
  return loadOrRefuse(directory ?? '.', whole, io, referencesOnly(options.secretPrefix))
}

interface Basis {
  readonly file: string
  readonly fleet: Fleet | undefined
}

/** Plans what takes back the runs, as far as live is as they left it. */
async function workFor(
  undos: readonly Undo[],
  { file, fleet }: Basis,
  writer: Writer,
  options: Options,
  io: Io
): Promise<ExecutePlanInput> {
  const undone = new Map(undos.map(undo => [undo.address, undo]))
  const findings = undos.flatMap(undo => notUndone(undo, file))
  const policy = fleet === undefined ? freePolicy : policyOf(fleet)
  const desired = { policy, sites: declaredAgain(undos, file), findings }
  const planner: typeof planSite = (site, live) => {
    const planned = options.force ? planSite(site, live) : planUndo(site, live, undone)
    return fleet === undefined ? planned : guarded(planned, live, fleet, findings)
  }
  const derived = await makePlan(desired, writer, options, io, new Set(), planner)
  return {
    command: 'revert',
    ...derived,
    decided: [],
    policy,
    ...(fleet && { declared: declaredIn(fleet) }),
    remark: outcome => withLost(outcome, undone.get(outcome.address))
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
  const left = undos.filter(undo =>
    isSelected({ sites: site, wlans: wlan }, undo.site, keyOf(undo))
  )
  if (left.length > 0 || site.length + wlan.length === 0) return left
  throw new Failure(exit.wrongInput, `nothing that ${file} says was applied fits --site and --wlan`)
}

function withLost(outcome: Outcome, undo: Undo | undefined): Outcome {
  const lost = undo?.lostSecrets ?? []
  return lost.length === 0 ? outcome : { ...outcome, notRestored: lost }
}

import { type Command, Option } from 'commander'
import { openWriter, type Writer } from '../../api/client.ts'
import { planUndo, restoredSites, undoFindings, wlanKeyOf } from '../../apply/record/revert.ts'
import { type Undo, undoOf } from '../../apply/record/undo.ts'
import { isSelected } from '../../config/select.ts'
import { compact } from '../../model/collections.ts'
import { countManaged, type DesiredSite, defaultPolicy, type Policy } from '../../model/desired.ts'
import { type ExitCode, exit, Failure } from '../../model/failure.ts'
import type { Outcome } from '../../model/outcome.ts'
import type { RecordedRun } from '../../model/record.ts'
import { partitionProtected } from '../../plan/limits.ts'
import { planSite } from '../../plan/plan.ts'
import { refuseTooLarge } from '../../plan/saved-file.ts'
import { formatPlan, planForm } from '../../plan/saved-plan.ts'
import { escapeJson } from '../../report/escape.ts'
import { referencesOnly } from '../../secrets/source.ts'
import {
  type ApprovalOptions,
  approveChanges,
  readApproval,
  wlansIn
} from '../../workflow/approve.ts'
import {
  type ExecuteOptions,
  type ExecutePlanInput,
  executePlan
} from '../../workflow/execute-plan.ts'
import { guardSite, policyOfRevert, refuseUndeclaredSites } from '../../workflow/fleet-guard.ts'
import type { WorkflowHost } from '../../workflow/host.ts'
import {
  type Fleet,
  loadDesired,
  type SecretOptions,
  type SelectionOptions
} from '../../workflow/load-desired.ts'
import { makePlan, planExit } from '../../workflow/make-plan.ts'
import { requireTerminal } from '../confirm.ts'
import { connectionOf } from '../connection.ts'
import type { Context } from '../context.ts'
import { checkTarget, writeFileAtomic } from '../files/files.ts'
import { readRecord } from '../files/saved-files.ts'
import { hostOf } from '../host.ts'
import type { Io } from '../io.ts'
import { append } from '../option-values.ts'
import {
  addApprovalOptions,
  addExample,
  addExecuteOptions,
  addGroup,
  addReportOptions,
  addSecretPrefix,
  addSelectionOptions,
  addServiceOptions,
  groups,
  type ReportOptions,
  type ServiceOptions
} from '../options.ts'
import { checkOutputFiles, showPlan, writeReport } from '../output.ts'
import { printRequestSummary } from '../request-summary.ts'

interface Options
  extends SelectionOptions,
    ExecuteOptions,
    ApprovalOptions,
    ServiceOptions,
    ReportOptions,
    Pick<SecretOptions, 'secretPrefix'> {
  readonly run: readonly string[]
  readonly force?: true
  readonly withoutFleet?: true
  readonly dryRun?: true
  readonly out?: string
}

/** The policy without a fleet: only the WLANs in the record count, and all of them may change. */
const freePolicy: Policy = {
  ...defaultPolicy,
  maxChangePercent: 100,
  unmanaged: 'ignore',
  unwatched: 'ignore'
}

export function define(command: Command, { io, ends }: Context): void {
  const reading = command
    .argument('<file>', 'a record of `apply --record`')
    .argument(
      '[fleet]',
      'the fleet whose policy applies, and that declares the sites (default: ".")'
    )
  const options = addServiceOptions(addSecretPrefix(addSelectionOptions(reading)))
  addExecuteOptions(addApprovalOptions(addReportOptions(options)))
  addGroup(
    command,
    groups.selection,
    new Option('--run <id>', 'only this run of the record, by its id in `show`; repeatable')
      .argParser(append)
      .default([], 'all')
  )
  addGroup(
    command,
    groups.limits,
    new Option('--force', 'also revert fields that were edited since'),
    new Option('--without-fleet', 'also revert at sites of no fleet; no policy applies'),
    new Option('--dry-run', 'print the plan, and send nothing')
  )
  addGroup(command, groups.output, new Option('--out <file>', 'save the plan')).action(
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
 * Undoes the changes in a record with a plan that is shown, approved and executed like any other. It declares
 * the former values. A record may be forged, so the policy of the fleet applies.
 */
async function revert(
  file: string,
  directory: string | undefined,
  options: Options,
  io: Io
): Promise<ExitCode> {
  await checkOutputFiles(options, io)
  if (options.out !== undefined) await checkTarget(options.out, io.cwd)
  const runs = chosen(await readRecord(file, io), options.run, file)
  const host = hostOf(options, io)
  const fleet = await fleetOf(directory, options, host)
  const connection = await connectionOf(options, io, io.abortSignal)
  refuseOtherService(runs, connection.baseUrl, file)
  const undos = selected(undoOf(runs), options, file)
  if (fleet !== undefined) refuseUndeclaredSites(undos, fleet, file)
  const writer = openWriter(connection)
  try {
    const input = await planRevert(undos, { file, fleet }, writer, options, host)
    const { plan, verdicts, changes } = input
    if (options.out !== undefined) {
      const text = escapeJson(formatPlan(plan))
      refuseTooLarge(text, planForm)
      await writeFileAtomic(options.out, text, io.cwd)
    }
    if (options.dryRun) {
      await writeReport({ kind: 'plan', command: 'revert', plan, verdicts }, options, io)
      await printRequestSummary(plan.summary, options, io, writer)
      return planExit(plan, exit.done)
    }
    await showPlan(plan, options, io, { command: 'revert' })
    if (!options.yes && changes.length > 0) requireTerminal(io, 'revert')
    return await executePlan(input, writer, options, host)
  } finally {
    await writer.close()
  }
}

/** The fleet whose policy applies; undefined with `--without-fleet`. */
async function fleetOf(
  directory: string | undefined,
  options: Options,
  host: WorkflowHost
): Promise<Fleet | undefined> {
  if (options.withoutFleet) {
    if (directory === undefined) return undefined
    throw new Failure(exit.wrongInput, 'expected a fleet or --without-fleet, got both')
  }
  const { baseUrl, secretPrefix } = options
  const all = { ...compact({ baseUrl }), site: [], wlan: [] }
  const secrets = referencesOnly(secretPrefix)
  if (directory !== undefined) return loadDesired(directory, all, secrets, host)
  // The folder may contain other YAML, and findings about it would distract from the missing fleet.
  const quiet: WorkflowHost = { ...host, reportRejectedInput: async () => undefined }
  return loadDesired('.', all, secrets, quiet).catch((thrown: unknown) => {
    if (!(thrown instanceof Failure) || thrown.exitCode !== exit.wrongInput) throw thrown
    throw new Failure(
      exit.wrongInput,
      `the working directory is not a valid fleet: ${thrown.message}`,
      'give the fleet of the record as the [fleet] argument, or --without-fleet'
    )
  })
}

interface RevertSource {
  readonly file: string
  readonly fleet: Fleet | undefined
}

/** Plans to undo the runs for the fields that still have the values of the runs. */
async function planRevert(
  undos: readonly Undo[],
  { file, fleet }: RevertSource,
  writer: Writer,
  options: Options,
  host: WorkflowHost
): Promise<ExecutePlanInput> {
  const undone = new Map(undos.map(undo => [undo.address, undo]))
  const findings = undos.flatMap(undo => undoFindings(undo, file))
  const policy = fleet === undefined ? freePolicy : policyOfRevert(fleet)
  const approval = await readApproval(options, writer.baseUrl, host)
  const { calendar } = fleet?.desired ?? {}
  const sites = withClients(restoredSites(undos, file), fleet)
  const desired = { policy, sites, findings, ...compact({ calendar }) }
  const planner: typeof planSite = (site, live) => {
    const planned = options.force ? planSite(site, live) : planUndo(site, live, undone)
    return fleet === undefined ? planned : guardSite(planned, live, fleet, findings)
  }
  const declared = fleet && { declared: countManaged(fleet.desired.sites) }
  const { parallelism, ignoreWindows } = options
  const limits = { allowances: options, ...declared, ...compact({ ignoreWindows }) }
  const keep = wlansIn(approval)
  const request = { parallelism, keep, planner, lint: false, ...limits } as const
  const result = await makePlan(desired, writer, request, host)
  const { approved, decided } = approveChanges(result, approval, options)
  const { free: changes, kept } = partitionProtected(approved)
  return {
    command: 'revert',
    ...result,
    changes,
    kept,
    decided,
    policy,
    calendar,
    ...declared,
    annotate: outcome => withLostSecrets(outcome, undone.get(outcome.address))
  }
}

/** Adds the numbers of clients, which a record does not contain. */
function withClients(sites: readonly DesiredSite[], fleet: Fleet | undefined): DesiredSite[] {
  const declared = fleet?.desired.sites ?? []
  const known = new Map(declared.map(({ id, clients }) => [id.toLowerCase(), clients]))
  return sites.map(site => ({ ...site, ...compact({ clients: known.get(site.id.toLowerCase()) }) }))
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
  throw new Failure(exit.wrongInput, `${file} has no run ${unknown}`, `its runs: ${known}`)
}

function refuseOtherService(runs: readonly RecordedRun[], baseUrl: string, file: string): void {
  const other = runs.find(run => run.baseUrl !== baseUrl)
  if (other === undefined) return
  throw new Failure(
    exit.wrongInput,
    `${file}: the run ${other.id} was on ${other.baseUrl}, and this one is for ${baseUrl}`,
    'select the runs on this service with --run'
  )
}

function selected(
  undos: readonly Undo[],
  { site, excludeSite = [], wlan }: SelectionOptions,
  file: string
): Undo[] {
  const matching = undos.filter(undo =>
    isSelected({ sites: site, excludedSites: excludeSite, wlans: wlan }, undo.site, wlanKeyOf(undo))
  )
  const isNarrowed = site.length + excludeSite.length + wlan.length > 0
  if (matching.length > 0 || !isNarrowed) return matching
  throw new Failure(
    exit.wrongInput,
    `no change in ${file} matches --site, --exclude-site and --wlan`
  )
}

function withLostSecrets(outcome: Outcome, undo: Undo | undefined): Outcome {
  const lost = undo?.lostSecrets ?? []
  return lost.length === 0 ? outcome : { ...outcome, notRestored: lost }
}

import { Argument, Option } from 'commander'
import { matchSite } from '../../core/diff/match.ts'
import {
  countManaged,
  type Desired,
  type DesiredSite,
  defaultPolicy,
  type Policy
} from '../../core/model/desired.ts'
import { type ExitCode, exit, Failure, wrongInput } from '../../core/model/failure.ts'
import type { Finding } from '../../core/model/finding.ts'
import type { LiveSite } from '../../core/model/live.ts'
import type { WlanPlan } from '../../core/model/plan.ts'
import { planExit } from '../../core/plan/exit-codes.ts'
import { type PlannedSite, planSite } from '../../core/plan/plan.ts'
import { append, compact } from '../../core/values/collections.ts'
import type { Pointer } from '../../core/values/pointer.ts'
import { wlansIn } from '../../files/approving-plan.ts'
import { refuseOtherService } from '../../files/saved-file.ts'
import type { SecretOptions } from '../../fleet/secrets/source.ts'
import { approvePlan } from '../../run/approve.ts'
import { newlyBroken } from '../../run/checks/rule-evaluator.ts'
import { makePlan, type PlanRequest } from '../../run/make-plan.ts'
import {
  planUndo,
  RestoringService,
  restoredSites,
  restoringPolicy,
  undoFindings,
  withLostSecrets
} from '../../run/record/revert.ts'
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
import { refuseUndeclaredSites, undosIn } from '../recorded-undos.ts'
import { runContext } from '../run-context.ts'
import { requireTerminal } from '../terminal/confirm.ts'
import type { Io } from '../terminal/io.ts'
import { printNextSteps, sameSelection, withoutDryRun } from '../terminal/next-steps.ts'
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
}

/** The policy without a fleet: only the WLANs in the record count, and all of them may change. */
const freePolicy: Policy = {
  ...restoringPolicy(defaultPolicy),
  maxChangePercent: 100
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
        '--field <pointer>',
        'with --to: only this field, e.g. /vlan_id; repeatable',
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

/**
 * Undoes the changes in a record, or restores a state, with a plan that is shown, approved and executed like any other.
 * It declares the former values. A record or state may be forged, so the policy of the fleet applies.
 */
async function revert(
  file: string | undefined,
  directory: string | undefined,
  options: Options,
  io: Io
): Promise<ExitCode> {
  const { to } = options
  const source =
    to === undefined
      ? await recordSource(file, options, io)
      : await stateSource(to, directory, options, io)
  const fleetDirectory = to === undefined ? directory : file
  const fleet = await fleetOf(fleetDirectory, options, io)
  const connection = await connectionOf(options, io, io.abortSignal)
  const restoration = source(connection.baseUrl, fleet)
  const writer = openWriter(connection)
  try {
    const service = new RestoringService(writer, clockUntil(io.abortSignal))
    const input = await planRevert(restoration, fleet, service, options, io)
    const { plan, verdicts, changes } = input
    if (options.out !== undefined) {
      await savePlan(options.out, plan, options, io)
    }
    if (options.dryRun) {
      await writeReport({ kind: 'plan', command: 'revert', plan, verdicts }, options, io)
      await printRequestSummary({ ...plan.summary, rest: 'in parts' }, options, io, writer)
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
    return await execute(input, service.writer, options, io, code =>
      isKnown(code) && !options.withoutFleet ? next : []
    )
  } finally {
    await writer.close()
  }
}

/** What a run plans on a service, for a fleet. Throws a `Failure` (exit 3, exit 4). */
type Source = (baseUrl: string, fleet: Desired | undefined) => Restoration

interface Restoration extends Pick<PlanRequest, 'planner' | 'narrow' | 'lint'> {
  readonly sites: readonly DesiredSite[]
  /** Planning adds to them. */
  readonly findings: Finding[]
  readonly lostSecrets: (address: string) => readonly Pointer[]
  /** The milliseconds since the changes to undo; 0 or less if they may still arrive. */
  readonly ageOf: (address: string) => number
}

async function recordSource(file: string | undefined, options: Options, io: Io): Promise<Source> {
  if (file === undefined) {
    throw wrongInput(
      'expected a record, or a state with --to, got neither',
      'name the file of `wlanctl apply --record FILE`, or a snapshot with `--to`'
    )
  }
  if (options.field.length > 0)
    throw wrongInput('expected --field with --to: a record is undone by WLAN')
  const runs = await readRecord(file, io)
  return (baseUrl, fleet) => {
    const undos = undosIn(runs, file, baseUrl, options)
    const sites = undos.map(({ site }) => site)
    if (fleet !== undefined) refuseUndeclaredSites(sites, fleet, file)
    const undone = new Map(undos.map(undo => [undo.address, undo]))
    return {
      sites: restoredSites(undos, file),
      findings: undos.flatMap(undo => undoFindings(undo, file)),
      planner: options.force ? planSite : (site, live) => planUndo(site, live, undone),
      lint: false,
      lostSecrets: address => undone.get(address)?.lostSecrets ?? [],
      ageOf: address => io.now().getTime() - (undone.get(address)?.changedAt ?? 0)
    }
  }
}

async function stateSource(
  name: string,
  directory: string | undefined,
  { site, excludeSite, wlan, field: fields }: Options,
  io: Io
): Promise<Source> {
  if (directory !== undefined) throw wrongInput('expected a fleet with --to, got two arguments')
  const { readState } = await import('../files/states.ts')
  const { StateRestorer } = await import('../../run/record/restore-state.ts')
  const state = await readState(name, io)
  const selection = { sites: site, excludedSites: excludeSite, wlans: wlan, fields }
  return (baseUrl, fleet) => {
    refuseOtherService(
      name,
      state.base_url,
      baseUrl,
      'give a state of this service; nothing was sent'
    )
    const restorer = new StateRestorer(state, name, fleet?.sites ?? [], selection)
    const { sites, findings } = restorer
    if (sites.length + findings.length === 0) {
      throw wrongInput(`no network in ${name} matches --site, --exclude-site and --wlan`)
    }
    if (fleet !== undefined) refuseUndeclaredSites(sites, fleet, name)
    return {
      sites,
      findings,
      narrow: (each, live) => restorer.narrow(each, live),
      lint: fleet === undefined ? false : 'changed',
      lostSecrets: address => restorer.lostSecrets(address),
      ageOf: () => 0
    }
  }
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
  const all = { ...options, site: [], wlan: [] }
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

type RevertInput = Parameters<typeof execute>[0]

async function planRevert(
  { findings, lostSecrets, planner = planSite, narrow, lint, sites, ageOf }: Restoration,
  fleet: Desired | undefined,
  service: RestoringService,
  options: Options,
  io: Io
): Promise<RevertInput> {
  const policy = fleet === undefined ? freePolicy : restoringPolicy(fleet.policy)
  const { writer } = service
  const approval = await readApproval(options, writer.baseUrl, io)
  for (const site of sites) service.restore(site, ageOf)
  const { calendar, waivers, managed = [countManaged(sites)] } = fleet ?? {}
  const desired = { policy, sites, managed, findings, ...compact({ calendar, waivers }) }
  const guarded: typeof planSite = (site, live, matches) => {
    const planned = planner(site, live, matches)
    return fleet === undefined ? planned : guardSite(planned, live, fleet, findings)
  }
  const { parallelism, ignoreWindows } = options
  const allowances = { ...options, command: 'revert' } as const
  const limits = { allowances, ...compact({ ignoreWindows }) }
  const keep = wlansIn(approval)
  const part = narrow && { narrow: service.restoring(narrow) }
  const request = { parallelism, keep, planner: guarded, ...part, ...compact({ lint }), ...limits }
  const result = await makePlan(desired, writer, request, runContext(options, io))
  return {
    command: 'revert',
    ...result,
    ...approvePlan(result, approval, options.expect),
    policy,
    managed,
    ...compact({ calendar }),
    annotate: outcome => withLostSecrets(outcome, lostSecrets(outcome.address))
  }
}

/** Marks protected WLANs, and adds a finding for each rule that a change newly breaks. */
function guardSite(
  planned: PlannedSite,
  live: LiveSite,
  fleet: Desired,
  findings: Finding[]
): PlannedSite {
  const id = live.site.id.toLowerCase()
  const site = fleet.sites.find(each => each.id.toLowerCase() === id)
  const protectedIds = site === undefined ? new Set<string>() : protectedIn(site, live)
  const guard = (wlan: WlanPlan): WlanPlan => {
    if (wlan.status !== 'changed') return wlan
    const { rules } = fleet
    if (rules !== undefined) append(findings, newlyBroken(wlan, rules, site ?? live.site))
    if (!protectedIds.has(wlan.live.id.toLowerCase())) return wlan
    return { ...wlan, desired: { ...wlan.desired, protect: true } }
  }
  return { ...planned, wlanPlans: planned.wlanPlans.map(guard) }
}

/** The live WLANs that the fleet protects, by id in lower case. */
function protectedIn(site: DesiredSite, live: LiveSite): Set<string> {
  const matches = [...matchSite(site, live)].filter(([{ protect }]) => protect)
  return new Set(
    matches.flatMap(([, match]) => {
      const wlan = 'live' in match ? match.live : match.contested
      return wlan === undefined ? [] : wlan.id.toLowerCase()
    })
  )
}

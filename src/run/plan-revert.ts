import { matchSite } from '../core/diff/match.ts'
import { defaultPolicy } from '../core/model/defaults.ts'
import {
  countManaged,
  type Desired,
  type DesiredSite,
  type Policy,
  type Site
} from '../core/model/desired.ts'
import { exit, Failure, wrongInput } from '../core/model/failure.ts'
import type { Finding } from '../core/model/finding.ts'
import type { LiveSite } from '../core/model/live.ts'
import type { Plan, PlannedSite, WlanPlan } from '../core/model/plan.ts'
import type { RecordedRun } from '../core/model/record.ts'
import { planSite } from '../core/plan/plan.ts'
import { append, byCodeUnit, compact } from '../core/values/collections.ts'
import type { Pointer } from '../core/values/pointer.ts'
import { listFirst, plural } from '../core/values/text.ts'
import { refuseOtherService } from '../files/saved-file.ts'
import type { Snapshot } from '../files/snapshot.ts'
import { isSelected } from '../fleet/select.ts'
import type { Writer } from '../service/client.ts'
import type { Clock } from '../service/http/clock.ts'
import { approvePlan, wlansIn } from './approve.ts'
import { newlyBroken } from './checks/run-checks.ts'
import type { RunContext } from './context.ts'
import type { ExecutePlanInput } from './execute-plan.ts'
import { makePlan, type PlanRequest, type PlanResult } from './make-plan.ts'
import { type RestoreSelection, StateRestorer } from './record/restore-state.ts'
import { RestoringService } from './record/restoring-service.ts'
import { type Undo, undoOf } from './record/undo.ts'
import { planUndo, restoredSites, undoFindings, wlanKeyOf } from './record/undo-plan.ts'

/** What a run brings back: the values before the runs of a record, or those of a state. `name`: its file, for messages. */
export type Former =
  | { readonly name: string; readonly runs: readonly RecordedRun[] }
  | { readonly name: string; readonly state: Snapshot }

export interface RevertRequest extends Pick<PlanRequest, 'parallelism' | 'ignoreWindows'> {
  readonly former: Former
  /** The fleet whose policy and protection hold; absent if none holds. */
  readonly fleet: Desired | undefined
  readonly selection: RestoreSelection
  /** Also undoes changes of fields that were edited since. */
  readonly force: boolean
  readonly allowances: NonNullable<PlanRequest['allowances']>
  readonly approvals: readonly Plan[] | undefined
  readonly expect: string | undefined
}

export interface PlannedRevert {
  readonly input: ExecutePlanInput & PlanResult
  readonly writer: Writer
}

/**
 * Undoes the changes in a record, or restores a state, with a plan like any other: it declares the former values. A record
 * or state may be forged, so the policy of the fleet applies, and sites outside of it are refused. Throws a `Failure`
 * (exit 3, exit 4).
 */
export async function planRevert(
  request: RevertRequest,
  service: Writer,
  clock: Clock,
  run: RunContext
): Promise<PlannedRevert> {
  const { former, fleet, approvals, expect, ignoreWindows, parallelism } = request
  const restoration =
    'runs' in former
      ? undoing(former, service.baseUrl, request, run)
      : restoring(former, service.baseUrl, request)
  const { sites, findings, planner = planSite, narrow, lint, lostSecrets, ageOf } = restoration
  if (fleet !== undefined) refuseUndeclaredSites(sites, fleet, former.name)
  const policy = fleet === undefined ? freePolicy : restoringPolicy(fleet.policy)
  const restoringService = new RestoringService(service, clock)
  const { writer } = restoringService
  for (const site of sites) restoringService.restore(site, ageOf)
  const { policyDigest, calendar, waivers, managed = [countManaged(sites)] } = fleet ?? {}
  const desired = {
    policy,
    sites,
    managed,
    findings,
    ...compact({ policyDigest, calendar, waivers })
  }
  const guarded: typeof planSite = (site, live, matches) => {
    const planned = planner(site, live, matches)
    return fleet === undefined ? planned : guardSite(planned, live, fleet, findings)
  }
  const planning: PlanRequest = {
    parallelism,
    keep: wlansIn(approvals),
    planner: guarded,
    allowances: { ...request.allowances, command: 'revert' },
    ...compact({ lint, ignoreWindows, narrow: narrow && restoringService.restoring(narrow) })
  }
  const result = await makePlan(desired, writer, planning, run)
  const input = {
    command: 'revert',
    ...result,
    ...approvePlan(result, approvals, expect),
    policy,
    managed,
    ...compact({ calendar }),
    annotate: outcome => {
      const notRestored = lostSecrets(outcome.address)
      return notRestored.length === 0 ? outcome : { ...outcome, not_restored: notRestored }
    }
  } satisfies ExecutePlanInput
  return { input, writer }
}

function restoringPolicy(policy: Policy): Policy {
  return { ...policy, unmanaged: 'ignore', unwatched: 'ignore' }
}

/** The policy without a fleet: only the WLANs in the record count, and all of them may change. */
const freePolicy: Policy = { ...restoringPolicy(defaultPolicy), maxChangePercent: 100 }

interface Restoration extends Pick<PlanRequest, 'planner' | 'narrow' | 'lint'> {
  readonly sites: readonly DesiredSite[]
  /** Planning adds to these. */
  readonly findings: Finding[]
  readonly lostSecrets: (address: string) => readonly Pointer[]
  /** The milliseconds since the changes to undo; 0 or less if they may still arrive. */
  readonly ageOf: (address: string) => number
}

function undoing(
  { name, runs }: Extract<Former, { readonly runs: unknown }>,
  baseUrl: string,
  { selection, force }: RevertRequest,
  { now }: RunContext
): Restoration {
  for (const { id, baseUrl: about } of runs) {
    const hint = 'give each service a record of its own'
    refuseOtherService(`${name}: the run ${id}`, about, baseUrl, hint)
  }
  const undos = selected(undoOf(runs), selection, name)
  const undone = new Map(undos.map(undo => [undo.address, undo]))
  return {
    sites: restoredSites(undos, name),
    findings: undos.flatMap(undo => undoFindings(undo, name)),
    planner: force ? planSite : (site, live) => planUndo(site, live, undone),
    lint: false,
    lostSecrets: address => undone.get(address)?.lostSecrets ?? [],
    ageOf: address => now().getTime() - (undone.get(address)?.changedAt ?? 0)
  }
}

function selected(undos: readonly Undo[], selection: RestoreSelection, name: string): Undo[] {
  const { sites = [], excludedSites = [], wlans = [] } = selection
  const matching = undos.filter(undo => isSelected(selection, undo.site, wlanKeyOf(undo)))
  const isNarrowed = sites.length + excludedSites.length + wlans.length > 0
  if (matching.length > 0 || !isNarrowed) return matching
  throw wrongInput(`no change in ${name} matches --site, --exclude-site and --wlan`)
}

function restoring(
  { name, state }: Extract<Former, { readonly state: unknown }>,
  baseUrl: string,
  { fleet, selection }: RevertRequest
): Restoration {
  const hint = 'give a state of this service; nothing was sent'
  refuseOtherService(name, state.base_url, baseUrl, hint)
  const restorer = new StateRestorer(state, name, fleet?.sites ?? [], selection)
  const { sites, findings } = restorer
  if (sites.length + findings.length === 0 && selection.shard === undefined) {
    throw wrongInput(`no network in ${name} matches --site, --exclude-site and --wlan`)
  }
  return {
    sites,
    findings,
    narrow: (each, live) => restorer.narrow(each, live),
    lint: fleet === undefined ? false : 'changed',
    lostSecrets: address => restorer.lostSecrets(address),
    ageOf: () => 0
  }
}

const MAX_NAMES = 5

/** Throws (exit 4) if the record or state names sites that the fleet does not declare. */
function refuseUndeclaredSites(named: readonly Site[], { sites }: Desired, file: string): void {
  const declared = new Set(sites.map(({ id }) => id.toLowerCase()))
  const undeclared = named.filter(({ id }) => !declared.has(id.toLowerCase()))
  const names = [...new Set(undeclared.map(({ id, name }) => `${name} (${id})`))]
  if (names.length === 0) return
  const shown = listFirst(names.sort(byCodeUnit), MAX_NAMES)
  throw new Failure(
    exit.refused,
    `refused: ${file} names ${plural(names.length, 'site')} that the fleet does not declare: ${shown}; nothing was sent`,
    'name the fleet that declares them, narrow the run with --site, or give --without-fleet'
  )
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

function protectedIn(site: DesiredSite, live: LiveSite): Set<string> {
  const matches = [...matchSite(site, live)].filter(([{ protect }]) => protect)
  return new Set(
    matches.flatMap(([, match]) => {
      const wlan = 'live' in match ? match.live : match.contested
      return wlan === undefined ? [] : wlan.id.toLowerCase()
    })
  )
}

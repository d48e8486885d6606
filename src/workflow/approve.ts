import { type Approval, approveByAny, type HasSecret } from '../apply/approve.ts'
import { outcome } from '../apply/outcome.ts'
import type { Desired, DesiredSite } from '../model/desired.ts'
import { exit, Failure } from '../model/failure.ts'
import { type Finding, isPolicyRefusal } from '../model/finding.ts'
import type { Outcome } from '../model/outcome.ts'
import type { Plan, PlannedChange } from '../model/plan.ts'
import { Secret } from '../model/secret.ts'
import { plural } from '../model/text.ts'
import { secretReferenceIn, secretsIn, type ValueObject, valueAt } from '../model/value.ts'
import {
  partitionProtected,
  type RefusalContext,
  refusalsOf,
  stoppingRefusals
} from '../plan/limits.ts'
import { uncheckedRelations } from '../plan/relations.ts'
import { intactPlan, planForm } from '../plan/saved-plan.ts'
import type { SentSecrets } from '../plan/sent-secrets.ts'
import { formatLocation } from '../report/group-findings.ts'
import type { WorkflowHost } from './host.ts'
import type { PlanResult } from './make-plan.ts'

/** The approval of a run's plan, from the command line only. */
export interface ApprovalOptions {
  /** The files of saved plans. */
  readonly plan: readonly string[]
  /** The digest of the approved plan. */
  readonly expect?: string
  /** In seconds. */
  readonly maxPlanAge?: number
}

/**
 * The tolerated difference between the clocks of two machines, in milliseconds: a plan may be this far in the
 * future.
 */
const CLOCK_TOLERANCE = 5 * 60_000

/** A message lists at most this many reasons of a refusal, and counts the others; the report lists all. */
const MAX_REASONS = 5

/** A message lists at most this many unresolved secrets, and counts the others. */
const MAX_SECRETS = 3

/** Reads the saved plans of `--plan`. Throws (exit 3, exit 4) if one cannot be used. */
export async function readApproval(
  { plan: files, maxPlanAge }: ApprovalOptions,
  baseUrl: string,
  host: WorkflowHost
): Promise<readonly Plan[]> {
  const plans: Plan[] = []
  for (const file of files) plans.push(await readPlan(file, maxPlanAge, baseUrl, host))
  return plans
}

async function readPlan(
  file: string,
  maxPlanAge: number | undefined,
  baseUrl: string,
  host: WorkflowHost
): Promise<Plan> {
  const plan = intactPlan((await host.readSaved(file, planForm)).value, file)
  if (plan.base_url !== baseUrl) {
    throw new Failure(
      exit.wrongInput,
      `${file} is a plan for ${plan.base_url}, and this run is for ${baseUrl}`,
      'make a plan for this service'
    )
  }
  if (maxPlanAge !== undefined) refuseOld(plan, file, maxPlanAge, host)
  return plan
}

/** The ids of the live WLANs in saved plans, in lower case. */
export function wlansIn(approvals: readonly Plan[]): Set<string> {
  return new Set(
    approvals.flatMap(({ changes }) => changes.map(({ wlan }) => wlan.id.toLowerCase()))
  )
}

/** The secrets that are known to be live. */
export interface KnownSecrets {
  /** The declared sites of the run, with the secrets that it resolved. */
  readonly sites: readonly DesiredSite[]
  /** The secrets that earlier runs applied, which are live even if the service hides them. */
  readonly sent?: SentSecrets | undefined
}

/**
 * The changes that any of the saved plans approves; all changes if there is no saved plan. Throws (exit 4) if the
 * digest of the plan differs from the approved one. `secrets` decide whether an approved change with secrets that is
 * no longer planned is live; by default it is not.
 */
export function approveChanges(
  { plan, changes, liveById }: PlanResult,
  approvals: readonly Plan[],
  { expect }: ApprovalOptions,
  secrets?: KnownSecrets
): Approval {
  if (expect !== undefined && expect !== plan.digest) {
    throw new Failure(
      exit.refused,
      `refused: expected the plan ${expect}, got ${plan.digest}; nothing was sent`,
      'the files, the live state or the service changed since: review the plan again'
    )
  }
  if (approvals.length === 0) return { approved: changes, decided: [] }
  return approveByAny(changes, approvals, liveById, plan.rollout, secrets && secretCheck(secrets))
}

/**
 * A secret is live where the fleet still declares its reference at the same place, and live shows the value of
 * it; a `$live` secret travelled along and was not replaced.
 */
function secretCheck({ sites, sent }: KnownSecrets): HasSecret {
  const declared = new Map(sites.flatMap(({ wlans }) => wlans).map(wlan => [wlan.address, wlan]))
  return (change, pointer, live) => {
    const approved = secretReferenceIn(valueAt(change.request.body, pointer) ?? null)
    if (approved === undefined) return false
    if ('$live' in approved || sent?.hasOf(change, pointer)) return true
    const [wanted, found] = [declared.get(change.address)?.fields, live.record].map(
      fields => fields && valueAt(fields, pointer)
    )
    return (
      wanted instanceof Secret &&
      found instanceof Secret &&
      JSON.stringify(wanted) === JSON.stringify(approved) &&
      wanted.equals(found)
    )
  }
}

/** Throws (exit 3) if a selected WLAN has an unresolved secret: `plan` allows that, an update does not. */
export function refuseUnresolved({ sites, findings }: Desired): void {
  const unresolved = sites
    .flatMap(({ wlans }) => wlans)
    .filter(({ excluded, fields }) => excluded === undefined && lacksSecret(fields))
  if (unresolved[0] === undefined) return
  const others = unresolved.length === 1 ? '' : ` and ${plural(unresolved.length - 1, 'other')}`
  const reasons = findings
    .filter(({ code }) => code === 'SECRET_UNRESOLVED')
    .map(({ place, message }) => (place ? `${formatLocation(place)}: ${message}` : message))
  const rest = reasons.length - MAX_SECRETS
  throw new Failure(
    exit.wrongInput,
    `missing secret of ${unresolved[0].address}${others}; nothing was sent`,
    reasons.slice(0, MAX_SECRETS).join('; ') + (rest > 0 ? `; and ${rest} more` : '')
  )
}

/** The outcomes of changes to protected WLANs, which are not sent. */
export function protectedOutcomes(kept: readonly PlannedChange[]): Outcome[] {
  return kept.map(({ change }) => outcome(change, 'skipped', { reason: PROTECTED }))
}

const PROTECTED =
  'the WLAN is protected: to change it on purpose, remove its `$protect` in the same pull request'

/**
 * Throws (exit 4) with every reason if the policy or a limit of the command line forbids these changes.
 * Changes to protected WLANs are a reason only if there is no other.
 */
export function refuseForbidden(planned: readonly PlannedChange[], context: RefusalContext): void {
  const { free } = partitionProtected(planned)
  refuseFor(stoppingRefusals(refusalsOf(planned, context), free.length))
}

function refuseFor(refusals: readonly Finding[]): void {
  if (refusals.length === 0) return
  const named = refusals.slice(0, MAX_REASONS)
  const rest = refusals.length - named.length
  const messages = [
    ...named.map(({ message }) => message),
    ...(rest > 0 ? [`and ${rest} more`] : []),
    'nothing was sent'
  ]
  const hints = new Set(named.flatMap(({ hint }) => hint ?? []))
  throw new Failure(exit.refused, `refused: ${messages.join('; ')}`, [...hints].join('; '))
}

/**
 * Throws (exit 4) if rules of level error compare all sites and the run covers a shard: only the plan of the whole
 * fleet, as `merge` makes it, says whether they hold. Such an approved plan must have no error of these rules.
 */
export function refuseUnchecked(plan: Plan, approvals: readonly Plan[]): void {
  const unchecked = uncheckedRelations(plan)
  const { levels = {} } = plan.relations ?? {}
  const isAbout = ({ code, rule = '' }: Finding) =>
    code === 'RELATIONS_TOO_MANY' || (code === 'LINT' && Object.hasOwn(levels, rule))
  const whole = approvals.filter(({ shard, continues }) => !shard && !continues)
  const broken = whole.flatMap(({ findings }) =>
    findings.filter(found => isPolicyRefusal(found) && isAbout(found))
  )
  const refusals = whole.length === 0 ? unchecked : broken
  if (unchecked.length > 0) refuseFor(refusals)
}

/** Throws (exit 4) if the plan is too old. A plan on a snapshot has the age of the snapshot. */
function refuseOld(
  { against, ...plan }: Plan,
  file: string,
  maxAge: number,
  { now }: WorkflowHost
): void {
  const { created } = against ?? plan
  const age = (now().getTime() - Date.parse(created)) / 1000
  if (age <= maxAge && age * 1000 >= -CLOCK_TOLERANCE) return
  const problem = age < 0 ? 'was made in the future' : `is ${Math.floor(age)} s old`
  throw new Failure(
    exit.refused,
    `refused: ${file} ${problem} (${created}), and --max-plan-age allows ${maxAge} s; nothing was sent`,
    'make a new plan, and get it approved'
  )
}

function lacksSecret(fields: ValueObject): boolean {
  return [...secretsIn(fields)].some(secret => !secret.known)
}

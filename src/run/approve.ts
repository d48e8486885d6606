import type { Desired, DesiredSite } from '../core/model/desired.ts'
import { exit, Failure, wrongInput } from '../core/model/failure.ts'
import { isError } from '../core/model/finding.ts'
import type { Outcome } from '../core/model/outcome.ts'
import type { Plan, PlannedChange, WlanPlan } from '../core/model/plan.ts'
import { type Allowances, partitionProtected, refusalsOf, refuseWith } from '../core/plan/guards.ts'
import type { SentSecrets } from '../core/plan/rotation.ts'
import { compact, groupBy } from '../core/values/collections.ts'
import { Secret } from '../core/values/secret.ts'
import { formatLocation, plural } from '../core/values/text.ts'
import {
  isSameJson,
  secretReferenceIn,
  secretsIn,
  type ValueObject,
  valueAt
} from '../core/values/value.ts'
import { approve, type HasSecret } from './apply/approved-changes.ts'
import { outcome } from './apply/outcome.ts'
import type { PlanResult } from './make-plan.ts'

/**
 * The changes that the saved plans approve; all changes if none is needed. Throws (exit 4) if the
 * digest of the plan differs from the `expect`ed one. `secrets` decide whether an approved change with secrets that is
 * no longer planned is live; by default it is not.
 */
export function approvePlan(
  { plan, changes: derived, planned, liveById }: PlanResult,
  approvals?: readonly Plan[],
  expect?: string,
  secrets?: KnownSecrets
): ApprovedChanges {
  if (expect !== undefined && expect !== plan.digest) {
    throw new Failure(
      exit.refused,
      `refused: expected the plan ${expect}, got ${plan.digest}; nothing was sent`,
      'the files, the live state, the service or an option changed since: review the plan again'
    )
  }
  const hasSecret = secrets && liveSecretCheck(secrets)
  const wlanPlans = planned.flatMap(site => site.wlanPlans)
  const { approved, decided } =
    approvals === undefined
      ? { approved: derived, decided: [] }
      : approve(derived, approvals, liveById, { rollout: plan.rollout, hasSecret, wlanPlans })
  const { free: changes, kept } = partitionProtected(approved)
  return { changes, kept, decided: [...decided, ...blockedOutcomes(wlanPlans, decided)] }
}

/** The WLANs that the live state blocks, with the code of the finding as the reason; others are `known`. */
function blockedOutcomes(
  wlanPlans: readonly WlanPlan[],
  known: readonly Pick<Outcome, 'address'>[]
): Outcome[] {
  const addresses = new Set(known.map(({ address }) => address))
  return wlanPlans.flatMap(wlanPlan => {
    if (wlanPlan.status !== 'blocked' || addresses.has(wlanPlan.address)) return []
    return outcome(wlanPlan, 'skipped', { reason: wlanPlan.finding.code })
  })
}

export interface ApprovedChanges {
  readonly changes: readonly PlannedChange[]
  readonly kept: readonly PlannedChange[]
  readonly decided: readonly Outcome[]
}

export interface LimitedChanges
  extends ApprovedChanges,
    Pick<PlanResult, 'plan'>,
    Pick<Desired, 'policy' | 'managed'> {
  /** The findings that a saved plan must not contain, because they depend on secrets. */
  readonly lint?: Pick<PlanResult['lint'], 'secretFindings'>
}

const MAX_SECRETS = 3

/** Throws (exit 3) if a compared WLAN has an unresolved secret; one that is blocked or unread is not updated. */
export function refuseUnresolved(
  { sites, findings }: Pick<Desired, 'sites' | 'findings'>,
  { planned }: Pick<PlanResult, 'planned'>
): void {
  const left = new Set(
    planned.flatMap(({ wlanPlans }) =>
      wlanPlans.flatMap(({ address, status }) =>
        status === 'blocked' || status === 'unread' ? address : []
      )
    )
  )
  const unresolved = sites
    .flatMap(({ wlans }) => wlans)
    .filter(wlan => !wlan.excluded && !left.has(wlan.address) && lacksSecret(wlan.fields))
  if (unresolved[0] === undefined) return
  const others = unresolved.length === 1 ? '' : ` and ${plural(unresolved.length - 1, 'other')}`
  const missing = findings.filter(({ code }) => code === 'SECRET_UNRESOLVED')
  const reasons = [...groupBy(missing, ({ message }) => message)].map(([message, [{ place }]]) =>
    place ? `${formatLocation(place)}: ${message}` : message
  )
  const rest = reasons.length - MAX_SECRETS
  throw wrongInput(
    `missing secret of ${unresolved[0].address}${others}; nothing was sent`,
    reasons.length === 0
      ? undefined
      : reasons.slice(0, MAX_SECRETS).join('; ') + (rest > 0 ? `; and ${rest} more` : '')
  )
}

function lacksSecret(fields: ValueObject): boolean {
  return [...secretsIn(fields)].some(secret => !secret.known)
}

/** Throws (exit 4) with every reason if the policy or a limit forbids these changes. */
export function refuseForbidden(
  { plan, changes, kept, policy, managed, lint }: LimitedChanges,
  allowances: Allowances
): void {
  const { deferred } = plan
  const findings = [...plan.findings, ...(lint?.secretFindings ?? [])]
  const context = { policy, allowances, managed, findings, ...compact({ deferred }) }
  const refusals = refusalsOf([...changes, ...kept], context)
  refuseWith(refusals.filter(isError))
}

/** The ids of the live WLANs in saved plans, in lower case. */
export function wlansIn(approvals: readonly Plan[] = []): Set<string> {
  return new Set(
    approvals.flatMap(({ changes }) => changes.map(({ wlan }) => wlan.id.toLowerCase()))
  )
}

export interface KnownSecrets {
  readonly sites: readonly DesiredSite[]
  /** The secrets that earlier runs applied, which are live even if the service hides them. */
  readonly sent?: SentSecrets | undefined
}

/**
 * The check whether the secret that an approved change sends at a pointer is live: where the fleet still declares
 * its reference at the same place, and live shows the value of it. A `$live` secret travelled along and was not
 * replaced.
 */
export function liveSecretCheck({ sites, sent }: KnownSecrets): HasSecret {
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
      isSameJson(wanted, approved) &&
      wanted.equals(found)
    )
  }
}

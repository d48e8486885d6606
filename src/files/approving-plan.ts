import type { DesiredSite } from '../core/model/desired.ts'
import { wrongInput } from '../core/model/failure.ts'
import type { LiveWlan } from '../core/model/live.ts'
import type { Change, Plan } from '../core/model/plan.ts'
import type { SentSecrets } from '../core/plan/rotation.ts'
import type { Pointer } from '../core/values/pointer.ts'
import { Secret } from '../core/values/secret.ts'
import { isSameJson, secretReferenceIn, valueAt } from '../core/values/value.ts'
import { intactPlan } from './saved-plan.ts'

/**
 * The plan in a file that approves changes. Throws a `Failure` (exit 3) for a damaged plan, or one
 * for another service. `name` is the name of the file, for messages.
 */
export function approvingPlan(value: unknown, name: string, baseUrl: string): Plan {
  const plan = intactPlan(value, name)
  if (plan.base_url !== baseUrl) {
    throw wrongInput(
      `${name} is a plan for ${plan.base_url}, and this run is for ${baseUrl}`,
      'make a plan for this service'
    )
  }
  return plan
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
export function liveSecretCheck({
  sites,
  sent
}: KnownSecrets): (change: Change, pointer: Pointer, live: LiveWlan) => boolean {
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

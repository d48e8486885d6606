import type { Desired } from '../model/desired.ts'
import { exit, Failure } from '../model/failure.ts'
import { count } from '../model/identity.ts'
import type { Plan } from '../model/plan.ts'
import type { Policy } from '../model/policy.ts'
import { Secret } from '../model/secret.ts'
import { isList, isObject, type Value } from '../model/value.ts'
import { overLimits } from '../plan/limits.ts'
import { shownPlace } from '../report/text-findings.ts'
import type { Io } from './io.ts'

/** Throws (exit 3) where nobody could answer a question. */
export function requireTerminal(io: Io): void {
  if (io.stdin.isTTY && io.stderr.isTTY) return
  throw new Failure(
    exit.wrongInput,
    'there is no terminal to ask on; nothing was sent',
    'give --yes to apply without being asked'
  )
}

/**
 * Throws (exit 3) if a WLAN of the run lacks a secret: a plan may leave one open, what is written must
 * be known. What those lack that the run leaves out does not matter.
 */
export function refuseUnresolved({ sites, findings }: Desired): void {
  const lacking = sites
    .flatMap(({ wlans }) => wlans)
    .filter(({ leftOut, fields }) => leftOut === undefined && lacksSecret(fields))
  if (lacking[0] === undefined) return
  const others = lacking.length === 1 ? '' : ` and ${count(lacking.length - 1, 'other')}`
  const reasons = findings
    .filter(({ code }) => code === 'SECRET_UNRESOLVED')
    .map(({ place, message }) => (place ? `${shownPlace(place)}: ${message}` : message))
  const more = reasons.length > 3 ? `; and ${reasons.length - 3} more` : ''
  throw new Failure(
    exit.wrongInput,
    `no secret is at hand for ${lacking[0].address}${others}; nothing was sent`,
    reasons.slice(0, 3).join('; ') + more
  )
}

function lacksSecret(value: Value): boolean {
  if (value instanceof Secret) return !value.known
  if (isList(value)) return value.some(lacksSecret)
  return isObject(value) && Object.values(value).some(lacksSecret)
}

/** Throws (exit 4) if the policy, or a limit given in its place, forbids to apply the plan. */
export function refuseForbidden(
  { summary, findings }: Plan,
  policy: Policy,
  maxChanges: number | 'all' | undefined
): void {
  const unmanaged = findings.find(({ code }) => code === 'UNMANAGED')
  const refusal = overLimits(summary, policy, maxChanges)[0] ?? unmanaged
  if (refusal === undefined) return
  throw new Failure(exit.refused, `refused: ${refusal.message}; nothing was sent`, refusal.hint)
}

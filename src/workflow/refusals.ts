import type { Io } from '../cli/io.ts'
import type { Desired, Policy } from '../model/desired.ts'
import { exit, Failure } from '../model/failure.ts'
import { isPolicyRefusal } from '../model/finding.ts'
import type { Impact, Plan, PlannedChange } from '../model/plan.ts'
import { plural } from '../model/text.ts'
import { secretsIn, type ValueObject } from '../model/value.ts'
import { downgradeRefusal } from '../plan/downgrade.ts'
import { overImpact, overLimits, overProtected, sizeOf } from '../plan/limits.ts'
import { shownPlace } from '../report/text/findings.ts'

/** Throws (exit 3) where nobody could answer a question. */
export function requireTerminal(io: Io, doing = 'apply', refused = 'nothing was sent'): void {
  if (io.stdin.isTTY && io.stderr.isTTY) return
  throw new Failure(
    exit.wrongInput,
    `there is no terminal to ask on; ${refused}`,
    `give --yes to ${doing} without being asked`
  )
}

/**
 * Throws (exit 3) if a WLAN of the run lacks a secret: a plan may leave one open, what is written must
 * be known. What those lack that the run leaves out does not matter.
 */
export function refuseUnresolved({ sites, findings }: Desired): void {
  const lacking = sites
    .flatMap(({ wlans }) => wlans)
    .filter(({ excluded: leftOut, fields }) => leftOut === undefined && lacksSecret(fields))
  if (lacking[0] === undefined) return
  const others = lacking.length === 1 ? '' : ` and ${plural(lacking.length - 1, 'other')}`
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

function lacksSecret(fields: ValueObject): boolean {
  return [...secretsIn(fields)].some(secret => !secret.known)
}

/** What the command line allows, in place of the policy or beside it. */
export interface Allowances {
  readonly maxChanges?: number | 'all'
  readonly maxImpact?: 'none' | Impact
  readonly allowDowngrade?: true
}

/**
 * Throws (exit 4) if the policy, or a limit given in its place, forbids to send these changes of the
 * plan. All reasons are named, so that nobody has to run into one after the other.
 */
export function refuseForbidden(
  { summary, findings }: Plan,
  planned: readonly PlannedChange[],
  policy: Policy,
  { maxChanges, maxImpact, allowDowngrade }: Allowances
): void {
  const changes = planned.map(({ change }) => change)
  const size = sizeOf(summary, changes.length)
  const downgrade = allowDowngrade || policy.allowDowngrade ? undefined : downgradeRefusal(changes)
  const [first, ...others] = [
    ...overProtected(planned),
    ...(downgrade ? [downgrade] : []),
    ...overImpact(changes, summary.wlans, maxImpact),
    ...overLimits(size, policy, maxChanges),
    ...findings.filter(isPolicyRefusal)
  ]
  if (first === undefined) return
  // The report above holds all of them; rules can be broken in many places.
  const named = others.slice(0, 4)
  const rest = others.length > named.length ? `; and ${others.length - named.length} more` : ''
  const more = named.map(({ message }) => `; ${message}`).join('') + rest
  const hints = [first, ...named].flatMap(({ hint }) => hint ?? [])
  throw new Failure(
    exit.refused,
    `refused: ${first.message}${more}; nothing was sent`,
    [...new Set(hints)].join('; ')
  )
}

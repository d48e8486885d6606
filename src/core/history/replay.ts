import type { DeferralCheck } from '../model/calendar.ts'
import type { Policy } from '../model/desired.ts'
import type { Change } from '../model/plan.ts'
import type { RecordedRun } from '../model/record.ts'
import { downgradeCheck, downgradeRefusal } from '../plan/limits.ts'

/** The parts of a policy that a record can be judged by. */
export interface ReplayedPolicy extends Pick<Policy, 'maxChanges' | 'allowDowngrade'> {
  /** The windows and freezes at a time, UTC; undefined if the policy declares none. */
  deferralAt(time: string): DeferralCheck | undefined
  /** The messages of the rules, of the policy and the linter, that the changes of an apply newly break. */
  brokenBy(changes: readonly Change[]): readonly string[]
}

/** A recorded apply that the policy would not have sent as it was. */
export interface ReplayedApply {
  /** The id of its run. */
  readonly run: string
  /** UTC. */
  readonly started: string
  readonly changes: number
  /** Why the policy would have refused it; empty if it would have deferred changes. */
  readonly refused: readonly string[]
  /** The number of changes that would have waited for a window, or for the end of a freeze. */
  readonly deferred: number
}

/** What a policy would have done with the recorded applies. */
export interface Replay {
  readonly applies: number
  /** The number of applies that would have been refused, and of those that would have been deferred, at least in part. */
  readonly refused: number
  readonly deferred: number
  /** Those that would have been refused or deferred, the oldest first. */
  readonly affected: readonly ReplayedApply[]
  /** The parts of the policy that no record holds enough for, and the files that could not be read. */
  readonly notJudged: readonly string[]
  /** The live networks that break a rule today; absent if no state is known. */
  readonly broken?: number
}

/** Judges each apply as if it had begun under this policy, without the consents of its command line. */
export function replay(
  runs: readonly RecordedRun[],
  policy: ReplayedPolicy
): Omit<Replay, 'notJudged' | 'broken'> {
  const applies = runs.filter(({ command }) => command === 'apply')
  const affected = applies
    .map(run => judged(run, policy))
    .filter(({ refused, deferred }) => refused.length > 0 || deferred > 0)
  const refused = affected.filter(each => each.refused.length > 0).length
  return {
    applies: applies.length,
    refused,
    deferred: affected.length - refused,
    affected: affected.sort((a, b) => Date.parse(a.started) - Date.parse(b.started))
  }
}

function judged({ id, started, changes }: RecordedRun, policy: ReplayedPolicy): ReplayedApply {
  const { maxChanges } = policy
  const sent = changes.map(({ change }) => change)
  const mayWeaken = downgradeCheck(policy, {})
  const downgrade = downgradeRefusal(sent.filter(({ address }) => !mayWeaken(address)))
  const isTooLarge = maxChanges !== undefined && sent.length > maxChanges
  const refused = [
    ...(isTooLarge ? [`policy.max_changes allows ${maxChanges}`] : []),
    ...(downgrade === undefined ? [] : [downgrade.message]),
    ...policy.brokenBy(sent)
  ]
  const waits = refused.length > 0 ? undefined : policy.deferralAt(started)
  const deferred = waits ? sent.filter(change => waits(change) !== undefined).length : 0
  return { run: id, started, changes: sent.length, refused, deferred }
}

/** What no record holds enough for. */
export function unjudgedParts(hasRules: boolean): string[] {
  return [
    'policy.max_change_percent, as a record does not hold the number of declared WLANs',
    ...(hasRules ? ['rules about fields that an apply did not send'] : [])
  ]
}

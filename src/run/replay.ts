import { type Replay, replay, unjudgedParts } from '../core/history/replay.ts'
import type { DeferralCheck } from '../core/model/calendar.ts'
import type { Desired } from '../core/model/desired.ts'
import type { RecordedRun } from '../core/model/record.ts'
import { compact } from '../core/values/collections.ts'
import type { Snapshot } from '../files/snapshot.ts'
import { deferralOf } from '../fleet/time/plan-times.ts'
import { brokenNetworks, recordedChangesCheck } from './checks/recorded-changes.ts'

/** What the policy of a fleet would have done with recorded applies, and how many networks of a state break it. */
export async function replayRuns(
  desired: Desired,
  runs: readonly RecordedRun[],
  state: Snapshot | undefined
): Promise<Replay> {
  const { policy, calendar, rules } = desired
  const deferrals = new Map<string, DeferralCheck | undefined>()
  for (const { started } of runs) {
    deferrals.set(started, await deferralOf(calendar, {}, () => new Date(started)))
  }
  const deferralAt = (time: string) => deferrals.get(time)
  const brokenBy = recordedChangesCheck(desired)
  return {
    ...replay(runs, { ...policy, deferralAt, brokenBy }),
    notJudged: unjudgedParts(policy, policy.lint !== undefined || rules !== undefined),
    ...compact({ broken: state && brokenNetworks(desired, state) })
  }
}

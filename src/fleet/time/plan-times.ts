import type { Calendar, DeferralCheck } from '../../core/model/calendar.ts'
import type { Desired } from '../../core/model/desired.ts'
import { type Change, type PlanTimes, timedParts } from '../../core/model/plan.ts'

interface DeferralOptions {
  readonly ignoreWindows?: true
}

/** Undefined for a fleet without windows and freezes, which then loads no code for them. */
export async function deferralOf(
  calendar: Calendar | undefined,
  { ignoreWindows }: DeferralOptions,
  now: () => Date
): Promise<DeferralCheck | undefined> {
  if (calendar === undefined || ignoreWindows) return undefined
  const { deferralCheck } = await import('./windows.ts')
  return deferralCheck(calendar, now)
}

export async function planTimes(
  changes: readonly Change[],
  { at, calendar }: Pick<Desired, 'at' | 'calendar'>,
  options: DeferralOptions,
  now: () => Date
): Promise<PlanTimes> {
  const time = at === undefined ? now() : new Date(at)
  const check = await deferralOf(calendar, options, () => time)
  return timedParts(at, check ? changes.flatMap(change => check(change) ?? []) : [])
}

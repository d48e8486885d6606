import type { Change, Impact } from '../model/plan.ts'

/** What a change is told under: it gets less safe, or what it does to the people on the air. */
export type Concern = 'downgrade' | Impact | 'none'

/** Worst first. */
export const concerns: readonly Concern[] = ['downgrade', 'outage', 'reconnect', 'none']

/** A downgrade goes before the impact. */
export function concernOf({ downgrades, impact }: Change): Concern {
  return downgrades === undefined ? (impact ?? 'none') : 'downgrade'
}

import type { Change, Impact } from '../model/plan.ts'

/** What a change is told under: it gets less safe, or what it does to the people on the air. */
export type Severity = 'downgrade' | Impact | 'none'

/** Worst first. */
export const severities: readonly Severity[] = ['downgrade', 'outage', 'reconnect', 'none']

/** A downgrade goes before the impact. */
export function severityOf({ downgrades, impact }: Change): Severity {
  return downgrades === undefined ? (impact ?? 'none') : 'downgrade'
}

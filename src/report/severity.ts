import type { Change, Impact } from '../model/plan.ts'

/** The worst effect of a change: it weakens security, or interrupts clients. */
export type Severity = 'downgrade' | Impact | 'none'

/** Worst first. */
export const severities: readonly Severity[] = ['downgrade', 'outage', 'reconnect', 'none']

/** A downgrade is worse than any impact. */
export function severityOf({ downgrades, impact }: Change): Severity {
  return downgrades === undefined ? (impact ?? 'none') : 'downgrade'
}

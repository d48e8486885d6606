import { isError } from '../core/model/finding.ts'
import type { Change, Plan } from '../core/model/plan.ts'
import { eventRow } from './calendar.ts'
import { changeKey, type GroupedFindings, groupFindings, splitAddress } from './group-findings.ts'

/** The title of the periods that the files add or change. */
export const PERIODS = 'Periods that begin or end later'

/** Equal changes that equal periods bring at one time. The texts are for display, and not escaped. */
export interface PeriodGroup {
  readonly when: string
  readonly where: string
  readonly event: string
  /** Absent if nothing changes, or if the WLANs are blocked. */
  readonly changes?: GroupedFindings<Change>
  /** Shown in place of changes. */
  readonly without: 'blocked' | 'no change'
}

/** The periods of a plan by time. */
export function periodGroups({ periods = [] }: Pick<Plan, 'periods'>): PeriodGroup[] {
  return periods.flatMap(({ events, changes, findings = [] }) => {
    const blocked = new Set(findings.filter(isError).map(({ address }) => address))
    const byAddress = new Map(changes.map(change => [change.address, change]))
    const planned = events.map(event => ({
      event,
      change: byAddress.get(event.address ?? ''),
      without: blocked.has(event.address) ? ('blocked' as const) : ('no change' as const)
    }))
    const groups = groupFindings(planned, ({ event, change, without }) => {
      const { address = '', at: _, ...about } = event
      return JSON.stringify([
        splitAddress(address).key,
        about,
        change ? changeKey(change) : without
      ])
    })
    return groups.map(([first, ...others]): PeriodGroup => {
      const [when, where, event] = eventRow([first.event, ...others.map(other => other.event)])
      const { without } = first
      if (first.change === undefined) return { when, where, event, without }
      const equal = others.flatMap(({ change }) => change ?? [])
      return { when, where, event, without, changes: [first.change, ...equal] }
    })
  })
}

import { type Finding, finding, isError } from '../model/finding.ts'
import type { PeriodPlan } from '../model/plan.ts'
import { compact } from '../values/collections.ts'

/** The refusals of periods as refusals of the plan that shows them. */
export function periodRefusals(periods: readonly PeriodPlan[] = []): Finding[] {
  return periods.flatMap(({ at, events, refusals = [] }) =>
    refusals.filter(isError).map(({ message, hint, address, addresses, place }) => {
      const about = compact({ address, addresses, place })
      const [{ event, reason, local = at } = NO_EVENT] = events
      const reasons = new Set(events.map(each => each.reason + each.event))
      const others = Math.max(0, reasons.size - 1)
      return finding('PERIOD_REFUSED', about, { event, reason, at: local, others }, message, hint)
    })
  )
}

/** Shown for a period of a saved file that lists no event. */
const NO_EVENT = { event: 'begins', reason: '', local: undefined } as const

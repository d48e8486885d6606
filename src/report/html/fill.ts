import { type Finding, isError, isRefusal } from '../../model/finding.ts'
import type { Outcome } from '../../model/outcome.ts'
import type { Verdict } from '../../model/plan.ts'
import { whereaboutsOf } from '../alike.ts'
import { concernOf } from '../concern.ts'
import type { CarriedOut, Judged } from '../report.ts'
import { type FleetWriter, spotOf } from './fleet.ts'
import type { CellStatus } from './status.ts'

/** What the planner says of a WLAN; of one that it changes, the change says more. */
const verdictStatus: Readonly<Record<Verdict['status'], CellStatus>> = {
  changed: 'none',
  unchanged: 'sync',
  blocked: 'blocked',
  unread: 'unread'
}

/** Every WLAN that a plan names. Without verdicts, as in a saved plan, those in sync are not among them. */
export function fillPlan(fleet: FleetWriter, plan: CarriedOut, verdicts: readonly Judged[]): void {
  for (const { address, status } of verdicts) fleet.add(spotOf(address), verdictStatus[status])
  for (const change of plan.changes) fleet.set(whereaboutsOf(change), concernOf(change))
  for (const { address } of plan.not_compared) fleet.set(spotOf(address), 'uncompared')
  for (const { site } of plan.unmanaged) fleet.isBlank(site)
  const changed = new Set(plan.changes.map(({ address }) => address))
  for (const found of plan.findings) fillFinding(fleet, found, changed)
}

/** What keeps a WLAN or a site out of the plan is a finding, in a saved plan as in any other. */
function fillFinding(fleet: FleetWriter, found: Finding, changed: ReadonlySet<string>): void {
  const { address, code } = found
  if (address === undefined || !isError(found)) return
  if (code === 'SITE_NOT_READ') {
    // A saved plan does not say which WLANs the site has.
    if (fleet.isBlank(address)) fleet.set({ site: address, key: '' }, 'unread')
  } else if (!isRefusal(found) && !changed.has(address)) fleet.set(spotOf(address), 'blocked')
}

export function fillOutcomes(fleet: FleetWriter, outcomes: readonly Outcome[]): void {
  for (const { address, status } of outcomes) fleet.set(spotOf(address), status)
}

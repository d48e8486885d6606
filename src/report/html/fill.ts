import { type Finding, isError, isPolicyRefusal } from '../../model/finding.ts'
import type { Outcome } from '../../model/outcome.ts'
import type { WlanPlan } from '../../model/plan.ts'
import { addressPartsOf } from '../group-findings.ts'
import type { ExecutedPlan, PlannedWlan } from '../report.ts'
import { severityOf } from '../severity.ts'
import { cellPositionOf, type FleetWriter } from './fleet.ts'
import type { CellStatus } from './status.ts'

/** What the planner says of a WLAN; of one that it changes, the change says more. */
const verdictStatus: Readonly<Record<WlanPlan['status'], CellStatus>> = {
  changed: 'none',
  unchanged: 'sync',
  blocked: 'blocked',
  unread: 'unread'
}

/**
 * Every WLAN that a plan names. Without verdicts, as in a saved plan, those in sync are not among them:
 * gives how many these are.
 */
export function fillPlan(
  fleet: FleetWriter,
  plan: ExecutedPlan,
  verdicts: readonly PlannedWlan[]
): number {
  const known = new Map(plan.changes.map(change => [change.address, severityOf(change)]))
  const told = new Set<string>()
  for (const { address, status } of verdicts) {
    const concern = status === 'changed' ? known.get(address) : undefined
    if (concern !== undefined) told.add(address)
    fleet.add(address, concern ?? verdictStatus[status])
  }
  for (const change of plan.changes) {
    if (!told.has(change.address)) fleet.set(addressPartsOf(change), severityOf(change))
  }
  for (const { address } of plan.not_compared) fleet.set(cellPositionOf(address), 'uncompared')
  for (const { site } of plan.unmanaged) fleet.isBlank(site)
  for (const found of plan.findings) fillFinding(fleet, found, known)
  return verdicts.length > 0 ? 0 : Math.max(0, plan.summary.unchanged - plan.not_compared.length)
}

/** What keeps a WLAN or a site out of the plan is a finding, in a saved plan as in any other. */
function fillFinding(
  fleet: FleetWriter,
  found: Finding,
  changed: ReadonlyMap<string, CellStatus>
): void {
  const { address, code } = found
  if (address === undefined || !isError(found)) return
  if (code === 'SITE_NOT_READ') {
    // A saved plan does not say which WLANs the site has.
    if (fleet.isBlank(address)) fleet.set({ site: address, key: '' }, 'unread')
  } else if (!isPolicyRefusal(found) && !changed.has(address))
    fleet.set(cellPositionOf(address), 'blocked')
}

export function fillOutcomes(fleet: FleetWriter, outcomes: readonly Outcome[]): void {
  for (const { address, status } of outcomes) fleet.set(cellPositionOf(address), status)
}

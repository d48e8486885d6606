import { byCodeUnit } from '../../model/collections.ts'
import type { DesiredSite, DesiredWlan } from '../../model/desired.ts'
import { aboutWlan, type Finding, finding } from '../../model/finding.ts'
import type { LiveSite } from '../../model/live.ts'
import type { WlanPlan } from '../../model/plan.ts'
import { type PlannedSite, planSite } from '../../plan/plan.ts'
import { changedSince } from './since.ts'
import { fieldsToRestore, type Undo } from './undo.ts'

/** The key of a WLAN: what its address says beside the site. */
export function keyOf({ address, site }: Undo): string {
  return address.slice(site.name.length + 1)
}

/** What there was before, as a fleet would declare it; `file` is the record, where it is written. */
export function declaredAgain(undos: readonly Undo[], file: string): DesiredSite[] {
  const sites = new Map<string, Undo[]>()
  for (const undo of undos) {
    const id = undo.site.id.toLowerCase()
    const others = sites.get(id)
    if (others === undefined) sites.set(id, [undo])
    else others.push(undo)
  }
  return [...sites.values()]
    .flatMap(([first, ...others]) =>
      first === undefined
        ? []
        : { ...first.site, wlans: [first, ...others].map(undo => declaredWlan(undo, file)) }
    )
    .sort((a, b) => byCodeUnit(a.name, b.name))
}

function declaredWlan(undo: Undo, file: string): DesiredWlan {
  const place = { file, line: undo.line, column: 1 }
  return {
    address: undo.address,
    key: keyOf(undo),
    id: undo.wlanId,
    fields: fieldsToRestore(undo),
    origin: place,
    place
  }
}

/** What will not be as it was before. */
export function notUndone(
  { address, lostSecrets, sideEffects, line }: Undo,
  file: string
): Finding[] {
  const where = aboutWlan({ address, place: { file, line, column: 1 } })
  return [
    ...(lostSecrets.length === 0 ? [] : [finding('SECRET_NOT_RESTORED', where, lostSecrets)]),
    ...(sideEffects.length === 0 ? [] : [finding('SIDE_EFFECT_STAYS', where, sideEffects)])
  ]
}

/** Plans a site like any other, and blocks the WLANs that somebody changed since. */
export function planUndo(
  site: DesiredSite,
  live: LiveSite,
  undone: ReadonlyMap<string, Undo>
): PlannedSite {
  const planned = planSite(site, live)
  const guarded = (verdict: WlanPlan): WlanPlan => {
    const undo = undone.get(verdict.address)
    if (verdict.status !== 'changed' || undo === undefined) return verdict
    const fields = changedSince(undo, verdict.live.record)
    if (fields.length === 0) return verdict
    const reason = finding('CHANGED_SINCE', aboutWlan(verdict.desired), fields)
    return { status: 'blocked', address: verdict.address, finding: reason }
  }
  return { ...planned, verdicts: planned.verdicts.map(guarded) }
}

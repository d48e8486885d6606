import { byCodeUnit } from '../model/collections.ts'
import type { LiveWlan } from '../model/live.ts'
import type { FieldOutcome } from '../model/outcome.ts'
import type { Change, WlanPlan } from '../model/plan.ts'
import { overlap, type Pointer } from '../model/pointer.ts'
import { moved } from '../plan/diff.ts'
import { fieldOutcome } from './verify.ts'

/**
 * The fields that would change and that are no longer as the plan found them. A field that nobody
 * planned to change counts, if it would have to change by now; so does a secret hidden meanwhile.
 */
export function disturbedFields(
  { change, live }: { readonly change: Change; readonly live: LiveWlan },
  fresh: LiveWlan,
  now: WlanPlan
): FieldOutcome[] {
  const next = now.status === 'changed' ? now.change : change
  const since = now.status === 'unchanged' ? [] : moved(live.record, fresh.record)
  const disturbing = [...since, ...hiddenSince(change, now)]
  const before = live.record
  const wanted = { ...before, ...change.request.body, ...next.request.body }
  return [...new Set([...change.patch, ...next.patch].map(({ path }) => path))]
    .filter(pointer => disturbing.some(at => overlap(at, pointer)))
    .sort(byCodeUnit)
    .map(pointer => fieldOutcome(pointer, { before, wanted, found: fresh.record }))
}

/** The declared secrets that could be compared when the change was planned, and cannot be now. */
function hiddenSince({ not_compared = [] }: Change, now: WlanPlan): Pointer[] {
  return notComparedIn(now).filter(pointer => !not_compared.includes(pointer))
}

function notComparedIn(verdict: WlanPlan): readonly Pointer[] {
  if (verdict.status === 'unchanged') return verdict.notCompared
  return verdict.status === 'changed' ? (verdict.change.not_compared ?? []) : []
}

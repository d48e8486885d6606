import { type Danger, type DangerKind, dangerRank } from '../model/danger.ts'
import type { Change } from '../model/plan.ts'
import { isAtOrBelow } from '../model/pointer.ts'
import type { ValueObject } from '../model/value.ts'
import { fieldAt, type ImpactRule } from '../schema/field.ts'
import { type Downgrade, downgradesOf } from './downgrade.ts'
import { rulesAt } from './effects.ts'
import type { PlannedSite } from './plan.ts'
import { Transition } from './transition.ts'

/** The site with the dangers of its live WLANs; the declaration counts as their former state. */
export function withDangers(planned: PlannedSite): PlannedSite {
  const wlanPlans = planned.wlanPlans.map(wlanPlan => {
    if (wlanPlan.status !== 'changed') return wlanPlan
    const dangers = dangersOf(wlanPlan.change, wlanPlan.live.record)
    if (dangers.length === 0) return wlanPlan
    return { ...wlanPlan, change: { ...wlanPlan.change, dangers } }
  })
  return { ...planned, wlanPlans }
}

/**
 * The dangers that the edits of a live record caused, worst first, one for each field: a change from the
 * declared value to the live one is a downgrade, or keeps clients out.
 */
export function dangersOf(
  { patch, secrets }: Pick<Change, 'patch' | 'secrets'>,
  live: ValueObject
): readonly Danger[] {
  const edit = new Transition(patch, live, secrets).reversed()
  const downgrades = downgradesOf(edit)
  const wasOff = edit.of('/enabled')[0] === false
  const found = patch.flatMap(({ op, path }): Danger[] => {
    if (op === 'test') return []
    const kinds = [
      ...(wasOff ? [] : rulesAt(path, edit)).flatMap(ofEffect),
      ...downgrades
        .filter(({ pointer }) => isAtOrBelow(pointer, path))
        .flatMap(downgrade => ofDowngrade(downgrade, edit))
    ]
    const kind = kinds.sort(byRank)[0]
    return kind === undefined ? [] : [{ kind, pointer: path }]
  })
  return found.sort((a, b) => byRank(a.kind, b.kind))
}

const byRank = (a: DangerKind, b: DangerKind) => dangerRank(a) - dangerRank(b)

function ofEffect({ class: effect, danger }: ImpactRule): DangerKind | [] {
  return danger ?? (effect === 'some' || effect === 'outage' ? 'refused' : [])
}

function ofDowngrade({ pointer, level }: Downgrade, edit: Transition): DangerKind | [] {
  const { danger } = fieldAt(pointer)
  if (danger === 'weaker-encryption' && edit.isAfter('unencrypted')) return 'open'
  return danger ?? (level === 'notice' ? [] : 'less-secure')
}

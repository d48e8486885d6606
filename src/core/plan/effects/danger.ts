import { type Danger, type DangerKind, dangerRank } from '../../model/danger.ts'
import { patchedPointers } from '../../model/plan.ts'
import { dangerOfDowngrade, dangerOfEffect, fieldAt } from '../../schema/field.ts'
import { isAtOrBelow } from '../../values/pointer.ts'
import { type Downgrade, downgradesOf } from './downgrade.ts'
import { rulesAt } from './impact.ts'
import type { Transition } from './transition.ts'

/**
 * The dangers of a live record whose patch leads back to the declaration, worst first, one for each field: the
 * edit from the declared value to the live one is a downgrade, or keeps clients out.
 */
export function dangersOf(transition: Transition): readonly Danger[] {
  const edit = transition.reversed()
  const downgrades = downgradesOf(edit)
  const wasOff = !edit.isBefore('/enabled')
  const found = patchedPointers(edit.patch).flatMap((path): Danger[] => {
    const kinds = [
      ...(wasOff ? [] : rulesAt(path, edit)).map(dangerOfEffect),
      ...downgrades
        .filter(({ pointer }) => isAtOrBelow(pointer, path))
        .map(downgrade => ofDowngrade(downgrade, edit))
    ]
    const kind = kinds.flatMap(each => each ?? []).sort(byRank)[0]
    return kind === undefined ? [] : [{ kind, pointer: path }]
  })
  return found.sort((a, b) => byRank(a.kind, b.kind))
}

const byRank = (a: DangerKind, b: DangerKind) => dangerRank(a) - dangerRank(b)

function ofDowngrade({ pointer, level }: Downgrade, edit: Transition): DangerKind | undefined {
  const danger = dangerOfDowngrade(fieldAt(pointer), level)
  return danger === 'weaker-encryption' && edit.isAfter('unencrypted') ? 'open' : danger
}

import { type Danger, type DangerKind, dangerRank } from '../../model/danger.ts'
import { patchedPointers } from '../../model/plan.ts'
import { dangerOfDowngrade, dangerOfEffect, fieldAt } from '../../schema/field.ts'
import { isAtOrBelow, type Pointer } from '../../values/pointer.ts'
import { type Downgrade, downgradesOf } from './downgrade.ts'
import { SERVER_LISTS } from './exposure.ts'
import { rulesAt } from './impact.ts'
import type { Transition } from './transition.ts'

/**
 * What an edit exposes people to, worst first, one danger for each field: it is a downgrade, or keeps clients out. For
 * drift, `edit` leads from the declaration to the live record. `exposed`: see `exposuresOf`.
 */
export function dangersOf(edit: Transition, exposed: readonly Pointer[] = []): readonly Danger[] {
  const downgrades = downgradesOf(edit, exposed)
  const wasOff = !edit.isBefore('/enabled')
  const found = patchedPointers(edit.patch).flatMap((path): Danger[] => {
    const kinds = [
      ...(wasOff ? [] : rulesAt(path, edit)).map(dangerOfEffect),
      ...downgrades
        .filter(({ pointer }) => isAtOrBelow(pointer, path))
        .map(downgrade =>
          exposed.includes(downgrade.pointer)
            ? ofExposure(downgrade.pointer)
            : ofDowngrade(downgrade, edit)
        )
    ]
    const kind = kinds.flatMap(each => each ?? []).sort(byRank)[0]
    return kind === undefined ? [] : [{ kind, pointer: path }]
  })
  return found.sort((a, b) => byRank(a.kind, b.kind))
}

/** Dangers that a live WLAN has whatever was declared: another key or name is one only to who expects the declared one. */
const LASTING: readonly DangerKind[] = [
  'open',
  'no-login',
  'off',
  'weaker-encryption',
  'not-isolated',
  'less-secure'
]

export function dangerEndedBy(change: Transition): DangerKind | undefined {
  return dangersOf(change.reversed()).find(({ kind }) => LASTING.includes(kind))?.kind
}

const byRank = (a: DangerKind, b: DangerKind) => dangerRank(a) - dangerRank(b)

function ofExposure(pointer: Pointer): DangerKind {
  return SERVER_LISTS.some(list => isAtOrBelow(pointer, list)) ? 'public-server' : 'shared-vlan'
}

function ofDowngrade({ pointer, level }: Downgrade, edit: Transition): DangerKind | undefined {
  // An unprotected WLAN that is switched on.
  if (pointer === '/enabled') return 'open'
  const danger = dangerOfDowngrade(fieldAt(pointer), level)
  return danger === 'weaker-encryption' && edit.isAfter('unencrypted') ? 'open' : danger
}

import { compact } from '../model/collections.ts'
import type { Change, PatchOperation } from '../model/plan.ts'
import type { ValueObject } from '../model/value.ts'
import { downgradesOf } from './downgrade.ts'
import { impactOf } from './impact.ts'
import { Transition } from './transition.ts'

/** What a change means for clients and for security. */
export type Effects = Pick<
  Change,
  | 'impact'
  | 'impact_fields'
  | 'resets_radio'
  | 'authentication_risk'
  | 'downgrades'
  | 'downgrade_levels'
  | 'context'
>

/** The effects of a patch on a live record; what they depend on, beside the patch, is in `context`. */
export function effectsOf(
  patch: readonly PatchOperation[],
  live: ValueObject,
  secrets?: Change['secrets']
): Effects {
  const transition = new Transition(patch, live, secrets)
  const effect = impactOf(transition)
  const found = downgradesOf(transition)
  const blocking = found.filter(({ level }) => level !== 'notice').map(({ pointer }) => pointer)
  const levels = Object.fromEntries(found.map(({ pointer, level }) => [pointer, level]))
  return {
    ...effect,
    ...compact({
      downgrades: blocking.length === 0 ? undefined : blocking,
      downgrade_levels: found.length === 0 ? undefined : levels,
      context: transition.context()
    })
  }
}

import { elementsOf } from '../../diff/elements.ts'
import type { Change, PatchOperation } from '../../model/plan.ts'
import { compact } from '../../values/collections.ts'
import type { Pointer } from '../../values/pointer.ts'
import type { ValueObject } from '../../values/value.ts'
import { dangerEndedBy, dangersOf } from './danger.ts'
import { downgradesOf } from './downgrade.ts'
import { exposuresOf, type Surroundings } from './exposure.ts'
import { impactOf } from './impact.ts'
import { Transition } from './transition.ts'

export type Effects = Pick<
  Change,
  | 'impact'
  | 'impacts'
  | 'impact_fields'
  | 'switches_off'
  | 'resets_radio'
  | 'authentication_risk'
  | 'downgrades'
  | 'downgrade_levels'
  | 'dangers'
  | 'ends'
  | 'exposes'
  | 'context'
  | 'elements'
>

export interface EffectOptions {
  readonly isDrift?: boolean
  readonly surroundings?: Surroundings
  /** The exposures, if they are known: those of a change depend on more than its patch and its record. */
  readonly exposes?: readonly Pointer[]
}

/**
 * The effects of a patch on a live record; `context` contains the other live values that they depend on. The
 * dangers are those of the patch, or with `isDrift` of the edits that it undoes.
 */
export function effectsOf(
  patch: readonly PatchOperation[],
  live: ValueObject,
  secrets?: Change['secrets'],
  { isDrift = false, surroundings, exposes }: EffectOptions = {}
): Effects {
  const transition = new Transition(patch, live, secrets)
  const effect = impactOf(transition)
  const exposedBy = (edit: Transition) => exposes ?? exposuresOf(edit, surroundings)
  const exposed = exposedBy(transition)
  const found = downgradesOf(transition, exposed)
  const blocking = found.filter(({ level }) => level !== 'notice').map(({ pointer }) => pointer)
  const levels = Object.fromEntries(found.map(({ pointer, level }) => [pointer, level]))
  const edit = isDrift ? transition.reversed() : transition
  const dangers = dangersOf(edit, isDrift ? exposedBy(edit) : exposed)
  const ends = isDrift ? undefined : dangerEndedBy(transition)
  return {
    ...effect,
    ...compact({
      downgrades: blocking.length === 0 ? undefined : blocking,
      downgrade_levels: found.length === 0 ? undefined : levels,
      dangers: dangers.length === 0 ? undefined : dangers,
      ends,
      exposes: exposed.length === 0 ? undefined : exposed,
      context: transition.context(),
      elements: elementsOf(patch)
    })
  }
}

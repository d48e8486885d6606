import { elementsOf } from '../../diff/elements.ts'
import type { Change, PatchOperation, WlanPlan } from '../../model/plan.ts'
import { compact } from '../../values/collections.ts'
import type { ValueObject } from '../../values/value.ts'
import { dangersOf } from './danger.ts'
import { downgradesOf } from './downgrade.ts'
import { impactOf } from './impact.ts'
import { Transition } from './transition.ts'

const effectNames = [
  'impact',
  'impacts',
  'impact_fields',
  'resets_radio',
  'authentication_risk',
  'downgrades',
  'downgrade_levels',
  'dangers',
  'context',
  'elements'
] as const

/** The effects of a change on clients and security, and the changes to its lists by element. */
export type Effects = Pick<Change, (typeof effectNames)[number]>

/**
 * The effects of a patch on a live record; `context` contains the other live values that they depend on. The
 * dangers are those of drift: `live` results from edits of what is declared.
 */
export function effectsOf(
  patch: readonly PatchOperation[],
  live: ValueObject,
  secrets?: Change['secrets'],
  { isDrift = false } = {}
): Effects {
  const transition = new Transition(patch, live, secrets)
  const effect = impactOf(transition)
  const found = downgradesOf(transition)
  const blocking = found.filter(({ level }) => level !== 'notice').map(({ pointer }) => pointer)
  const levels = Object.fromEntries(found.map(({ pointer, level }) => [pointer, level]))
  const dangers = isDrift ? dangersOf(transition) : []
  return {
    ...effect,
    ...compact({
      downgrades: blocking.length === 0 ? undefined : blocking,
      downgrade_levels: found.length === 0 ? undefined : levels,
      dangers: dangers.length === 0 ? undefined : dangers,
      context: transition.context(),
      elements: elementsOf(patch)
    })
  }
}

/** A change with these effects in place of its own. */
export function withEffects(change: Change, effects: Effects): Change {
  const { address, site, wlan, origin, ...rest } = change
  const others: Omit<typeof rest, keyof Effects> = { ...rest }
  for (const name of effectNames) Reflect.deleteProperty(others, name)
  return { address, site, wlan, origin, ...effects, ...others }
}

/** The plans of a site for a drift report: their changes have the dangers of the live WLANs. */
export function withDangers<Site extends { readonly wlanPlans: readonly WlanPlan[] }>(
  site: Site
): Site {
  const wlanPlans = site.wlanPlans.map(wlanPlan => {
    if (wlanPlan.status !== 'changed') return wlanPlan
    const { change, live } = wlanPlan
    const effects = effectsOf(change.patch, live.record, change.secrets, { isDrift: true })
    return { ...wlanPlan, change: withEffects(change, effects) }
  })
  return { ...site, wlanPlans }
}

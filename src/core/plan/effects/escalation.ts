import { classesOf, impacts } from '../../model/impact.ts'
import type { DowngradeLevel, PlannedChange } from '../../model/plan.ts'
import { byCodeUnit, compact } from '../../values/collections.ts'
import { fieldName, type Pointer } from '../../values/pointer.ts'
import { truncate } from '../../values/text.ts'
import { fromEntries, type Value, type ValueObject, valueAt } from '../../values/value.ts'
import { type Effects, effectsOf } from './effects.ts'

/** What a permission keeps of the effects that its plan showed: all that a later run compares, without live values. */
export type ShownEffects = Pick<
  Effects,
  | 'impact'
  | 'impacts'
  | 'switches_off'
  | 'resets_radio'
  | 'authentication_risk'
  | 'downgrade_levels'
>

type Compared = ShownEffects & Pick<Effects, 'context'>

export function shownEffects(effects: ShownEffects): ShownEffects {
  const { impact, impacts, switches_off, resets_radio, authentication_risk, downgrade_levels } =
    effects
  const flags = { switches_off, resets_radio, authentication_risk }
  return compact({ impact, impacts, ...flags, downgrade_levels })
}

/**
 * The effects of a change that a plan could show. It could not show those of secrets that it could not compare: their
 * references are approved. `isOpen` is true for the operations that send no more than such secrets.
 */
export function effectsShown(
  { change, live }: PlannedChange,
  unknown: readonly Pointer[],
  isOpen: (path: Pointer) => boolean
): Effects {
  if (unknown.length === 0) return change
  const patch = change.patch.filter(({ path }) => !isOpen(path))
  const exposes = (change.exposes ?? []).filter(at => patch.some(({ path }) => path === at))
  const states = Object.fromEntries(unknown.map(at => [at, 'unknown' as const]))
  return effectsOf(patch, live.record, { ...change.secrets, ...states }, { exposes })
}

const levels: readonly DowngradeLevel[] = ['notice', 'medium', 'high']

/** Why a change is worse than plans showed, with live values that differ; undefined if not. */
export function escalationReason(
  now: Compared,
  shown: readonly Compared[],
  live: ValueObject
): string | undefined {
  const more = [...worseImpact(now, shown), ...newFlags(now, shown), ...worseDowngrades(now, shown)]
  if (more.length === 0) return undefined
  const then: ValueObject = fromEntries(
    shown.flatMap(({ context }) => Object.entries(context ?? {}))
  )
  const causes = Object.keys({ ...then, ...now.context })
    .sort(byCodeUnit)
    .flatMap(pointer => difference(pointer, then[pointer], valueAt(live, pointer)))
  const why = causes.length === 0 ? '' : ` (${causes.join('; ')})`
  return `it does more than the plan shows: ${more.join(', ')}${why}; plan again`
}

/** How a live value differs from an earlier one, as a phrase; empty if both are equal. */
function difference(pointer: Pointer, before: Value | undefined, now: Value | undefined): string[] {
  const [was, is = 'unset'] = [before, now].map(value =>
    value === undefined ? undefined : truncate(JSON.stringify(value), 100)
  )
  if (was === is) return []
  return [
    was === undefined
      ? `${fieldName(pointer)} is ${is}`
      : `${fieldName(pointer)} was ${was}, is ${is}`
  ]
}

/** Classes that no plan shows; an outage includes all others. */
function worseImpact(now: ShownEffects, shown: readonly ShownEffects[]): string[] {
  const known = impacts.filter(each => shown.some(change => classesOf(change).includes(each)))
  if (known.includes('outage')) return []
  const worse = classesOf(now).filter(each => each !== 'none' && !known.includes(each))
  if (worse.length === 0) return []
  return [`the impact ${worse.join(' and ')} instead of ${known.at(-1) ?? 'none'}`]
}

const flags = [
  ['switches_off', 'the network goes off the air'],
  ['resets_radio', 'a reset of the radio'],
  ['authentication_risk', 'an authentication risk']
] as const

function newFlags(now: ShownEffects, shown: readonly ShownEffects[]): string[] {
  return flags.flatMap(([flag, text]) =>
    now[flag] && !shown.some(change => change[flag]) ? [text] : []
  )
}

function worseDowngrades(now: ShownEffects, shown: readonly ShownEffects[]): string[] {
  const rank = ({ downgrade_levels: found = {} }: ShownEffects, pointer: Pointer) =>
    Object.hasOwn(found, pointer) ? levels.indexOf(found[pointer] as DowngradeLevel) : -1
  return Object.entries(now.downgrade_levels ?? {}).flatMap(([pointer, level]) =>
    shown.some(change => rank(change, pointer) >= levels.indexOf(level))
      ? []
      : [`the downgrade of ${fieldName(pointer)} (${level})`]
  )
}

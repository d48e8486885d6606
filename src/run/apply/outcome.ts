import { changedPointers } from '../../core/diff/diff.ts'
import { Linter } from '../../core/lint/lint.ts'
import { type DeferralCheck, deferralReason } from '../../core/model/calendar.ts'
import { defaultLintPolicy } from '../../core/model/defaults.ts'
import type { Site } from '../../core/model/desired.ts'
import type { LiveWlan } from '../../core/model/live.ts'
import type { FieldOutcome, Outcome, Status } from '../../core/model/outcome.ts'
import type { Change, PlannedChange, WlanPlan } from '../../core/model/plan.ts'
import { byCodeUnit, compact } from '../../core/values/collections.ts'
import { fieldName, overlap, type Pointer } from '../../core/values/pointer.ts'
import { listFirst } from '../../core/values/text.ts'
import { type ValueObject, valueAt } from '../../core/values/value.ts'

export function outcome(
  { address }: Pick<Change, 'address'>,
  status: Status,
  details: Omit<Outcome, 'address' | 'status' | 'wave' | 'not_restored'> = {}
): Outcome {
  const { fields, reason, hint, side_effects, not_verifiable, until, isTransient } = details
  return {
    address,
    status,
    ...compact({
      fields: nonEmpty(fields),
      reason,
      hint,
      side_effects: nonEmpty(side_effects),
      not_verifiable: nonEmpty(not_verifiable),
      until,
      isTransient
    })
  }
}

function nonEmpty<T>(list: readonly T[] = []): readonly T[] | undefined {
  return list.length === 0 ? undefined : list
}

interface UpdatedWlan extends Pick<PlannedChange, 'desired'> {
  readonly site: Site
  /** The live record before the update. */
  readonly before: ValueObject
}

const MAX_FIELDS = 3

/** A hint for values that the service did not take, with the lint rules that relate the fields. */
export function keptValuesHint(
  { desired, before, site }: UpdatedWlan,
  fields: readonly FieldOutcome[]
): string {
  const names = fields.map(({ pointer }) => `\`${fieldName(pointer)}\``)
  const values = names.length === 1 ? 'another value' : 'other values'
  const kept = `the service keeps ${values} for ${listFirst(names, MAX_FIELDS, 'fields')}`
  const wayOn =
    names.length === 1
      ? 'declare that value, or leave the field out'
      : 'declare those values, or leave the fields out'
  const wlan = { name: desired.key, declared: desired.fields, live: before }
  const rules = new Map<string, string>()
  const linter = new Linter({ ...defaultLintPolicy, level: 'info' })
  linter.lintSite({ ...site, wlans: [wlan] }, ({ rule, message, advice, fromSecret, ...found }) => {
    const isAbout = fields.some(({ pointer }) => found.fields.some(at => overlap(at, pointer)))
    if (isAbout && found.fields.length > 1 && !fromSecret)
      rules.set(rule, `lint rule ${rule}: ${message}; ${advice}`)
  })
  return [`if another apply ends like this, ${kept}: ${wayOn}`, ...rules.values()].join('; ')
}

const PROTECTED =
  'the WLAN is protected: to change it on purpose, remove its `$protect` in a change before this one'

export function protectedOutcomes(kept: readonly PlannedChange[]): Outcome[] {
  return kept.map(({ change }) => outcome(change, 'skipped', { reason: PROTECTED }))
}

/** The outcome of a change that is deferred at this moment; undefined if it may be sent. */
export function deferredOutcome(
  change: Change,
  deferral: DeferralCheck | undefined
): Outcome | undefined {
  const wait = deferral?.(change)
  if (wait === undefined) return undefined
  return outcome(change, 'deferred', {
    reason: deferralReason(wait),
    ...compact({ until: wait.until })
  })
}

export function fieldOutcome(
  pointer: Pointer,
  states: { readonly [state in 'before' | 'wanted' | 'found']?: ValueObject }
): FieldOutcome {
  const values = Object.entries(states).flatMap(([state, record]) => {
    const value = valueAt(record, pointer)
    return value === undefined ? [] : [[state, value] as const]
  })
  return { pointer, ...Object.fromEntries(values) }
}

/**
 * Fields to change whose live values differ from the plan's. A field without a planned change
 * counts if it would now have to change, and so does a secret that is now hidden.
 */
export function disturbedFields(
  { change, live }: { readonly change: Change; readonly live: LiveWlan },
  fresh: LiveWlan,
  now: WlanPlan
): FieldOutcome[] {
  const next = now.status === 'changed' ? now.change : change
  const since = now.status === 'unchanged' ? [] : changedPointers(live.record, fresh.record)
  const disturbing = [...since, ...hiddenSince(change, now)]
  const before = live.record
  const wanted = { ...before, ...change.request.body, ...next.request.body }
  return [...new Set([...change.patch, ...next.patch].map(({ path }) => path))]
    .filter(pointer => disturbing.some(at => overlap(at, pointer)))
    .sort(byCodeUnit)
    .map(pointer => fieldOutcome(pointer, { before, wanted, found: fresh.record }))
}

function hiddenSince({ not_compared = [] }: Change, now: WlanPlan): Pointer[] {
  return notComparedIn(now).filter(pointer => !not_compared.includes(pointer))
}

function notComparedIn(plan: WlanPlan): readonly Pointer[] {
  if (plan.status === 'unchanged') return plan.notCompared
  return plan.status === 'changed' ? (plan.change.not_compared ?? []) : []
}

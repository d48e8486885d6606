import type { FieldOutcome, Outcome, Status } from '../model/outcome.ts'
import type { Change } from '../model/plan.ts'
import type { Pointer } from '../model/pointer.ts'
import { type ValueObject, valueAt } from '../model/value.ts'

/** The outcome of a change; missing details are empty. */
export function outcome(
  { address }: Pick<Change, 'address'>,
  status: Status,
  details: {
    readonly reason?: string
    readonly fields?: readonly FieldOutcome[]
    readonly sideEffects?: readonly Pointer[]
    readonly notVerifiable?: readonly Pointer[]
  } = {}
): Outcome {
  const { reason, fields = [], sideEffects = [], notVerifiable = [] } = details
  return {
    address,
    status,
    fields,
    ...(reason === undefined ? {} : { reason }),
    sideEffects,
    notVerifiable
  }
}

/** A field's values in several states of its WLAN, as far as it has them. */
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

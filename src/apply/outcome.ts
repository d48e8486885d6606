import type { FieldOutcome, Outcome, Status } from '../model/outcome.ts'
import type { Change } from '../model/plan.ts'
import type { Pointer } from '../model/pointer.ts'

/** The outcome of a change; what is not said of it is empty. */
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

import { groupBy } from '../model/collections.ts'
import type { Impact, PatchOperation } from '../model/plan.ts'
import type { Pointer } from '../model/pointer.ts'
import { impactOf } from './impact.ts'

/**
 * The fields of a patch that make its impact, in the order of the patch: a report that shortens a list of
 * fields keeps them. Undefined where all fields make it, or where there is no impact.
 */
export function impactFieldsOf(
  patch: readonly PatchOperation[],
  impact: Impact | undefined
): readonly Pointer[] | undefined {
  const fields = groupBy(patch, ({ path }) => path)
  if (impact === undefined || fields.size < 2) return undefined
  const decisive = [...fields].filter(([, operations]) => impactOf(operations) === impact)
  const isPart = decisive.length > 0 && decisive.length < fields.size
  return isPart ? decisive.map(([path]) => path) : undefined
}

import { type Finding, finding, type Where } from '../../core/model/finding.ts'
import { listFirst } from '../../core/values/text.ts'
import { at } from '../files/source.ts'
import type { FleetSite } from '../sites.ts'
import type { Node } from '../yaml/tree.ts'

/** A guard of the base that the files removed, weakened, or changed so that this is unknown. */
export interface Weakening {
  /** The guard with its value before and now, for the message. */
  readonly what: string
  /** The declaration in the files; undefined if it is gone. */
  readonly now: Node | Where | undefined
  /** The declaration at the base; undefined if it has none. */
  readonly before: Node | Where | undefined
}

/** The finding of a weakening, at the place in the files, or at that of the base. */
export function findingOf({ what, now, before }: Weakening, base: string): Finding {
  const where = placeOf(now) ?? inBase(placeOf(before), base)
  return finding('POLICY_WEAKENED', { ...where }, what, base)
}

function placeOf(given: Node | Where | undefined): Where | undefined {
  return given && ('kind' in given ? at(given) : given)
}

function inBase(where: Where | undefined, revision: string): Where | undefined {
  return where?.place && { ...where, place: { ...where.place, revision } }
}

/** A site that the base declares, too. */
export interface SitePair {
  readonly is: FleetSite
  readonly was: FleetSite
}

/** A finding lists at most this many sites or WLANs, and counts the others. */
const MAX_LISTED = 10

/** One weakening of many sites or WLANs, at the place of the first; none for none. */
export function aboutAll<T>(
  title: string,
  items: readonly T[],
  describe: (
    item: T
  ) => { readonly text: string } & Pick<Weakening, 'now'> & Partial<Pick<Weakening, 'before'>>
): Weakening[] {
  const [first] = items
  if (first === undefined) return []
  const named = listFirst(
    items.map(item => describe(item).text),
    MAX_LISTED
  )
  const { now, before } = describe(first)
  return [{ what: `${title}: ${named}`, now, before }]
}

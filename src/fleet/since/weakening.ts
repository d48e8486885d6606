import { type Finding, finding, type Where } from '../../core/model/finding.ts'
import { listFirst, plural } from '../../core/values/text.ts'
import { at } from '../files/source.ts'
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

/** A guard that each site or WLAN has. */
export interface SharedGuard<T> {
  /** What happened to the guard of `those`, e.g. `2 sites`. */
  readonly title: (those: string) => string
  readonly isWeaker: (item: T) => boolean
  readonly text: (item: T) => string
  readonly now: (item: T) => Weakening['now']
  readonly before?: (item: T) => Weakening['before']
}

/** A finding lists at most this many sites or WLANs, and counts the others. */
const MAX_LISTED = 10

/** One weakening of all sites or WLANs for which a guard is weaker, at the place of the first; none for none. */
export function weakenedAmong<T>(
  noun: 'site' | 'WLAN',
  items: readonly T[],
  { title, isWeaker, text, now, before }: SharedGuard<T>
): Weakening[] {
  const weaker = items.filter(isWeaker)
  const [first] = weaker
  if (first === undefined) return []
  const listed = listFirst(weaker.map(text), MAX_LISTED)
  const what = `${title(plural(weaker.length, noun))}: ${listed}`
  return [{ what, now: now(first), before: before?.(first) }]
}

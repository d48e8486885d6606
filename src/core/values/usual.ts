import { groupsBy } from './collections.ts'

/**
 * The maximum share of exceptions: of sites that override a field or a variable, or are of a kind with other networks.
 * With more, the value is not that of all.
 */
export const MAX_EXCEPTIONS = 0.25

/** The items with the most frequent key; of several such keys, the first. */
export function mostFrequent<T>(items: Iterable<T>, keyOf: (item: T) => unknown): readonly T[] {
  const byKey = groupsBy(items, keyOf)
  return byKey.sort((a, b) => b.length - a.length)[0] ?? []
}

/** The most frequent of some values, if it is that of nearly all. */
export function usual<T>(items: readonly T[], keyOf: (item: T) => unknown): readonly T[] {
  const most = mostFrequent(items, keyOf)
  return isUsual(most.length, items.length) ? most : []
}

export function isUsual(count: number, all: number): boolean {
  return count >= all * (1 - MAX_EXCEPTIONS)
}

/** Compares UTF-16 code units, as all sorting does: the order is the same in every locale. */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** A sorted copy: by the first key, by UTF-16 code unit; equal items by the next key. */
export function sortBy<T>(
  items: Iterable<T>,
  ...keys: readonly [(item: T) => string, ...((item: T) => string)[]]
): T[] {
  return [...items].sort((a, b) => {
    for (const key of keys) {
      const order = byCodeUnit(key(a), key(b))
      if (order !== 0) return order
    }
    return 0
  })
}

/** Adds items to a list; `push(...items)` would overflow the stack at about 100,000 items. */
export function append<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item)
}

/** The lowest number; Infinity if there is none. */
export function lowest(numbers: Iterable<number>): number {
  let found = Number.POSITIVE_INFINITY
  for (const number of numbers) found = Math.min(found, number)
  return found
}

/** The highest number; -Infinity if there is none. */
export function highest(numbers: Iterable<number>): number {
  let found = Number.NEGATIVE_INFINITY
  for (const number of numbers) found = Math.max(found, number)
  return found
}

export type NonEmpty<T> = readonly [T, ...T[]]

/** Keys, and the items of a group, keep the order of the input. */
export function groupBy<K, T>(
  items: Iterable<T>,
  keyOf: (item: T, at: number) => K
): Map<K, [T, ...T[]]> {
  const groups = new Map<K, [T, ...T[]]>()
  let at = 0
  for (const item of items) {
    const key = keyOf(item, at++)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}

export function groupsBy<T>(
  items: Iterable<T>,
  keyOf: (item: T, at: number) => unknown
): [T, ...T[]][] {
  return [...groupBy(items, keyOf).values()]
}

/** The value at a key; where the map has none, it gets what `make` returns. */
export function getOrInsert<K, V>(
  map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  make: () => V
): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

/** An object with a member for each name that has a value; members are own ones, even `__proto__`. */
export function objectOf<V>(
  names: Iterable<string>,
  make: (name: string) => V | undefined
): Record<string, V> {
  const entries = [...names].map(name => [name, make(name)] as const)
  return Object.fromEntries(
    entries.filter((each): each is readonly [string, V] => each[1] !== undefined)
  )
}

/** An object type in which each member that may be `undefined` is optional instead. */
export type Compact<T extends object> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K]
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** Omits undefined members: `compact({ hint })` for `...(hint === undefined ? {} : { hint })`. */
export function compact<T extends object>(object: T): Compact<T> {
  return Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== undefined)
  ) as Compact<T>
}

/** The items without `undefined`, `false` and empty texts: `present(hint, isOld && 'old')`. */
export function present<T>(...items: readonly (T | undefined | false | '')[]): T[] {
  return items.filter((item): item is T => item !== undefined && item !== false && item !== '')
}

/** The share of exceptions, such as overrides, up to which a value counts as that of all sites. */
export const MAX_EXCEPTIONS = 0.25

/** The items with the most frequent key; of several such keys, the first. */
export function mostFrequent<T>(items: Iterable<T>, keyOf: (item: T) => unknown): readonly T[] {
  const byKey = groupsBy(items, keyOf)
  return byKey.sort((a, b) => b.length - a.length)[0] ?? []
}

/** The items with the most frequent key, if it is that of nearly all. */
export function usual<T>(items: readonly T[], keyOf: (item: T) => unknown): readonly T[] {
  const most = mostFrequent(items, keyOf)
  return isUsual(most.length, items.length) ? most : []
}

export function isUsual(count: number, all: number): boolean {
  return count >= all * (1 - MAX_EXCEPTIONS)
}

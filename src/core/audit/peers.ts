/** The groups in which a site is compared with others, the most specific first; `''` is the rest. */
export type Peers = readonly string[]

/** Members that differ from most of their peers. */
export interface Deviation {
  /** The group that they are compared in. */
  readonly peers: string
  /** Indexes of classes: the one of these members, and the usual one. */
  readonly own: number
  readonly usual: number
  /** The number of peers in the usual class. */
  readonly usualCount: number
  readonly members: readonly number[]
}

/**
 * The value that at least two thirds of three or more share. Undefined if there is none, such as for a VLAN ID
 * that differs from site to site.
 */
export function clearMajority<T>(
  counts: Iterable<readonly [value: T, count: number]>
): T | undefined {
  const all = [...counts]
  const total = all.reduce((sum, [, count]) => sum + count, 0)
  return total < 3 ? undefined : all.find(([, count]) => count * 3 >= total * 2)?.[0]
}

/**
 * Compares members with their peers by the class that each belongs to. The first group of a member with a clear
 * majority decides.
 */
export function deviations(
  classes: readonly (readonly number[])[],
  peersOf: (member: number) => Peers
): Deviation[] {
  if (classes.length < 2) return []
  const counts = countsByGroup(classes, peersOf)
  const usual = new Map([...counts].map(([group, row]) => [group, clearMajority(row)]))
  const found = new Map<string, Deviation & { readonly members: number[] }>()
  for (const [own, members] of classes.entries()) {
    for (const member of members) {
      const peers = peersOf(member).find(group => usual.get(group) !== undefined)
      const most = peers === undefined ? undefined : usual.get(peers)
      if (peers === undefined || most === undefined || most === own) continue
      const key = `${own} ${peers}`
      const known = found.get(key)
      known?.members.push(member)
      if (known !== undefined) continue
      const usualCount = counts.get(peers)?.get(most) ?? 0
      found.set(key, { peers, own, usual: most, usualCount, members: [member] })
    }
  }
  return [...found.values()]
}

/** Members that share a class with others of their group, while most of it have a class of their own. */
export interface Sharing {
  readonly peers: string
  /** The number of peers with a class of their own. */
  readonly unique: number
  readonly members: readonly number[]
}

/** The exceptions where most members of a group have a class of their own; a class of one member is its own. */
export function sharings(
  classes: readonly (readonly number[])[],
  peersOf: (member: number) => Peers
): Sharing[] {
  const found = new Map<string, Sharing>()
  for (const [peers, row] of countsByGroup(classes, peersOf)) {
    const counts = [...row.values()]
    const unique = counts.filter(count => count === 1).length
    const shared = counts.reduce((sum, count) => sum + count, 0) - unique
    if (
      clearMajority([
        ['unique', unique],
        ['shared', shared]
      ]) !== 'unique'
    )
      continue
    for (const [at, count] of row) {
      if (count < 2) continue
      const members = (classes[at] ?? []).filter(member => peersOf(member).includes(peers))
      const key = members.join()
      if (!found.has(key)) found.set(key, { peers, unique, members })
    }
  }
  return [...found.values()]
}

/** The number of members of each class, by group. */
function countsByGroup(
  classes: readonly (readonly number[])[],
  peersOf: (member: number) => Peers
): Map<string, Map<number, number>> {
  const counts = new Map<string, Map<number, number>>()
  for (const [at, members] of classes.entries()) {
    for (const member of members) {
      for (const group of peersOf(member)) {
        const row = counts.get(group) ?? new Map<number, number>()
        counts.set(group, row)
        row.set(at, (row.get(at) ?? 0) + 1)
      }
    }
  }
  return counts
}

import type { Change } from '../model/plan.ts'
import type { Value } from '../model/value.ts'

/** Some things that are the same in what counts; never empty. */
export type GroupedFindings<T> = readonly [T, ...T[]]

/** The things by what is the same of them, each group where its first one stood. */
export function groupFindings<T>(
  things: readonly T[],
  sameness: (thing: T, at: number) => string
): GroupedFindings<T>[] {
  const groups = new Map<string, [T, ...T[]]>()
  for (const [at, thing] of things.entries()) {
    const key = sameness(thing, at)
    const group = groups.get(key)
    if (group) group.push(thing)
    else groups.set(key, [thing])
  }
  return [...groups.values()]
}

/** What is the same on so many sites is told once. */
const MANY = 3

/** What is said of many, together; few are found more easily one by one. */
export function groupMany<T>(
  things: readonly T[],
  sameness: (thing: T) => string
): GroupedFindings<T>[] {
  return groupFindings(things, sameness).flatMap(group =>
    group.length < MANY ? group.map((thing): GroupedFindings<T> => [thing]) : [group]
  )
}

/** The changes, those of many sites together that are equal in all that is told of them. */
export function groupEqualChanges(changes: readonly Change[]): GroupedFindings<Change>[] {
  return groupMany(changes, change =>
    JSON.stringify([changeKey(change), change.owner, change.first_seen])
  )
}

/** Where a WLAN is: the two parts of its address. */
export interface AddressParts {
  readonly site: string
  /** The handle of the WLAN in the YAML. */
  readonly key: string
}

export function addressPartsOf({ address, site }: Pick<Change, 'address' | 'site'>): AddressParts {
  return partedAfter(address, address.startsWith(`${site.name}/`) ? site.name.length : -1)
}

/** The same of an address whose site is not known apart from it. */
export function splitAddress(address: string): AddressParts {
  return partedAfter(address, address.indexOf('/'))
}

function partedAfter(address: string, end: number): AddressParts {
  if (end < 0) return { site: address, key: '' }
  return { site: address.slice(0, end), key: address.slice(end + 1) }
}

/**
 * What two changes share that do the same to a WLAN of the same key; a secret counts by reference. That
 * the service stored a number here as `40` and there as `"40"` makes no difference.
 */
export function changeKey(change: Change): string {
  const { patch, impact, downgrades, not_compared } = change
  const steps = patch.map(step =>
    step.op === 'test' ? { ...step, value: asNumber(step.value) } : step
  )
  return JSON.stringify([addressPartsOf(change).key, steps, impact, downgrades, not_compared])
}

function asNumber(value: Value): Value {
  return typeof value === 'string' && /^(?:0|[1-9]\d{0,14})$/.test(value) ? Number(value) : value
}

import { groupBy } from '../values/collections.ts'
import type { Pointer } from '../values/pointer.ts'
import { canonical, type Value } from '../values/value.ts'

/** A field of a live WLAN that changed, at a time. */
export interface FieldEvent {
  /** UTC, to the second. */
  readonly time: string
  readonly siteId: string
  readonly wlanId: string
  readonly pointer: Pointer
  /** Undefined is an absent value. */
  readonly before: Value | undefined
  readonly after: Value | undefined
}

/** A field whose value somebody sets back. */
export interface Contested<E extends FieldEvent = FieldEvent> {
  /** The value that comes back. */
  readonly value: Value | undefined
  /** How often it came back. */
  readonly returns: number
  /** The longest time for which it was away, in seconds. */
  readonly longestAway: number
  /** All changes of the field, the oldest first. */
  readonly events: readonly E[]
}

/** A value has to come back this often, */
const MIN_RETURNS = 2
/** within this time in seconds: later, it is an ordinary change of mind. */
const WITHIN = 30 * 86_400

/**
 * The fields whose value went away and came back at least twice within 30 days, most returns first: two parties manage
 * them. `events` may be in any order.
 */
export function contestedFields<E extends FieldEvent>(events: readonly E[]): Contested<E>[] {
  const byField = groupBy(events, ({ siteId, wlanId, pointer }) =>
    JSON.stringify([siteId.toLowerCase(), wlanId.toLowerCase(), pointer])
  )
  return [...byField.values()]
    .flatMap(changes => contestedIn(changes.sort((a, b) => (a.time < b.time ? -1 : 1))) ?? [])
    .sort((a, b) => b.returns - a.returns)
}

/** The value of a field that came back most often; undefined if none came back often enough. */
function contestedIn<E extends FieldEvent>(events: readonly E[]): Contested<E> | undefined {
  const left = new Map<string, number>()
  const returns = new Map<string, Return[]>()
  for (const { time, before, after } of events) {
    // A network that appears or disappears has no value.
    if (keyOf(before) === keyOf(after)) continue
    const at = Date.parse(time) / 1000
    left.set(keyOf(before), at)
    const away = left.get(keyOf(after))
    if (away === undefined) continue
    const known = returns.get(keyOf(after)) ?? []
    returns.set(keyOf(after), [...known, { value: after, away, at }])
  }
  const counted = [...returns.values()].map(each => mostWithin(each))
  const most = counted.sort((a, b) => b.length - a.length)[0] ?? []
  const [first] = most
  if (first === undefined || most.length < MIN_RETURNS) return undefined
  const longestAway = Math.max(...most.map(({ at, away }) => at - away))
  return { value: first.value, returns: most.length, longestAway, events }
}

interface Return {
  readonly value: Value | undefined
  /** When the value went away and when it came back, in seconds since 1970. */
  readonly away: number
  readonly at: number
}

/** The most returns that lie within 30 days, from the value's going away to its last return. */
function mostWithin(returns: readonly Return[]): readonly Return[] {
  let most: readonly Return[] = []
  for (const [start, { away }] of returns.entries()) {
    const within = returns.slice(start).filter(({ at }) => at - away <= WITHIN)
    if (within.length > most.length) most = within
  }
  return most
}

function keyOf(value: Value | undefined): string {
  return value === undefined ? '' : JSON.stringify(canonical(value))
}

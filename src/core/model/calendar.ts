import type { Impact, ImpactClass } from './impact.ts'

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

export type Weekday = (typeof weekdays)[number]

/** A weekly time range, in the time zone of each site, in which changes of some classes are sent. */
export interface Window {
  readonly name: string
  /** The days on which it starts. */
  readonly days: readonly Weekday[]
  /** A time of day such as `22:00`. */
  readonly from: string
  /** A time of day; if it is not after `from`, it is on the next day. `24:00` is the end of the day. */
  readonly until: string
  /** The classes of changes that are sent only in a window that lists them. */
  readonly impact: readonly ImpactClass[]
}

/** A time range in which only changes are sent whose classes are all in `except`. */
export interface Freeze {
  /** A date and time, with an offset from UTC or in the time zone of each site. */
  readonly from: string
  readonly until: string
  readonly reason: string
  readonly except: readonly ImpactClass[]
}

export interface Calendar {
  readonly windows: readonly Window[]
  readonly freezes: readonly Freeze[]
  /** The IANA time zone of each site with one, by id in lower case. */
  readonly timezones: ReadonlyMap<string, string>
  /** Those of the base, which hold as well; absent if it declares none. */
  readonly base?: Calendar
}

/** The reason why a change waits, and the end of the wait. */
export interface Deferral {
  readonly address: string
  /** The windows that it waits for; absent during a freeze. */
  readonly windows?: readonly string[]
  /** The reason of the freeze that it waits for; absent outside of freezes. */
  readonly freeze?: string
  /** The time at which it may be sent, UTC; absent if that is not within a year. */
  readonly until?: string
  /** The same time at the site: `2026-11-23 22:00 Europe/Berlin`; absent if the site has no time zone. */
  readonly local?: string
}

/** Returns why a change with this effect waits at this moment; undefined if it may be sent. */
export type DeferralCheck = (change: {
  readonly address: string
  readonly site: { readonly id: string }
  readonly impact?: Impact
  readonly impacts?: readonly Impact[]
}) => Deferral | undefined

/** Why a change waits: `outside of the window nights; waits until 2026-11-23 22:00 …`. */
export function deferralReason({
  windows,
  freeze,
  until,
  local
}: Omit<Deferral, 'address'>): string {
  const why =
    freeze === undefined
      ? `outside of the window ${(windows ?? []).join(' and ')}`
      : `in the freeze: ${freeze}`
  if (until === undefined) return `${why}; no window opens within a year`
  const utc = formatMinute(until)
  return `${why}; waits until ${local === undefined ? utc : `${local} (${utc})`}`
}

/** Formats `2026-11-23T21:00:00Z` as `2026-11-23 21:00 UTC`; shows seconds unless they are 0. */
export function formatMinute(time: string): string {
  return `${time.replace('T', ' ').replace(/(?::00)?(?:\.\d+)?Z$/, '')} UTC`
}

import type { ValueObject } from '../values/value.ts'
import { type Impact, type ImpactClass, impacts } from './impact.ts'

/** The days of a week, as windows name them. */
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

/** The windows and freezes of a fleet. */
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

/**
 * The reason why a change waits, in one sentence: `outside of the window nights; waits until 2026-11-23 22:00
 * Europe/Berlin (…)`.
 */
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

/** The start or end of a period of a WLAN, or of a freeze. */
export interface UpcomingEvent {
  /** The WLAN of the period; absent for a freeze. */
  readonly address?: string
  readonly event: 'begins' | 'ends'
  /** UTC. */
  readonly at: string
  /**
   * The same time at the site; absent if the site has no time zone, and for a freeze in several time zones.
   */
  readonly local?: string
  readonly reason: string
  /**
   * The windows and freezes that hold up changes at this time, by the impact of the change; absent if none
   * does. The impact of the period itself depends on the live WLAN at that time.
   */
  readonly waits?: readonly UpcomingWait[]
}

/** The wait of changes with one of these impacts. */
export interface UpcomingWait extends Omit<Deferral, 'address'> {
  readonly impact: readonly ImpactClass[]
}

/**
 * The wait of an upcoming change in words: `waits until 2026-12-07 22:00 Europe/Berlin (…) for the window
 * nights if its impact is reconnect or outage`.
 */
export function upcomingWaitText({ impact, windows, freeze, until, local }: UpcomingWait): string {
  const utc = until === undefined ? '' : formatMinute(until)
  const time = local === undefined ? utc : `${local} (${utc})`
  const end =
    until === undefined ? 'waits, and no window opens within a year,' : `waits until ${time}`
  const cause =
    freeze === undefined
      ? `for the window ${(windows ?? []).join(' and ')}`
      : `because of the freeze: ${freeze}`
  const isAny = impact.length === impacts.length
  return `${end} ${cause}${isAny ? '' : `, if its impact is ${impact.join(' or ')}`}`
}

/** A time range in which a WLAN has other values (`$during`). */
export interface Period {
  /** Its start and end, UTC. */
  readonly from: string
  readonly until: string
  readonly reason: string
  /** The time zone of the site; absent if it has none. */
  readonly timezone?: string
  /** The declared fields of the WLAN when it begins, and when it has ended. */
  readonly begins: ValueObject
  readonly ends: ValueObject
}

import type { Impact, ImpactClass } from './impact.ts'

/** The days of a week, as windows name them. */
export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

export type Weekday = (typeof weekdays)[number]

/** A time of the week, in the time zone of each site, in which changes of some classes are sent. */
export interface Window {
  readonly name: string
  /** The days on which it begins. */
  readonly days: readonly Weekday[]
  /** A time of day such as `22:00`. */
  readonly from: string
  /** A time of day; one that is not after `from` is that of the next day. `24:00` is the end of the day. */
  readonly until: string
  /** Changes of these classes are sent within a window that lists them, and at no other time. */
  readonly impact: readonly ImpactClass[]
}

/** A time in which only changes of the classes in `except` are sent. */
export interface Freeze {
  /** A date and time, with an offset from UTC or in the time zone of each site. */
  readonly from: string
  readonly until: string
  readonly reason: string
  readonly except: readonly ImpactClass[]
}

/** When the changes of a fleet may be sent. */
export interface Calendar {
  readonly windows: readonly Window[]
  readonly freezes: readonly Freeze[]
  /** The IANA time zone of each site, by id in lower case; a site without one is not in it. */
  readonly timezones: ReadonlyMap<string, string>
}

/** Why a change waits, and until when. */
export interface Deferral {
  readonly address: string
  /** The windows that it waits for; absent in a freeze. */
  readonly windows?: readonly string[]
  /** The reason of the freeze that it waits for; absent outside of freezes. */
  readonly freeze?: string
  /** When it may be sent, UTC; absent if that is not within a year. */
  readonly until?: string
  /** The same time at the site: `2026-11-23 22:00 Europe/Berlin`; absent where the site has no time zone. */
  readonly local?: string
}

/** Gives why a change of this effect waits at this moment; undefined if it may be sent. */
export type DeferralCheck = (change: {
  readonly address: string
  readonly site: { readonly id: string }
  readonly impact?: Impact
}) => Deferral | undefined

/** Why a change waits, in one sentence: `outside of the window nights; waits until 2026-11-23 22:00 Europe/Berlin (…)`. */
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

/** `2026-11-23 21:00 UTC` for `2026-11-23T21:00:00Z`; seconds only where there are any. */
export function formatMinute(time: string): string {
  return `${time.replace('T', ' ').replace(/(?::00)?(?:\.\d+)?Z$/, '')} UTC`
}

/** The beginning or the end of a period of a WLAN, or of a freeze. */
export interface UpcomingEvent {
  /** The WLAN of the period; absent for a freeze. */
  readonly address?: string
  readonly event: 'begins' | 'ends'
  /** UTC. */
  readonly at: string
  /** The same time at the site; absent where the site has no time zone, and for a freeze of several zones. */
  readonly local?: string
  readonly reason: string
}

/** A period of a WLAN in which other values hold (`$during`). */
export interface Period {
  /** When it begins and ends, UTC. */
  readonly from: string
  readonly until: string
  readonly reason: string
  /** The time zone of the site; absent where it has none. */
  readonly timezone?: string
}

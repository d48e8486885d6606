import type { Site } from './desired.ts'
import type { ValueObject } from './value.ts'

/** A WLAN as the service answered it. */
export interface LiveWlan {
  readonly id: string
  /** Empty if the record has none. */
  readonly ssid: string
  /** The whole record; its secret fields are `Secret` values. */
  readonly record: ValueObject
  /** When it was asked for, in milliseconds of the monotonic clock (`performance.now`). */
  readonly readAt: number
}

/** The WLANs of one site, all of them: an incomplete list is never a `LiveSite`. */
export interface LiveSite {
  readonly site: Site
  readonly wlans: readonly LiveWlan[]
}

/** A site that could not be read, and why; it hides no other site. */
export interface UnreadSite {
  readonly site: Site
  readonly reason: string
  /** What to do about it. */
  readonly hint?: string
  /** Who answers for its WLANs, all of them if they are several. */
  readonly owner?: string
}

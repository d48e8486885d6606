import type { Site } from './desired.ts'
import type { ValueObject } from './value.ts'

/** A WLAN from a response of the service. */
export interface LiveWlan {
  readonly id: string
  /** Empty if the record has none. */
  readonly ssid: string
  /** The whole record; its secret fields are `Secret` values. */
  readonly record: ValueObject
  /** The time of the request, in milliseconds of the monotonic clock (`performance.now`). */
  readonly readAt: number
}

/** All WLANs of one site: an incomplete list is never a `LiveSite`. */
export interface LiveSite {
  readonly site: Site
  readonly wlans: readonly LiveWlan[]
}

/** A site that could not be read, and why; the other sites are planned. */
export interface UnreadSite {
  readonly site: Site
  readonly reason: string
  /** How to fix it. */
  readonly hint?: string
  /** The owners of its WLANs. */
  readonly owner?: string
}

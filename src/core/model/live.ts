import { member, type ValueObject } from '../values/value.ts'
import type { Site } from './desired.ts'

export interface LiveWlan {
  readonly id: string
  /** Empty if the record has none. */
  readonly ssid: string
  /** The complete record; its secret fields are `Secret` values. */
  readonly record: ValueObject
  /** When its (first) request was sent, in milliseconds of the run's clock; it may be newer. */
  readonly readAt: number
}

/** A record older than this must be read again before anything is written, in milliseconds. */
const FRESH_FOR = 1_000

/** True if the record was read recently enough to write; `now`: the time on the run's clock. */
export function isFresh({ readAt }: Pick<LiveWlan, 'readAt'>, now: number): boolean {
  return now - readAt <= FRESH_FOR
}

/** The id that the service uses for "none". */
const NIL_ID = '00000000-0000-0000-0000-000000000000'

/**
 * True for a WLAN that the site inherits from its organization: it appears in the list of the site, but only
 * the organization can change it. A record without site and organization belongs to the requested site.
 *
 * | member        | of an inherited WLAN                                             |
 * |---------------|------------------------------------------------------------------|
 * | `template_id` | a string other than `""` and the nil UUID                        |
 * | `for_site`    | `false`                                                          |
 * | `site_id`     | the nil UUID; or absent while `org_id` or `for_site` is present  |
 */
export function isInherited(record: ValueObject): boolean {
  if (templateOf(record) !== undefined || member(record, 'for_site') === false) return true
  const site = member(record, 'site_id') ?? null
  if (site !== null) return isNilId(site)
  return ['org_id', 'for_site'].some(name => (member(record, name) ?? null) !== null)
}

/** The id of the template that a WLAN comes from; undefined if there is none. */
export function templateOf(record: ValueObject): string | undefined {
  const template = member(record, 'template_id')
  return typeof template === 'string' && template !== '' && !isNilId(template)
    ? template
    : undefined
}

/** True for the nil UUID, which stands for no site and no template. */
export function isNilId(id: unknown): boolean {
  return id === NIL_ID
}

/** All WLANs of one site: an incomplete list is never a `LiveSite`. */
export interface LiveSite {
  readonly site: Site
  readonly wlans: readonly LiveWlan[]
}

export interface UnreadSite {
  readonly site: Site
  readonly reason: string
  readonly hint?: string
}

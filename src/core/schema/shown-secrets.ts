import type { LiveSite } from '../model/live.ts'
import { getOrInsert } from '../values/collections.ts'
import { Secret } from '../values/secret.ts'
import { isList, isObject, type Value, type ValueObject } from '../values/value.ts'
import { type Field, wlanField } from './field.ts'

/** True if a record shows a plaintext secret in a field of the schema; empty secrets do not count. */
export function showsSecret(record: ValueObject): boolean {
  return showsBelow(wlanField, record)
}

function showsBelow(field: Field, value: Value): boolean {
  if (value instanceof Secret) return field.known && value.certain && !value.empty
  if (isList(value)) return value.some(element => showsBelow(field.item(), element))
  if (!isObject(value)) return false
  return Object.entries(value).some(([name, below]) => showsBelow(field.member(name), below))
}

/** The function searches on its first call: only a declared secret that is absent live needs it. */
export function secretsShownIn(records: readonly ValueObject[]): () => boolean {
  let isShown: boolean | undefined
  return () => {
    isShown ??= records.some(showsSecret)
    return isShown
  }
}

/** Cache of `secretsShownAt`: the planner, the linter and the rules ask for each site. Key: the site as read, weakly. */
const shownAt = new WeakMap<object, () => boolean>()

/** As `secretsShownIn`, for the response with the WLANs of a site. */
export function secretsShownAt(live: Pick<LiveSite, 'wlans'>): () => boolean {
  return getOrInsert(shownAt, live, () => secretsShownIn(live.wlans.map(({ record }) => record)))
}

/**
 * True if a later response about the same WLAN shows secrets: if it has none to show, it counts like the
 * earlier response; if it lacks secrets that the earlier record had, it does not show them.
 */
export function stillShown(
  isShown: boolean | undefined,
  before: ValueObject,
  found: ValueObject
): () => boolean {
  return () => showsSecret(found) || (isShown === true && !showsSecret(before))
}

import { type Finding, finding, type Where } from '../model/finding.ts'
import {
  canonical,
  fromEntries,
  isList,
  isObject,
  member,
  type Value,
  type ValueObject
} from '../model/value.ts'
import { wlanField } from '../schema/field.ts'
import { overlay } from './overlay.ts'
import { endangeredSecret } from './secrets.ts'

/** The body of an update, or the reason why no safe one exists. */
export type Composed = { readonly body: ValueObject } | { readonly finding: Finding }

/**
 * Composes the body that changes the given top-level fields: each of them complete, because the
 * service replaces it whole, and no other.
 *
 * A field is not sent if a secret in it would come to harm, or if it holds a number that JavaScript
 * could not keep.
 */
export function composeBody(
  declared: ValueObject,
  live: ValueObject,
  fields: readonly string[],
  where: Where
): Composed {
  const body = fromEntries(
    fields.map(name => [
      name,
      canonical(overlay(wlanField.member(name), member(live, name), member(declared, name) ?? null))
    ])
  )
  const endangered = endangeredSecret({ declared, live, body }, where)
  if (endangered !== undefined) return { finding: endangered }
  const lossy = fields.find(name => holdsLossyNumber(body[name]))
  if (lossy !== undefined) return { finding: finding('NUMBER_NOT_KEPT', where, lossy) }
  return { body }
}

/** Where an update goes. */
export function updatePath(site: { readonly id: string }, wlan: { readonly id: string }): string {
  return `/api/v1/sites/${site.id}/wlans/${wlan.id}`
}

/**
 * JSON numbers beyond 2^53 lose digits when they are read, and those beyond 10^308 are lost
 * altogether: sending one back would change it.
 */
function holdsLossyNumber(value: Value | undefined): boolean {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER
  if (isList(value)) return value.some(holdsLossyNumber)
  return isObject(value) && Object.values(value).some(holdsLossyNumber)
}

import { type Finding, finding, type Where } from '../model/finding.ts'
import { wlanField } from '../schema/field.ts'
import { secretsShownIn } from '../schema/shown-secrets.ts'
import {
  canonical,
  fromEntries,
  isList,
  isObject,
  member,
  type Value,
  type ValueObject
} from '../values/value.ts'
import { endangeredSecret } from './endangered-secret.ts'
import { overlay } from './overlay.ts'

/** The body of an update, or the finding that prevents it. */
type BodyResult = { readonly body: ValueObject } | { readonly finding: Finding }

/**
 * Composes the body that changes the given top-level fields and no other: each of them complete, because the
 * service replaces whole fields. One that is not declared is sent as it is live.
 *
 * A field is not sent if the update would destroy a secret in it, or if it contains a number that JavaScript
 * cannot represent. `secretsShown`: true if the response with the live record shows secrets.
 */
export function composeBody(
  declared: ValueObject,
  live: ValueObject,
  fields: readonly string[],
  where: Where,
  secretsShown: () => boolean = secretsShownIn([live])
): BodyResult {
  const body = fromEntries(
    fields.map(name => {
      const found = member(live, name)
      const wanted = Object.hasOwn(declared, name) ? member(declared, name) : found
      return [name, canonical(overlay(wlanField.member(name), found, wanted ?? null))]
    })
  )
  const endangered = endangeredSecret({ declared, live, body }, where, secretsShown)
  if (endangered !== undefined) return { finding: endangered }
  const lossy = fields.find(name => holdsLossyNumber(body[name]))
  if (lossy !== undefined) return { finding: finding('NUMBER_NOT_KEPT', where, lossy) }
  return { body }
}

/** The request path of an update. */
export function updatePath(site: { readonly id: string }, wlan: { readonly id: string }): string {
  return `/api/v1/sites/${site.id}/wlans/${wlan.id}`
}

/**
 * JSON numbers above 2^53 lose digits when they are parsed, and those above 10^308 become infinite, so
 * sending one back would change it.
 */
function holdsLossyNumber(value: Value | undefined): boolean {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER
  if (isList(value)) return value.some(holdsLossyNumber)
  return isObject(value) && Object.values(value).some(holdsLossyNumber)
}

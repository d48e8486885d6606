import { wlanField } from '../fields/field.ts'
import { type Finding, finding, type Where } from '../model/finding.ts'
import { child, type Pointer, topLevelField } from '../model/pointer.ts'
import { Secret } from '../model/secret.ts'
import { isEmpty, isList, isObject, member, type Value, type ValueObject } from '../model/value.ts'
import { canonical, fromEntries } from './canonical.ts'
import { overlay } from './overlay.ts'

/** The body of an update, or the reason why no safe one exists. */
export type Composed = { readonly body: ValueObject } | { readonly finding: Finding }

/**
 * Composes the body that changes the given top-level fields: each of them complete, because the
 * service replaces it whole, and no other.
 *
 * A field that would be sent with a secret nobody knows, or with a number that JavaScript could not
 * keep, is not sent: writing back the mask of a hidden secret destroys it.
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
  const hidden = hiddenSecret(body) ?? missingSecret(body, { ...live, ...body })
  if (hidden !== undefined) {
    return { finding: finding('SECRET_HIDDEN', where, hidden, topLevelField(hidden)) }
  }
  const lossy = fields.find(name => holdsLossyNumber(body[name]))
  if (lossy !== undefined) return { finding: finding('NUMBER_NOT_KEPT', where, lossy) }
  return { body }
}

/** A secret that would ride along although the service hides it. */
function hiddenSecret(value: Value, at: Pointer = ''): Pointer | undefined {
  if (value instanceof Secret) return '$live' in value.reference && !value.known ? at : undefined
  return firstBelow(value, at, hiddenSecret)
}

/** A secret that the authentication cannot do without, and that would be sent empty or not at all. */
function missingSecret(body: ValueObject, after: ValueObject): Pointer | undefined {
  const auth = member(body, 'auth')
  if (!isObject(auth)) return undefined
  const type = member(auth, 'type')
  if (type === 'wep') return blank(member(auth, 'keys')) ? '/auth/keys' : undefined
  if (typeof type !== 'string' || !type.startsWith('psk')) return undefined
  const keysElsewhere =
    member(auth, 'multi_psk_only') === true || isOn(member(after, 'dynamic_psk'))
  return blank(member(auth, 'psk')) && !keysElsewhere ? '/auth/psk' : undefined
}

function isOn(feature: Value | undefined): boolean {
  return isObject(feature) && member(feature, 'enabled') === true
}

function blank(value: Value | undefined): boolean {
  if (value instanceof Secret) return value.empty
  return isList(value) ? value.every(blank) : isEmpty(value)
}

/** JSON numbers beyond 2^53 lose digits when they are read: sending one back would change it. */
function holdsLossyNumber(value: Value | undefined): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value)
  if (isList(value)) return value.some(holdsLossyNumber)
  return isObject(value) && Object.values(value).some(holdsLossyNumber)
}

function firstBelow(
  value: Value,
  at: Pointer,
  search: (value: Value, at: Pointer) => Pointer | undefined
): Pointer | undefined {
  const members = isList(value) ? value.entries() : isObject(value) ? Object.entries(value) : []
  for (const [name, below] of members) {
    const found = search(below, child(at, name))
    if (found !== undefined) return found
  }
  return undefined
}

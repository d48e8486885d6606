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
  const after = { ...live, ...body }
  const hidden =
    hiddenSecret(body) ?? missingSecret(body, after) ?? missingServerSecret(body, live, after)
  if (hidden !== undefined) {
    return { finding: finding('SECRET_HIDDEN', where, hidden, topLevelField(hidden)) }
  }
  const lossy = fields.find(name => holdsLossyNumber(body[name]))
  if (lossy !== undefined) return { finding: finding('NUMBER_NOT_KEPT', where, lossy) }
  return { body }
}

/** Where an update goes. */
export function updatePath(site: { readonly id: string }, wlan: { readonly id: string }): string {
  return `/api/v1/sites/${site.id}/wlans/${wlan.id}`
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

/** A RADIUS server of the service's own that would be sent without the secret it must have. */
function missingServerSecret(
  body: ValueObject,
  live: ValueObject,
  after: ValueObject
): Pointer | undefined {
  const auth = member(after, 'auth')
  const type = isObject(auth) ? member(auth, 'type') : undefined
  const unused = isOn(member(after, 'radsec')) || isOn(member(after, 'mist_nac'))
  if (typeof type !== 'string' || !type.startsWith('eap') || unused) return undefined
  const known = new Set(servers(live).map(hostOf))
  const place = servers(body).findIndex(
    server => isObject(server) && known.has(hostOf(server)) && blank(member(server, 'secret'))
  )
  return place === -1 ? undefined : `/auth_servers/${place}/secret`
}

function servers(record: ValueObject): readonly Value[] {
  const list = member(record, 'auth_servers')
  return isList(list) ? list : []
}

function hostOf(server: Value): Value | undefined {
  return isObject(server) ? member(server, 'host') : undefined
}

function isOn(feature: Value | undefined): boolean {
  return isObject(feature) && member(feature, 'enabled') === true
}

function blank(value: Value | undefined): boolean {
  if (value instanceof Secret) return value.empty
  return isList(value) ? value.every(blank) : isEmpty(value)
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

import type { ListedSite, Site } from '../core/model/desired.ts'
import { isNilId, type LiveWlan } from '../core/model/live.ts'
import { clearVolatile, type Field, wlanField } from '../core/schema/field.ts'
import { isServiceVariable, Secret } from '../core/values/secret.ts'
import { isUuid, sameId } from '../core/values/uuid.ts'
import { isObject, member, type Value, type ValueObject } from '../core/values/value.ts'
import { invalidContent } from './http/error.ts'
import type { ApiResponse } from './http/response.ts'

/** The maximum depth of a record: JSON may have a million levels, which would overflow the stack. */
const MAX_DEPTH = 100

/** Parses the response to `read WLAN`, which must be the requested WLAN. */
export function readLiveWlan(response: ApiResponse, site: Site, wlanId: string): LiveWlan {
  const wlan = liveWlan(response.json, site, response)
  if (!sameId(wlan.id, wlanId)) throw invalidContent('expected the requested WLAN, got another one')
  return wlan
}

/** Parses the response to `list WLANs`: one page of a list whose first request was sent at `began`. */
export function readRecords(
  { json, sentAt, addSecret }: ApiResponse,
  site: Site,
  began = sentAt
): LiveWlan[] {
  if (!Array.isArray(json)) throw invalidContent('expected a JSON array')
  return json.map(record => liveWlan(record, site, { sentAt: began, addSecret }))
}

/** Parses the response to `list sites`: one page. A site without a name gets an empty one. */
export function readSiteRecords({ json }: ApiResponse, orgId: string): ListedSite[] {
  if (!Array.isArray(json)) throw invalidContent('expected a JSON array')
  return json.map((record: unknown) => {
    const { id, name, org_id, timezone } = (record ?? {}) as Readonly<Record<string, unknown>>
    if (!isUuid(id)) throw invalidContent('expected the id of each site to be a UUID')
    if (typeof org_id === 'string' && !sameId(org_id, orgId)) {
      throw invalidContent('expected sites of the organization, got one of another organization')
    }
    const named = { id, name: typeof name === 'string' ? name : '' }
    return typeof timezone === 'string' ? { ...named, timezone } : named
  })
}

/** Parses the response to `update WLAN`, which may be any object; only a read shows the stored values. */
export function readUpdated({ json }: ApiResponse): void {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw invalidContent('expected a JSON object')
  }
}

function liveWlan(
  json: unknown,
  site: Site,
  { sentAt, addSecret }: Pick<ApiResponse, 'sentAt' | 'addSecret'>
): LiveWlan {
  const record = wlanValue(json, addSecret)
  if (!isObject(record)) throw invalidContent('expected each WLAN to be an object')
  const id = member(record, 'id')
  if (!isUuid(id)) throw invalidContent('expected the id of each WLAN to be a UUID')
  checkSite(record, site)
  const ssid = member(record, 'ssid')
  return { id, ssid: typeof ssid === 'string' ? ssid : '', record, readAt: sentAt }
}

/** Accepts a record without a site, because it may belong to the organization, but none of another site. */
function checkSite(record: ValueObject, site: Site): void {
  const siteId = member(record, 'site_id') ?? null
  if (siteId === null || isNilId(siteId)) return
  if (typeof siteId === 'string' && sameId(siteId, site.id)) return
  throw invalidContent('expected WLANs of the requested site, got one of another site')
}

/**
 * Converts the JSON of a WLAN, or of some of its fields, to a value tree in which secrets cannot be shown and
 * volatile fields are null. Calls `addSecret` with each known secret. It modifies the JSON in place.
 */
export function wlanValue(
  json: unknown,
  addSecret: ApiResponse['addSecret'] = () => undefined
): Value {
  if (typeof json === 'object' && json !== null) clearVolatile(json)
  return valueIn(json, wlanField, false, 0, addSecret)
}

/** Converts JSON to a value tree: a string in a secret field, at any depth below it, becomes a `Secret`. */
function valueIn(
  json: unknown,
  field: Field,
  above: boolean,
  depth: number,
  addSecret: ApiResponse['addSecret']
): Value {
  const inSecret = above || field.holdsSecret
  if (typeof json === 'string') {
    const isShown = !inSecret || (field.known && isServiceVariable(json))
    return isShown ? json : liveSecret(json, addSecret)
  }
  if (typeof json === 'object' && json !== null) {
    if (depth === MAX_DEPTH) throw invalidContent(`nested more than ${MAX_DEPTH} deep`)
    return partsIn(json as Parts, field, inSecret, depth + 1, addSecret)
  }
  // A secret that is not a string would be sent back with another type, so it counts as hidden.
  if (inSecret && json !== null) return new Secret({ $live: true }, undefined)
  return json as null | boolean | number
}

/** The JSON parser defines `__proto__` as an own member. */
interface Parts {
  [name: string | number]: unknown
}

function partsIn(
  json: Parts,
  field: Field,
  inSecret: boolean,
  depth: number,
  addSecret: ApiResponse['addSecret']
): Value {
  const item = Array.isArray(json) ? field.item() : undefined
  for (const name in json) {
    const part = json[name]
    const below = item ?? field.member(name)
    // Fast path: most parts are values that are not secret. A list of secrets may come as a single one.
    if (typeof part !== 'object' && !inSecret && !below.holdsSecret) continue
    const value = valueIn(part, below, inSecret, depth, addSecret)
    if (value !== part) json[name] = value
  }
  return json as Value
}

function liveSecret(value: string, addSecret: ApiResponse['addSecret']): Secret {
  const secret = Secret.live(value)
  if (secret.known) addSecret(value)
  return secret
}

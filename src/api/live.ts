import type { Site } from '../model/desired.ts'
import type { LiveWlan } from '../model/live.ts'
import { isUuid, sameId } from '../model/names.ts'
import { Secret } from '../model/secret.ts'
import { isObject, member, type Value, type ValueObject } from '../model/value.ts'
import { type Field, wlanField } from '../schema/field.ts'
import { invalidContent } from './error.ts'
import type { ApiResponse } from './response.ts'

/** A WLAN record is a handful of levels deep; JSON may be a million, and would end the stack. */
const DEEPEST = 100

/** Reads the answer to `read WLAN`; it must be the WLAN that was asked for. */
export function readRecord(answer: ApiResponse, site: Site, wlanId: string): LiveWlan {
  const wlan = liveWlan(answer.json, site, answer)
  if (!sameId(wlan.id, wlanId)) throw invalidContent('another WLAN than the one asked for')
  return wlan
}

/** Reads the answer to `list WLANs`: one page of them. */
export function readRecords(answer: ApiResponse, site: Site): LiveWlan[] {
  const { json } = answer
  if (!Array.isArray(json)) throw invalidContent('expected a JSON array')
  return json.map(record => liveWlan(record, site, answer))
}

/** Any object will do as the answer to `update WLAN`: what became of it, a read tells. */
export function readUpdated({ json }: ApiResponse): void {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw invalidContent('expected a JSON object')
  }
}

function liveWlan(json: unknown, site: Site, { askedAt, addSecret: meet }: ApiResponse): LiveWlan {
  const record = wlanValue(json, meet)
  if (!isObject(record)) throw invalidContent('a WLAN that is not an object')
  const id = member(record, 'id')
  if (!isUuid(id)) throw invalidContent('a WLAN whose id is not a UUID')
  checkSite(record, site)
  const ssid = member(record, 'ssid')
  return { id, ssid: typeof ssid === 'string' ? ssid : '', record, readAt: askedAt }
}

/** A record without a site is believed. */
function checkSite(record: ValueObject, site: Site): void {
  const siteId = member(record, 'site_id') ?? null
  if (siteId === null) return
  if (typeof siteId === 'string' && sameId(siteId, site.id)) return
  throw invalidContent('a WLAN of another site')
}

/**
 * The JSON of a WLAN, or of a part of it, as a value tree in which no secret can be shown; `meet` is
 * told of each that is known. It takes the JSON over, and puts the secrets in it itself.
 */
export function wlanValue(json: unknown, meet: ApiResponse['addSecret'] = () => undefined): Value {
  return valueIn(json, wlanField, false, 0, meet)
}

/**
 * JSON as a value tree: a string in a secret field, at whatever depth below it, is a `Secret` from
 * here on.
 */
function valueIn(
  json: unknown,
  field: Field,
  above: boolean,
  depth: number,
  meet: ApiResponse['addSecret']
): Value {
  const inSecret = above || field.secret
  if (typeof json === 'string') return inSecret ? liveSecret(json, meet) : json
  if (typeof json === 'object' && json !== null) {
    if (depth === DEEPEST) throw invalidContent(`nested more than ${DEEPEST} deep`)
    return partsIn(json as Parts, field, inSecret, depth + 1, meet)
  }
  // What is no text would be sent back as another type: such a secret counts as hidden.
  if (inSecret && json !== null) return new Secret({ $live: true }, undefined)
  return json as null | boolean | number
}

/** A list or an object of JSON. A member named `__proto__` is one like others: the parser defined it. */
interface Parts {
  [name: string | number]: unknown
}

function partsIn(
  json: Parts,
  field: Field,
  inSecret: boolean,
  depth: number,
  meet: ApiResponse['addSecret']
): Value {
  const isList = Array.isArray(json)
  for (const name in json) {
    const part = json[name]
    const below = isList ? field.item() : field.member(name)
    // Nearly all parts are values that may be shown, and are passed by quickly.
    if (typeof part !== 'object' && !inSecret && !below.secret) continue
    const value = valueIn(part, below, inSecret, depth, meet)
    if (value !== part) json[name] = value
  }
  return json as Value
}

function liveSecret(value: string, meet: ApiResponse['addSecret']): Secret {
  const secret = Secret.live(value)
  if (secret.known) meet(value)
  return secret
}

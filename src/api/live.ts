import { type Field, wlanField } from '../fields/field.ts'
import type { Site } from '../model/desired.ts'
import { isUuid, sameId } from '../model/identity.ts'
import type { LiveWlan } from '../model/live.ts'
import { Secret } from '../model/secret.ts'
import { isObject, member, type Value, type ValueObject } from '../model/value.ts'
import { unbelievable } from './error.ts'
import type { Answer } from './transport/answer.ts'

/** A WLAN record is a handful of levels deep; JSON may be a million, and would end the stack. */
const DEEPEST = 100

/** Reads the answer to `read WLAN`; it must be the WLAN that was asked for. */
export function readRecord(answer: Answer, site: Site, wlanId: string): LiveWlan {
  const wlan = liveWlan(answer.json, site, answer)
  if (!sameId(wlan.id, wlanId)) throw unbelievable('another WLAN than the one asked for')
  return wlan
}

/** Reads the answer to `list WLANs`: one page of them. */
export function readRecords(answer: Answer, site: Site): LiveWlan[] {
  if (!Array.isArray(answer.json)) throw unbelievable('no list')
  return answer.json.map(record => liveWlan(record, site, answer))
}

/** Any object will do as the answer to `update WLAN`: what became of it, a read tells. */
export function readUpdated({ json }: Answer): void {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw unbelievable('no object')
  }
}

function liveWlan(json: unknown, site: Site, { askedAt, meet }: Answer): LiveWlan {
  const record = wlanValue(json, meet)
  if (!isObject(record)) throw unbelievable('a WLAN that is no object')
  const id = member(record, 'id')
  if (!isUuid(id)) throw unbelievable('a WLAN whose id is no UUID')
  checkSite(record, site)
  const ssid = member(record, 'ssid')
  return { id, ssid: typeof ssid === 'string' ? ssid : '', record, readAt: askedAt }
}

/** A record without a site is believed. */
function checkSite(record: ValueObject, site: Site): void {
  const siteId = member(record, 'site_id') ?? null
  if (siteId === null) return
  if (typeof siteId === 'string' && sameId(siteId, site.id)) return
  throw unbelievable('a WLAN of another site')
}

/**
 * The JSON of a WLAN, or of a part of it, as a value tree in which no secret can be shown; `meet` is
 * told of each that is known.
 */
export function wlanValue(json: unknown, meet: Answer['meet'] = () => undefined): Value {
  return valueIn(json, wlanField, { inSecret: false, depth: 0, meet })
}

/** Where in a record a value stands. */
interface Spot {
  readonly inSecret: boolean
  readonly depth: number
  readonly meet: Answer['meet']
}

/**
 * JSON as a value tree: a string in a secret field, at whatever depth below it, is a `Secret` from
 * here on. Objects are made by defining members, so that `__proto__` is a member like others.
 */
function valueIn(json: unknown, field: Field, spot: Spot): Value {
  const inSecret = spot.inSecret || field.secret
  if (typeof json === 'string') return inSecret ? liveSecret(json, spot.meet) : json
  if (typeof json === 'object' && json !== null) {
    return partsIn(json, field, { ...spot, inSecret, depth: spot.depth + 1 })
  }
  // What is no text would be sent back as another type: such a secret counts as hidden.
  if (inSecret && json !== null) return new Secret({ $live: true }, undefined)
  return json as null | boolean | number
}

function partsIn(json: object, field: Field, spot: Spot): Value {
  if (spot.depth > DEEPEST) throw unbelievable(`nested more than ${DEEPEST} deep`)
  if (Array.isArray(json)) return json.map(item => valueIn(item, field.item(), spot))
  return Object.fromEntries(
    Object.entries(json).map(([name, inner]) => [name, valueIn(inner, field.member(name), spot)])
  )
}

function liveSecret(value: string, meet: Answer['meet']): Secret {
  const secret = Secret.live(value)
  if (secret.known) meet(value)
  return secret
}

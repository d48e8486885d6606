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
export function readRecord({ json, askedAt }: Answer, site: Site, wlanId: string): LiveWlan {
  const wlan = liveWlan(json, site, askedAt)
  if (!sameId(wlan.id, wlanId)) throw unbelievable('another WLAN than the one asked for')
  return wlan
}

/** Reads the answer to `list WLANs`: one page of them. */
export function readRecords({ json, askedAt }: Answer, site: Site): LiveWlan[] {
  if (!Array.isArray(json)) throw unbelievable('no list')
  return json.map(record => liveWlan(record, site, askedAt))
}

/** Any object will do as the answer to `update WLAN`: what became of it, a read tells. */
export function readUpdated({ json }: Answer): void {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw unbelievable('no object')
  }
}

function liveWlan(json: unknown, site: Site, readAt: number): LiveWlan {
  const record = wlanValue(json)
  if (!isObject(record)) throw unbelievable('a WLAN that is no object')
  const id = member(record, 'id')
  if (!isUuid(id)) throw unbelievable('a WLAN whose id is no UUID')
  checkSite(record, site)
  const ssid = member(record, 'ssid')
  return { id, ssid: typeof ssid === 'string' ? ssid : '', record, readAt }
}

/** A record without a site is believed. */
function checkSite(record: ValueObject, site: Site): void {
  const siteId = member(record, 'site_id') ?? null
  if (siteId === null) return
  if (typeof siteId === 'string' && sameId(siteId, site.id)) return
  throw unbelievable('a WLAN of another site')
}

/** The JSON of a WLAN, or of a part of it, as a value tree in which no secret can be shown. */
export function wlanValue(json: unknown): Value {
  return valueIn(json, wlanField, false, 0)
}

/**
 * JSON as a value tree: a string in a secret field, at whatever depth below it, is a `Secret` from
 * here on. Objects are made by defining members, so that `__proto__` is a member like others.
 */
function valueIn(json: unknown, field: Field, inSecret: boolean, depth: number): Value {
  if (depth > DEEPEST) throw unbelievable(`nested more than ${DEEPEST} deep`)
  const secret = inSecret || field.secret
  if (typeof json === 'string') return secret ? Secret.live(json) : json
  if (Array.isArray(json)) return json.map(item => valueIn(item, field.item(), secret, depth + 1))
  if (typeof json === 'object' && json !== null) {
    return Object.fromEntries(
      Object.entries(json).map(([name, inner]) => [
        name,
        valueIn(inner, field.member(name), secret, depth + 1)
      ])
    )
  }
  // What is no text would be sent back as another type: such a secret counts as hidden.
  if (secret && json !== null) return new Secret({ $live: true }, undefined)
  return json as null | boolean | number
}

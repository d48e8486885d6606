import { Secret } from '../core/values/secret.ts'
import { isUuid } from '../core/values/uuid.ts'
import { isList, isObject, type Value, type ValueObject } from '../core/values/value.ts'

interface Page {
  /** The number of the page, from 1. */
  readonly number: number
  readonly limit: number
}

/**
 * All calls of the service's API. There are no calls that create or delete a WLAN, and no type could express
 * one.
 *
 * | operation      | request                                       |
 * |----------------|-----------------------------------------------|
 * | `create token` | `POST /api/v1/self/apitokens`                 |
 * | `list tokens`  | `GET /api/v1/self/apitokens`                  |
 * | `list sites`   | `GET /api/v1/orgs/<org>/sites[?page&limit]`   |
 * | `list WLANs`   | `GET /api/v1/sites/<site>/wlans[?page&limit]` |
 * | `read WLAN`    | `GET /api/v1/sites/<site>/wlans/<wlan>`       |
 * | `update WLAN`  | `PUT /api/v1/sites/<site>/wlans/<wlan>`       |
 */
export type ApiOperation =
  | { readonly name: 'create token'; readonly body: EncodedBody }
  | { readonly name: 'list tokens' }
  | { readonly name: 'list sites'; readonly orgId: string; readonly page?: Page }
  | { readonly name: 'list WLANs'; readonly siteId: string; readonly page?: Page }
  | { readonly name: 'read WLAN'; readonly siteId: string; readonly wlanId: string }
  | {
      readonly name: 'update WLAN'
      readonly siteId: string
      readonly wlanId: string
      readonly body: EncodedBody
    }

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  /** Relative to the base address, with its query. */
  readonly path: string
  readonly body?: EncodedBody
}

const TOKENS_PATH = '/api/v1/self/apitokens'

/** The only function that makes paths. Throws for an id that is not a UUID; ids are validated on input. */
export function requestOf(operation: ApiOperation): HttpRequest {
  switch (operation.name) {
    case 'create token':
      return { method: 'POST', path: TOKENS_PATH, body: operation.body }
    case 'list tokens':
      return { method: 'GET', path: TOKENS_PATH }
    case 'list sites': {
      const path = `/api/v1/orgs/${checkedId(operation.orgId)}/sites`
      return { method: 'GET', path: path + query(operation.page) }
    }
    case 'list WLANs':
      return { method: 'GET', path: wlansPath(operation.siteId) + query(operation.page) }
    case 'read WLAN':
      return { method: 'GET', path: wlanPath(operation) }
    case 'update WLAN':
      return { method: 'PUT', path: wlanPath(operation), body: operation.body }
  }
}

function wlansPath(siteId: string): string {
  return `/api/v1/sites/${checkedId(siteId)}/wlans`
}

function wlanPath({ siteId, wlanId }: { siteId: string; wlanId: string }): string {
  return `${wlansPath(siteId)}/${checkedId(wlanId)}`
}

function query(page: Page | undefined): string {
  return page === undefined ? '' : `?page=${page.number}&limit=${page.limit}`
}

function checkedId(id: string): string {
  if (!isUuid(id)) throw new Error('an id in a path must be a UUID')
  return id
}

/** The encoded body of a request. It contains plaintext secrets: never show it. */
export interface EncodedBody {
  readonly text: string
  readonly secrets: readonly string[]
}

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

/**
 * The only function that reveals secrets. Throws, before anything is sent, for an unknown secret
 * and for a number that JSON cannot represent exactly; the planner rejects both.
 */
export function encodeBody(body: ValueObject): EncodedBody {
  const secrets: string[] = []
  const text = JSON.stringify(reveal(body, secrets))
  return { text, secrets }
}

function reveal(value: Value, secrets: string[]): Json {
  if (value instanceof Secret) {
    const revealed = value.reveal()
    secrets.push(revealed)
    return revealed
  }
  if (isList(value)) return value.map(item => reveal(item, secrets))
  if (isObject(value)) {
    // `fromEntries` defines each member, so `__proto__` is an ordinary member.
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, reveal(inner, secrets)])
    )
  }
  if (typeof value === 'number' && !isExact(value)) {
    throw new Error('a number that JSON does not carry exactly must not be sent')
  }
  return value
}

function isExact(number: number): boolean {
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number))
}

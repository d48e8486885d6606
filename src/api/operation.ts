import { isUuid } from '../model/names.ts'
import type { Attempts } from './attempts.ts'
import type { EncodedBody } from './body.ts'

/** Which part of a long list is asked for; the first part is asked for without saying so. */
interface Page {
  /** From 1. */
  readonly number: number
  readonly limit: number
}

/**
 * Everything that can be asked of the service. There is no create and no delete of a WLAN, and no
 * way to say one.
 *
 * | operation      | request                                       |
 * |----------------|-----------------------------------------------|
 * | `create token` | `POST /api/v1/self/apitokens`                 |
 * | `list tokens`  | `GET /api/v1/self/apitokens`                  |
 * | `list WLANs`   | `GET /api/v1/sites/<site>/wlans[?page&limit]` |
 * | `read WLAN`    | `GET /api/v1/sites/<site>/wlans/<wlan>`       |
 * | `update WLAN`  | `PUT /api/v1/sites/<site>/wlans/<wlan>`       |
 */
export type ApiOperation =
  | { readonly name: 'create token'; readonly body: EncodedBody }
  | { readonly name: 'list tokens' }
  | { readonly name: 'list WLANs'; readonly siteId: string; readonly page?: Page }
  | { readonly name: 'read WLAN'; readonly siteId: string; readonly wlanId: string }
  | {
      readonly name: 'update WLAN'
      readonly siteId: string
      readonly wlanId: string
      readonly body: EncodedBody
      /** Asked when its turn has come: what is old by then is not sent. */
      readonly isFresh?: () => boolean
      /** Those of the change that it is made for; its own where absent. */
      readonly attempts?: Attempts
    }

/** True of what finishes something under way: it is asked also after an interrupt. */
export function isFinishing({ name }: ApiOperation): boolean {
  return name === 'read WLAN'
}

/** An operation as HTTP. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  /** Below the base address, with its query. */
  readonly path: string
  readonly body?: EncodedBody
}

const TOKENS = '/api/v1/self/apitokens'

/** The one place where paths are made. Throws on an id that is none: ids are checked where they enter. */
export function requestOf(operation: ApiOperation): HttpRequest {
  switch (operation.name) {
    case 'create token':
      return { method: 'POST', path: TOKENS, body: operation.body }
    case 'list tokens':
      return { method: 'GET', path: TOKENS }
    case 'list WLANs':
      return { method: 'GET', path: wlansPath(operation.siteId) + query(operation.page) }
    case 'read WLAN':
      return { method: 'GET', path: wlanPath(operation) }
    case 'update WLAN':
      return { method: 'PUT', path: wlanPath(operation), body: operation.body }
  }
}

function wlansPath(siteId: string): string {
  return `/api/v1/sites/${checked(siteId)}/wlans`
}

function wlanPath({ siteId, wlanId }: { siteId: string; wlanId: string }): string {
  return `${wlansPath(siteId)}/${checked(wlanId)}`
}

function query(page: Page | undefined): string {
  return page === undefined ? '' : `?page=${page.number}&limit=${page.limit}`
}

function checked(id: string): string {
  if (!isUuid(id)) throw new Error('an id that is no UUID must not enter a path')
  return id
}

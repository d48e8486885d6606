import { Secret } from '../core/values/secret.ts'
import { invalidContent } from './http/error.ts'
import type { ApiResponse } from './http/response.ts'

/** A token as the service describes it; every member is optional, because the API does not specify them. */
export interface TokenSummary {
  readonly id?: string
  readonly name?: string
  /** Shortened, as in `1qkb...QQCL`. */
  readonly key?: string
  /** In the notation of the service: seconds since 1970, or a string. */
  readonly createdTime?: number | string
  readonly lastUsed?: number | string
}

export interface TokenRecord extends Omit<TokenSummary, 'key'> {
  /** The key, which the service shows only once. */
  readonly key: Secret
}

/** Parses the response to `create token`: a record, or a list with one. */
export function readCreated({ json }: ApiResponse): TokenRecord {
  const record = Array.isArray(json) && json.length === 1 ? json[0] : json
  const key = text(record, 'key')
  if (key === undefined || !/^[\x21-\x7e]+$/.test(key))
    throw invalidContent('expected the key of the token')
  const secret = Secret.live(key)
  if (!secret.known) throw invalidContent('expected the key of the token, got a hidden one')
  return { ...commonOf(record), key: secret }
}

export function readTokens({ json }: ApiResponse): TokenSummary[] {
  if (!Array.isArray(json)) throw invalidContent('expected a JSON array')
  return json.map(record => {
    const key = text(record, 'key')
    return { ...commonOf(record), ...(key === undefined ? {} : { key: shortened(key) }) }
  })
}

/** Shortens a complete key to its ends; a key that the service has shortened stays unchanged. */
function shortened(key: string): string {
  if (/^[^.*…]{0,6}(?:\.{3}|…|\*+)[^.*…]{0,6}$/.test(key)) return key
  return key.length < 20 ? '...' : `${key.slice(0, 4)}...${key.slice(-4)}`
}

function commonOf(record: unknown): Omit<TokenSummary, 'key'> {
  if (typeof record !== 'object' || record === null)
    throw invalidContent('expected each token to be an object')
  const members = {
    id: text(record, 'id'),
    name: text(record, 'name'),
    createdTime: time(record, 'created_time'),
    lastUsed: time(record, 'last_used')
  }
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}

function text(record: unknown, name: string): string | undefined {
  const value = own(record, name)
  return typeof value === 'string' ? value : undefined
}

function time(record: unknown, name: string): number | string | undefined {
  const value = own(record, name)
  return typeof value === 'number' || typeof value === 'string' ? value : undefined
}

function own(record: unknown, name: string): unknown {
  if (typeof record !== 'object' || record === null || !Object.hasOwn(record, name))
    return undefined
  return Reflect.get(record, name)
}

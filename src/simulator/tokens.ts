import { member } from '../core/values/value.ts'
import { type Random, randomText, randomUuid } from './fleet/random.ts'
import {
  errorResponse,
  okResponse,
  parseBody,
  type SimulatedRequest,
  type SimulatedResponse
} from './http.ts'
import type { JsonObject } from './json.ts'
import type { Now } from './rate-limiter.ts'
import type { Switches } from './switches.ts'

/** The 401 for a request without `Authorization: Token <a known token>`; undefined for an authorized one. */
export function checkAuthorization(
  { headers }: SimulatedRequest,
  tokens: TokenStore
): SimulatedResponse | undefined {
  const header = headers.authorization
  if (header === undefined) {
    return errorResponse(401, 'Authentication credentials were not provided.')
  }
  const [, key] = /^Token (\S+)$/.exec(header) ?? []
  return key !== undefined && tokens.authenticate(key)
    ? undefined
    : errorResponse(401, 'Invalid token.')
}

interface Token {
  readonly id: string
  readonly name: string
  readonly key: string
  readonly created: number
  used: number | null
}

export class TokenStore {
  readonly #tokens = new Map<string, Token>()
  readonly #random: Random
  readonly #clock: Now

  constructor(keys: readonly string[], random: Random, clock: Now) {
    this.#random = random
    this.#clock = clock
    for (const key of keys) this.#add('simulator', key)
  }

  /** True for a known key; updates its last use. */
  authenticate(key: string): boolean {
    const token = this.#tokens.get(key)
    if (token !== undefined) token.used = this.#seconds()
    return token !== undefined
  }

  /** Creates a valid token. Only this response contains the whole key. */
  create(name: string): JsonObject {
    return tokenRecord(this.#add(name, randomText(this.#random, 96)), key => key)
  }

  /** All tokens, oldest first, with shortened keys (`1qkb...QQCL`). */
  list(): readonly JsonObject[] {
    return [...this.#tokens.values()].map(token => tokenRecord(token, shortenedKey))
  }

  #add(name: string, key: string): Token {
    const token = { id: randomUuid(this.#random), name, key, created: this.#seconds(), used: null }
    this.#tokens.set(key, token)
    return token
  }

  #seconds(): number {
    return Math.floor(this.#clock() / 1000)
  }
}

/** `POST /self/apitokens`: creates a token; the body is optional and may contain its `name`. */
export function postToken(
  tokens: TokenStore,
  request: SimulatedRequest,
  switches: Switches
): SimulatedResponse {
  const sent = request.body === '' ? { body: {} } : parseBody(request)
  if ('refused' in sent) return sent.refused
  const name = member(sent.body, 'name')
  const created = tokens.create(typeof name === 'string' ? name : '')
  return okResponse(switches.tokenAsList ? [created] : created)
}

function tokenRecord(token: Token, key: (key: string) => string): JsonObject {
  return {
    id: token.id,
    name: token.name,
    key: key(token.key),
    created_by: 'admin@example.com',
    created_time: token.created,
    last_used: token.used
  }
}

function shortenedKey(key: string): string {
  return `${key.slice(0, 4)}...${key.slice(-4)}`
}

import { type Random, randomText, randomUuid } from './fleet/random.ts'
import {
  errorResponse,
  okResponse,
  parseBody,
  type Route,
  type SimulatedRequest,
  type SimulatedResponse
} from './http.ts'
import { type JsonObject, jsonMember } from './json.ts'
import type { Now } from './rate-limiter.ts'
import type { Switches } from './switches.ts'

/** A login session, which a browser sends instead of a token. */
export interface SimulatedSession {
  /** As in a `Cookie` header, e.g. `sessionid=abc`. */
  readonly cookie: string
  /** As in the `X-CSRFToken` header. */
  readonly csrfToken: string
}

/**
 * The 401 or 403 for an unauthorized request; undefined for an authorized one.
 *
 * | credentials                                    | response                       |
 * |------------------------------------------------|--------------------------------|
 * | `Authorization: Token <a known token>`         | none: authorized               |
 * | the session's cookie and CSRF token            | none, for `/self/apitokens`    |
 * | the session's cookie with another CSRF token   | 403, for creating a token      |
 * | anything else                                  | 401                            |
 */
export function checkAuthorization(
  request: SimulatedRequest,
  route: Route,
  tokens: TokenStore,
  session: SimulatedSession | undefined
): SimulatedResponse | undefined {
  const header = request.headers.authorization
  if (header !== undefined) {
    const [, key] = /^Token (\S+)$/.exec(header) ?? []
    return key !== undefined && tokens.authenticate(key)
      ? undefined
      : errorResponse(401, 'Invalid token.')
  }
  if (session !== undefined && route.kind === 'tokens' && hasCookie(request, session)) {
    return request.method === 'POST' ? checkCsrfToken(request, session) : undefined
  }
  return errorResponse(401, 'Authentication credentials were not provided.')
}

function hasCookie(request: SimulatedRequest, session: SimulatedSession): boolean {
  const sent = cookies(request.headers.cookie ?? '')
  const login = cookies(session.cookie).filter(cookie => !cookie.startsWith('csrftoken'))
  return login.every(cookie => sent.includes(cookie))
}

function cookies(header: string): string[] {
  return header.split(';').map(cookie => cookie.trim())
}

function checkCsrfToken(
  request: SimulatedRequest,
  session: SimulatedSession
): SimulatedResponse | undefined {
  if (request.headers['x-csrftoken'] === session.csrfToken) return undefined
  return errorResponse(403, 'CSRF Failed: CSRF token missing or incorrect.')
}

interface Token {
  readonly id: string
  readonly name: string
  readonly key: string
  readonly created: number
  used: number | null
}

/** The API tokens of the simulated account. */
export class TokenStore {
  readonly #tokens = new Map<string, Token>()
  readonly #random: Random
  readonly #clock: Now

  constructor(keys: readonly string[], random: Random, clock: Now) {
    this.#random = random
    this.#clock = clock
    for (const key of keys) this.#add('simulator', key)
  }

  /** True for a known key, whose last use is updated. */
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
  const name = jsonMember(sent.body, 'name')
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

import { letters, type Random, uuid } from '../fleet/random.ts'
import { type Answer, ok } from '../http/answers.ts'
import { bodyOf, type Call } from '../http/call.ts'
import { type JsonObject, memberOf } from '../json.ts'

import type { Switches } from '../switches.ts'

/** Tells the time in milliseconds since 1970. */
export type Clock = () => number

interface Token {
  readonly id: string
  readonly name: string
  readonly key: string
  readonly created: number
  used: number | null
}

/** The API tokens of the simulated account. */
export class Tokens {
  readonly #tokens = new Map<string, Token>()
  readonly #random: Random
  readonly #clock: Clock

  constructor(keys: readonly string[], random: Random, clock: Clock) {
    this.#random = random
    this.#clock = clock
    for (const key of keys) this.#add('simulator', key)
  }

  /** True for a key that is known; notes that it was used. */
  use(key: string): boolean {
    const token = this.#tokens.get(key)
    if (token !== undefined) token.used = this.#seconds()
    return token !== undefined
  }

  /** Makes a token that is valid at once. The answer is the only one that shows its key whole. */
  create(name: string): JsonObject {
    return show(this.#add(name, letters(this.#random, 96)), key => key)
  }

  /** All tokens, oldest first, their keys shortened (`1qkb...QQCL`). */
  list(): readonly JsonObject[] {
    return [...this.#tokens.values()].map(token => show(token, shortened))
  }

  #add(name: string, key: string): Token {
    const token = { id: uuid(this.#random), name, key, created: this.#seconds(), used: null }
    this.#tokens.set(key, token)
    return token
  }

  #seconds(): number {
    return Math.floor(this.#clock() / 1000)
  }
}

/** `POST /self/apitokens`: makes a token; the body may be missing, or hold its `name`. */
export function createToken(tokens: Tokens, call: Call, switches: Switches): Answer {
  const sent = call.text === '' ? { body: {} } : bodyOf(call)
  if ('refused' in sent) return sent.refused
  const name = memberOf(sent.body, 'name')
  const created = tokens.create(typeof name === 'string' ? name : '')
  return ok(switches.tokenAsList ? [created] : created)
}

function show(token: Token, key: (key: string) => string): JsonObject {
  return {
    id: token.id,
    name: token.name,
    key: key(token.key),
    created_by: 'admin@example.com',
    created_time: token.created,
    last_used: token.used
  }
}

function shortened(key: string): string {
  return `${key.slice(0, 4)}...${key.slice(-4)}`
}

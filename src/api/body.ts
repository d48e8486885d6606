import { Secret } from '../model/secret.ts'
import { isList, isObject, type Value, type ValueObject } from '../model/value.ts'

/** The body of a request, ready to be sent; with secrets in it, so it must not be shown. */
export interface EncodedBody {
  /** JSON. */
  readonly text: string
  /** The secrets in it, so that an error that repeats one can be cleaned of it. */
  readonly secrets: readonly string[]
}

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

/**
 * Makes the body of a request: the one place where secrets are revealed. Throws, before anything
 * is sent, on a secret that is not known and on a number that JSON would not carry exactly; the
 * planner lets neither through.
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
    // `fromEntries` defines each member, so that one named `__proto__` is a member like others.
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, reveal(inner, secrets)])
    )
  }
  if (typeof value === 'number' && !isExact(value)) {
    throw new Error('a number that cannot be kept exactly must not be sent')
  }
  return value
}

function isExact(number: number): boolean {
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number))
}

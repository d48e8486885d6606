import type { IncomingHttpHeaders } from 'node:http'
import { isJsonObject, type JsonObject, parsed } from '../json.ts'
import { type Answer, refusal } from './answers.ts'

/** A request as it came in, its body read to the end. */
export interface Call {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly query: URLSearchParams
  /** Path and query, as sent. */
  readonly target: string
  readonly headers: IncomingHttpHeaders
  /** The body's text; empty where there was none. */
  readonly text: string
}

/** The JSON object in a call's body, or the 400 that the service answers instead. */
export function bodyOf(call: Call): { readonly body: JsonObject } | { readonly refused: Answer } {
  const body = parsed(call.text)
  if (body === undefined) return { refused: refusal(400, 'JSON parse error') }
  if (!isJsonObject(body)) return { refused: refusal(400, 'Expected a JSON object.') }
  return { body }
}

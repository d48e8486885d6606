import type { IncomingHttpHeaders } from 'node:http'
import { type Json, parsed } from '../json.ts'
import type { Clock } from '../service/tokens.ts'
import type { Call } from './call.ts'

/** A request that came in. It holds secrets, the token among them: not for any output. */
export interface LoggedRequest {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The body as JSON, or its text where it is none; absent where there was no body. */
  readonly body?: Json
  /** What was answered; absent as long as nothing was, and where nothing ever is. */
  readonly status?: number
}

/** The requests of a run, in the order they came in. */
export class RequestLog {
  readonly requests: LoggedRequest[] = []
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Notes a request; the caller adds the status to the entry it gets. */
  arrived(call: Call): { status?: number } {
    const { method, target: path, headers, text } = call
    const body = text === '' ? {} : { body: parsed(text) ?? text }
    const entry: LoggedRequest = { at: this.#clock(), method, path, headers, ...body }
    this.requests.push(entry)
    return entry
  }
}

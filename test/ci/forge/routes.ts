import type { User } from './state.ts'

/** A request to the interface of a forge. */
export interface Call {
  /** The groups of the route. */
  readonly ids: readonly string[]
  readonly query: URLSearchParams
  readonly body: Readonly<Record<string, unknown>>
  readonly user: User
  /** The address of this server. */
  readonly url: string
}

/** Method and path, with a group for each id; the answer is JSON, a list of which one page is sent, or a `Reply`. */
export type Routes = Readonly<Record<string, (call: Call) => unknown>>

/** An answer with another status than 200 or with headers. */
export class Reply {
  readonly status: number
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, body: unknown = undefined, headers = {}) {
    this.status = status
    this.body = body
    this.headers = headers
  }
}

/** The thing, or the answer 404. */
export function need<Thing>(found: Thing | undefined): Thing {
  if (found === undefined) throw new Reply(404, { message: 'Not Found' })
  return found
}

/** The members of an object with a list, of which one page is sent. */
export interface Paged {
  readonly paged: string
  readonly items: readonly unknown[]
}

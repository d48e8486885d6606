import type { Tokens } from '../service/tokens.ts'
import { type Answer, refusal } from './answers.ts'
import type { Call } from './call.ts'
import type { Resource } from './routes.ts'

/** A login session: what a browser sends instead of a token. */
export interface Session {
  /** As in a `Cookie` header, e.g. `sessionid=abc`. */
  readonly cookie: string
  /** As in the `X-CSRFToken` header. */
  readonly csrfToken: string
}

/**
 * Refuses a call that shows no right to be answered; undefined for one that does.
 *
 * | shown                                         | answer                        |
 * |-----------------------------------------------|-------------------------------|
 * | `Authorization: Token <a token we know>`      | none: go on                   |
 * | the session's cookie and CSRF token           | none, for tokens              |
 * | the session's cookie with another CSRF token  | 403, for creating a token     |
 * | anything else                                 | 401                           |
 */
export function authorise(
  call: Call,
  resource: Resource,
  tokens: Tokens,
  session: Session | undefined
): Answer | undefined {
  const shown = call.headers.authorization
  if (shown !== undefined) {
    const [, key] = /^Token (\S+)$/.exec(shown) ?? []
    return key !== undefined && tokens.use(key) ? undefined : refusal(401, 'Invalid token.')
  }
  if (session !== undefined && resource.kind === 'tokens' && hasCookie(call, session)) {
    return call.method === 'POST' ? csrfRefusal(call, session) : undefined
  }
  return refusal(401, 'Authentication credentials were not provided.')
}

function hasCookie(call: Call, session: Session): boolean {
  const sent = cookies(call.headers.cookie ?? '')
  const login = cookies(session.cookie).filter(cookie => !cookie.startsWith('csrftoken'))
  return login.every(cookie => sent.includes(cookie))
}

function cookies(header: string): string[] {
  return header.split(';').map(cookie => cookie.trim())
}

function csrfRefusal(call: Call, session: Session): Answer | undefined {
  if (call.headers['x-csrftoken'] === session.csrfToken) return undefined
  return refusal(403, 'CSRF Failed: CSRF token missing or incorrect.')
}

import { exit, Failure } from '../model/failure.ts'

/** As whom the service is asked. */
export type Credentials = { readonly token: string } | Session

/** The login of a browser: what somebody has who has no API token yet. */
export interface Session {
  /** The value of the `Cookie` header. */
  readonly cookie: string
  /** What one of the cookies says, sent once more in the `X-CSRFToken` header. */
  readonly csrfToken: string
}

/** Cookies of a web page may be as short as `de`, which is in every other sentence. */
const SHORTEST_SECRET = 8

/**
 * The API token without the newline that ends a file. Throws a `Failure` that does not show it if
 * it is anything but printable ASCII without blanks: such a token cannot be a header.
 */
export function checkToken(text: string): string {
  const token = withoutNewline(text)
  if (token === '') throw wrong('the API token is empty')
  if (/^[\x21-\x7e]+$/.test(token)) return token
  throw wrong(
    'the API token holds a blank, a line break or a character that is not ASCII',
    'copy it again; a token file holds the token and nothing else'
  )
}

/**
 * The session behind the `Cookie` header of a browser, with or without the header's name. Throws a
 * `Failure` that does not show it if it cannot be a header, or holds no cookie `csrftoken…`.
 */
export function checkSession(text: string): Session {
  const cookie = withoutNewline(text).replace(/^cookie: */i, '')
  if (cookie === '') throw wrong('the session cookie is empty', COPY)
  if (!/^[\x20-\x7e]+$/.test(cookie)) {
    throw wrong('the session cookie holds a line break or a character that is not ASCII', COPY)
  }
  const named = cookiesIn(cookie).filter(({ name }) => name.startsWith('csrftoken'))
  const [csrfToken, ...others] = new Set(named.map(({ value }) => value))
  if (!csrfToken) throw wrong('there is no cookie `csrftoken…` beside the session cookie', COPY)
  if (others.length === 0) return { cookie, csrfToken }
  throw wrong(
    'there are several cookies `csrftoken…`',
    'leave only that of the service in the file'
  )
}

/** The headers that say who asks. */
export function headersOf(credentials: Credentials): Record<string, string> {
  if ('token' in credentials) return { authorization: `Token ${checkToken(credentials.token)}` }
  return { cookie: credentials.cookie, 'x-csrftoken': credentials.csrfToken }
}

/** All that is secret in them, and that the service might repeat. */
export function secretsIn(credentials: Credentials): string[] {
  if ('token' in credentials) return [credentials.token]
  const { cookie, csrfToken } = credentials
  const values = cookiesIn(cookie).map(({ value }) => value)
  return [cookie, csrfToken, ...values.filter(({ length }) => length >= SHORTEST_SECRET)]
}

/** What to do about a session that is refused; undefined for a token, about which the answer says it. */
export function refusalHint(credentials: Credentials, status: number): string | undefined {
  if ('token' in credentials) return undefined
  if (status === 401) return 'the session may have ended: log in again, and copy the cookie again'
  if (status !== 403) return undefined
  return 'the session has no right to this, or the `csrftoken…` cookie is not of the same login'
}

const COPY = 'copy the whole `Cookie` header of a request that the browser makes, logged in'

function cookiesIn(header: string): { readonly name: string; readonly value: string }[] {
  return header.split(';').map(part => {
    const [name = '', ...value] = part.trim().split('=')
    return { name, value: value.join('=') }
  })
}

function withoutNewline(text: string): string {
  return text.replace(/\r?\n$/, '')
}

function wrong(problem: string, hint?: string): Failure {
  return new Failure(exit.wrongInput, problem, hint)
}

import { exit, Failure } from '../model/failure.ts'

/** As whom the service is asked. */
export type Credentials = Tokens | SessionCookie

/** API tokens of the same rights, each with a budget of calls of its own; at least one, no two alike. */
interface Tokens {
  readonly tokens: readonly string[]
}

/** The login of a browser: what somebody has who has no API token yet. */
export interface SessionCookie {
  /** The value of the `Cookie` header. */
  readonly cookie: string
  /** What one of the cookies says, sent once more in the `X-CSRFToken` header. */
  readonly csrfToken: string
}

/** Cookies of a web page may be as short as `de`, which is in every other sentence. */
const SHORTEST_SECRET = 8

/**
 * The API tokens in a text, separated by commas, without the newline that ends a file. Throws a `Failure`
 * that shows none, but where they are `from`, if one is anything but printable ASCII without blanks: such a
 * token cannot be a header.
 */
export function checkTokens(text: string, from?: string): readonly string[] {
  const parts = withoutNewline(text).split(',')
  for (const [at, token] of parts.entries()) {
    const name = parts.length === 1 ? 'the API token' : `API token ${at + 1} of ${parts.length}`
    const where = from === undefined ? '' : ` (${from})`
    if (token === '') throw wrong(`${name} is empty${where}`)
    if (/^[\x21-\x7e]+$/.test(token)) continue
    throw wrong(
      `${name} holds a blank, a line break or a character that is not ASCII${where}`,
      'copy it again; a token file holds the token and nothing else, several are separated by commas alone'
    )
  }
  return [...new Set(parts)]
}

/**
 * The session behind the `Cookie` header of a browser, with or without the header's name. Throws a
 * `Failure` that does not show it if it cannot be a header, or holds no cookie `csrftoken…`.
 */
export function checkSession(text: string): SessionCookie {
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

/** The headers that say who asks: for each token, or for the session. */
export function headersOf(credentials: Credentials): Record<string, string>[] {
  if ('tokens' in credentials) {
    const tokens = checkTokens(credentials.tokens.join(','))
    return tokens.map(token => ({ authorization: `Token ${token}` }))
  }
  return [{ cookie: credentials.cookie, 'x-csrftoken': credentials.csrfToken }]
}

/** All that is secret in them, and that the service might repeat. */
export function secretsOfCredentials(credentials: Credentials): string[] {
  if ('tokens' in credentials) return [...credentials.tokens]
  const { cookie, csrfToken } = credentials
  const values = cookiesIn(cookie).map(({ value }) => value)
  return [cookie, csrfToken, ...values.filter(({ length }) => length >= SHORTEST_SECRET)]
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

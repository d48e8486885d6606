import { exit, Failure } from '../model/failure.ts'

/** The credentials that authenticate requests. */
export type Credentials = Tokens | SessionCookie

/** API tokens with the same permissions, each with its own rate limit; at least one, without duplicates. */
interface Tokens {
  readonly tokens: readonly string[]
}

/** The session of a browser, for creating a first API token. */
export interface SessionCookie {
  /** The value of the `Cookie` header. */
  readonly cookie: string
  /** The value of the `csrftoken…` cookie, for the `X-CSRFToken` header. */
  readonly csrfToken: string
}

/** Shorter cookies, such as `de` for a language, occur in ordinary text. */
const MIN_SECRET_LENGTH = 8

/**
 * The API tokens in a comma-separated text, which may end with a newline. Throws a `Failure` that shows their
 * source (`from`) but no token if one contains anything but printable ASCII without spaces: such a token
 * cannot be a header.
 */
export function checkTokens(text: string, from?: string): readonly string[] {
  const parts = withoutNewline(text).split(',')
  for (const [at, token] of parts.entries()) {
    const name = parts.length === 1 ? 'the API token' : `API token ${at + 1} of ${parts.length}`
    const where = from === undefined ? '' : ` (${from})`
    if (token === '') throw wrong(`${name} is empty${where}`)
    if (/^[\x21-\x7e]+$/.test(token)) continue
    throw wrong(
      `${name} contains a space, a line break or a character that is not ASCII${where}`,
      'copy it again; a token file contains only the token, or several separated by commas'
    )
  }
  return [...new Set(parts)]
}

/**
 * The session in the `Cookie` header of a browser, with or without the header's name. Throws a `Failure` that
 * does not show it if it cannot be a header, or lacks a cookie `csrftoken…`.
 */
export function checkSession(text: string): SessionCookie {
  const cookie = withoutNewline(text).replace(/^cookie: */i, '')
  if (cookie === '') throw wrong('the session cookie is empty', COPY)
  if (!/^[\x20-\x7e]+$/.test(cookie)) {
    throw wrong('the session cookie contains a line break or a character that is not ASCII', COPY)
  }
  const named = cookiesIn(cookie).filter(({ name }) => name.startsWith('csrftoken'))
  const [csrfToken, ...others] = new Set(named.map(({ value }) => value))
  if (!csrfToken) throw wrong('the session cookie has no cookie `csrftoken…`', COPY)
  if (others.length === 0) return { cookie, csrfToken }
  throw wrong(
    'the session cookie has several cookies `csrftoken…`',
    'keep only the one of the service'
  )
}

/** The headers that authenticate a request: one set for each token, or for the session. */
export function headersOf(credentials: Credentials): Record<string, string>[] {
  if ('tokens' in credentials) {
    const tokens = checkTokens(credentials.tokens.join(','))
    return tokens.map(token => ({ authorization: `Token ${token}` }))
  }
  return [{ cookie: credentials.cookie, 'x-csrftoken': credentials.csrfToken }]
}

/** The secrets in the credentials, which an error of the service might repeat. */
export function secretsOfCredentials(credentials: Credentials): string[] {
  if ('tokens' in credentials) return [...credentials.tokens]
  const { cookie, csrfToken } = credentials
  const values = cookiesIn(cookie).map(({ value }) => value)
  return [cookie, csrfToken, ...values.filter(({ length }) => length >= MIN_SECRET_LENGTH)]
}

const COPY = 'copy the whole `Cookie` header of a request from the browser while logged in'

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

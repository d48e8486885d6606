import { type Failure, wrongInput } from '../../core/model/failure.ts'
import type { Environment } from '../../core/values/environment.ts'
import type { Secret } from '../../core/values/secret.ts'
import type { RetryPolicy } from './retry.ts'

export interface Connection {
  /** In the form of `checkBaseUrl`, without a trailing slash. */
  readonly baseUrl: string
  /** API tokens with the same permissions, each with its own rate limit; at least one, without duplicates. */
  readonly tokens: readonly string[]
  /** The declared secrets of the run, to redact them from errors; an error waits until they are known. */
  readonly secrets?: () => Iterable<Secret> | Promise<Iterable<Secret>>
  readonly parallelism: number
  /** The timeout of a request in seconds, from sending it to the last byte of its response. */
  readonly timeout: number
  readonly userAgent: string
  /** The source of `https_proxy`, `no_proxy` (in either case) and `NODE_TLS_REJECT_UNAUTHORIZED`. */
  readonly env: Environment
  readonly retryPolicy?: RetryPolicy
  readonly signal?: AbortSignal
}

const ADDRESS = /^https?:\/\/(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?(?:\/[\w.~-]+)*\/?$/i

const addressProblems: readonly (readonly [pattern: RegExp, problem: string])[] = [
  [/^$/, 'is empty'],
  [/[^\x21-\x7e]/, 'contains a space or a character that is not ASCII'],
  [/^(?!https?:\/\/)/i, 'does not start with https://'],
  [
    /^https:\/\/manage\./i,
    'is that of the web console; that of the API has "api" in place of "manage"'
  ],
  [/@/, 'contains a user name or a password'],
  [/\?/, 'contains a query'],
  [/#/, 'contains a fragment'],
  [/%|\\|\/\.{1,2}(?:\/|$)|.{8}\/\//, 'contains a path that could be read as another one']
]

/**
 * The address of the service in its canonical form, without a trailing slash; a path prefix is kept. It must
 * use https, except for loopback hosts, because there the token does not leave the machine. Throws a
 * `Failure` that repeats the address only if it is a plain host name, and so contains no password or token.
 */
export function checkBaseUrl(text: string): string {
  const problem = addressProblems.find(([pattern]) => pattern.test(text))?.[1]
  if (problem !== undefined) throw wrongAddress(problem, text)
  if (!ADDRESS.test(text) || !URL.canParse(text)) throw wrongAddress('is not an address', text)
  const url = new URL(text)
  if (url.protocol !== 'https:' && !isLoopback(text)) {
    throw wrongAddress('is not https: plain http is for loopback hosts only', text)
  }
  return url.origin + url.pathname.replace(/\/$/, '')
}

/** Loopback addresses are 127.0.0.0/8, ::1 and `localhost`. The URL must be valid. */
export function isLoopback(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl)
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

/** Throws a `Failure` if the environment turns off the verification of certificates. */
export function checkTls(env: Environment): void {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0') return
  throw wrongInput(
    'NODE_TLS_REJECT_UNAUTHORIZED=0 would send the token to an unverified host',
    'unset it, and set NODE_EXTRA_CA_CERTS to the certificate of a private authority'
  )
}

/** A host name with a port: `api.example.com:8443`. Its last label cannot be the signature of a token. */
const PLAIN_HOST =
  /^(?:https?:\/\/)?(?:localhost|(?:[a-z0-9-]{1,30}\.){1,5}(?:[a-z]{2,12}|\d{1,3}))(?::\d{1,5})?\/?$/i

function wrongAddress(problem: string, text: string): Failure {
  const shown = PLAIN_HOST.test(text) ? `: ${text}` : ''
  return wrongInput(
    `the address of the service (--base-url or WLANCTL_BASE_URL) ${problem}${shown}`,
    'an address looks like https://api.example.com'
  )
}

/** The proxy settings of a connection. All of them are set, because undici reads absent ones from the process. */
interface ProxySettings {
  readonly httpProxy: string
  readonly httpsProxy: string
  readonly noProxy: string
}

/**
 * The proxy settings of the environment, by the rules of curl: the lower-case name takes precedence, and
 * `http_proxy` does not apply to https. A loopback host never uses a proxy, which would send the token off
 * the machine in plaintext. Throws a `Failure` that shows no credentials.
 */
export function proxySettings({
  baseUrl,
  env
}: Pick<Connection, 'baseUrl' | 'env'>): ProxySettings {
  if (isLoopback(baseUrl)) return { httpProxy: '', httpsProxy: '', noProxy: '' }
  return {
    httpProxy: '',
    httpsProxy: proxyIn(env),
    noProxy: env[variableOf(env, 'no_proxy')] ?? ''
  }
}

function variableOf(env: Environment, name: string): string {
  return env[name] === undefined ? name.toUpperCase() : name
}

function proxyIn(env: Environment): string {
  const variable = variableOf(env, 'https_proxy')
  const text = env[variable] ?? ''
  if (text === '') return ''
  const address = text.includes('://') ? text : `http://${text}`
  const problem = proxyProblem(address)
  if (problem === undefined) return address
  throw wrongInput(
    `${variable} ${problem}`,
    'a proxy address looks like http://proxy.example.com:3128'
  )
}

function proxyProblem(address: string): string | undefined {
  const invalid = 'is not the address of an http or https proxy'
  try {
    const { protocol, hostname, username, password, pathname, search, hash } = new URL(address)
    decodeURIComponent(username + password)
    if (!/^https?:$/.test(protocol) || hostname === '') return invalid
    const isBare = pathname === '/' && search === '' && hash === ''
    return isBare ? undefined : 'contains a path, a query or a fragment'
  } catch {
    return invalid
  }
}

/**
 * The API tokens in a comma-separated text, which may end with a newline. Throws a `Failure` that shows their
 * source (`from`) but no token if one contains anything but printable ASCII without spaces: such a token
 * cannot be a header.
 */
export function checkTokens(text: string, from?: string): readonly string[] {
  const parts = text.replace(/\r?\n$/, '').split(',')
  for (const [at, token] of parts.entries()) {
    const name = parts.length === 1 ? 'the API token' : `API token ${at + 1} of ${parts.length}`
    const where = from === undefined ? '' : ` (${from})`
    if (token === '') throw wrongInput(`${name} is empty${where}`)
    if (/^[\x21-\x7e]+$/.test(token)) continue
    throw wrongInput(
      `${name} contains a space, a line break or a character that is not ASCII${where}`,
      'copy it again; a token file contains only the token, or several separated by commas'
    )
  }
  return [...new Set(parts)]
}

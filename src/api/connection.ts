import { exit, Failure } from '../model/failure.ts'
import type { Secret } from '../model/secret.ts'
import type { Credentials } from './credentials.ts'
import type { RetryPolicy } from './retry.ts'

/** The environment variables of a run. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The address of the service, the credentials, and the limits of a run. */
export interface Connection {
  /** In the form of `checkBaseUrl`, without a trailing slash. */
  readonly baseUrl: string
  readonly credentials: Credentials
  /** The declared secrets of the run, to redact them from errors; an error waits until they are known. */
  readonly secrets?: () => Iterable<Secret> | Promise<Iterable<Secret>>
  /** The maximum number of requests in flight, and of open connections. */
  readonly parallelism: number
  /** The timeout of a request in seconds, from sending it to the last byte of its response. */
  readonly timeout: number
  readonly userAgent: string
  /** The source of `https_proxy`, `no_proxy` (in either case) and `NODE_TLS_REJECT_UNAUTHORIZED`. */
  readonly env: Environment
  /** The maximum number of requests, including retries; default: no limit. */
  readonly maxRequests?: number
  /** The retry policy; default: every request is sent once. */
  readonly retryPolicy?: RetryPolicy
  /** Aborts all requests of the run. */
  readonly signal?: AbortSignal
}

const ADDRESS = /^https?:\/\/(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?(?:\/[\w.~-]+)*\/?$/i

/** The problems of an invalid address; the first match is reported. */
const addressProblems: readonly (readonly [pattern: RegExp, problem: string])[] = [
  [/^$/, 'is empty'],
  [/[^\x21-\x7e]/, 'contains a space or a character that is not ASCII'],
  [/^(?!https?:\/\/)/i, 'does not start with https://'],
  [/@/, 'contains a user name or a password'],
  [/\?/, 'contains a query'],
  [/#/, 'contains a fragment'],
  [/%|\\|\/\.{1,2}(?:\/|$)|.{8}\/\//, 'contains a path that could be read as another one']
]

/**
 * The address of the service in its canonical form, without a trailing slash; a path prefix is kept. It must
 * use https, except for loopback hosts, because there the token does not leave the machine. Throws a
 * `Failure` that does not repeat the address, which may contain a password.
 */
export function checkBaseUrl(text: string): string {
  const problem = addressProblems.find(([pattern]) => pattern.test(text))?.[1]
  if (problem !== undefined) throw wrongAddress(problem)
  if (!ADDRESS.test(text) || !URL.canParse(text)) throw wrongAddress('is not an address')
  const url = new URL(text)
  if (url.protocol !== 'https:' && !isLoopback(text)) {
    throw wrongAddress('is not https: plain http is for loopback hosts only')
  }
  return url.origin + url.pathname.replace(/\/$/, '')
}

/** True if the address is a loopback address: 127.0.0.0/8, ::1 or `localhost`. */
export function isLoopback(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl)
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

/** Throws a `Failure` if the environment turns off the verification of certificates. */
export function checkTls(env: Environment): void {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0') return
  throw new Failure(
    exit.wrongInput,
    'NODE_TLS_REJECT_UNAUTHORIZED=0 would send the token to an unverified host',
    'unset it, and set NODE_EXTRA_CA_CERTS to the certificate of a private authority'
  )
}

function wrongAddress(problem: string): Failure {
  return new Failure(
    exit.wrongInput,
    `the address of the service ${problem}`,
    'an address looks like https://api.example.com'
  )
}

/**
 * The proxy settings of a connection. All of them are set, because undici reads absent ones from the process.
 */
export interface ProxySettings {
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

/** The name of the variable that is set: the lower-case name, otherwise the upper-case one. */
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
  throw new Failure(
    exit.wrongInput,
    `${variable} ${problem}`,
    'a proxy address looks like http://proxy.example.com:3128'
  )
}

/** The problem of a proxy address, which is not repeated because it may contain a password. */
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

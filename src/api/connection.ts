import { exit, Failure } from '../model/failure.ts'
import type { Secret } from '../model/secret.ts'
import type { Credentials } from './credentials.ts'
import type { RetryPolicy } from './retry.ts'

/** The environment variables of a run. */
export type Environment = Readonly<Record<string, string | undefined>>

/** How to reach the service, and with which credentials. */
export interface Connection {
  /** As `checkBaseUrl` gives it: no trailing slash. */
  readonly baseUrl: string
  readonly credentials: Credentials
  /** The secrets that the run declares, to redact them from errors; an error waits until they are known. */
  readonly secrets?: () => Iterable<Secret> | Promise<Iterable<Secret>>
  /** The most requests in flight, and connections open, at once. */
  readonly parallelism: number
  /** Seconds a request may take, from when it is sent to the last byte of its response. */
  readonly timeout: number
  readonly userAgent: string
  /** Read for `https_proxy`, `no_proxy` (in either case) and `NODE_TLS_REJECT_UNAUTHORIZED`. */
  readonly env: Environment
  /** The most requests to send, retries included; without it, there is no limit. */
  readonly maxRequests?: number
  /** When to retry; without it, every request is sent once. */
  readonly retryPolicy?: RetryPolicy
  /** Cancels every request of the run at once. */
  readonly signal?: AbortSignal
}

const ADDRESS = /^https?:\/\/(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?(?:\/[\w.~-]+)*\/?$/i

/** What an address must not have; the first match is reported. */
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
 * The service's address in its normal form, without a trailing slash; a path prefix is kept. It
 * must be https; plain http is for loopback hosts, where the token does not leave the machine.
 * Throws a `Failure` that does not repeat the address: there may be a password in it.
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

/** True if the address is on this machine: 127.0.0.0/8, ::1 or `localhost`. */
export function isLoopback(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl)
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

/** Throws a `Failure` if the environment switches off the check of certificates. */
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

/** The proxy settings of a connection, each of them set: undici reads a missing one from the process. */
export interface ProxySettings {
  readonly httpProxy: string
  readonly httpsProxy: string
  readonly noProxy: string
}

/**
 * The proxy settings of the environment, by the rules of curl: the lower-case name takes precedence,
 * and `http_proxy` is not for https. A loopback host never uses a proxy: that would send the token off
 * the machine in clear. Throws a `Failure`, which shows no credentials.
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

/** The name of the variable that is set: in lower case, else in upper case. */
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

/** What is wrong with the address of a proxy; it may hold a password, so it is not repeated. */
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

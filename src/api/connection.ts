import { exit, Failure } from '../model/failure.ts'
import type { Secret } from '../model/secret.ts'
import type { Credentials } from './credentials.ts'
import type { RetryPolicy } from './retry.ts'

/** The environment variables of a run, as far as they concern its connections. */
export type Environment = Readonly<Record<string, string | undefined>>

/** How to reach the service, and as whom. */
export interface Connection {
  /** As `checkBaseUrl` gives it: no trailing slash. */
  readonly baseUrl: string
  readonly credentials: Credentials
  /** What the run declares, so that no error repeats one of them; an error waits until it is known. */
  readonly secrets?: () => Iterable<Secret> | Promise<Iterable<Secret>>
  /** Requests under way at once, and connections open at once; the others wait their turn. */
  readonly parallelism: number
  /** Seconds a request may take, from its turn to the last byte of its answer. */
  readonly timeout: number
  readonly userAgent: string
  /** Read for `https_proxy`, `no_proxy` (in either case) and `NODE_TLS_REJECT_UNAUTHORIZED`. */
  readonly env: Environment
  /** The most requests to make, retries included; without it, there is no limit. */
  readonly maxRequests?: number
  /** How often to try again; without it, every request is made once. */
  readonly patience?: RetryPolicy
  /** Stops every request of the run at once. */
  readonly signal?: AbortSignal
}

const ADDRESS = /^https?:\/\/(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?(?:\/[\w.~-]+)*\/?$/i

/** What an address must not have, in the order in which it is said. */
const objections: readonly (readonly [found: RegExp, said: string])[] = [
  [/^$/, 'is empty'],
  [/[^\x21-\x7e]/, 'holds a blank or a character that is not ASCII'],
  [/^(?!https?:\/\/)/i, 'does not begin with https://'],
  [/@/, 'holds a user name or a password'],
  [/\?/, 'holds a query'],
  [/#/, 'holds a fragment'],
  [/%|\\|\/\.{1,2}(?:\/|$)|.{8}\/\//, 'has a path that could mean another one']
]

/**
 * The service's address in its normal form, without a trailing slash; a path prefix is kept. It
 * must be https; plain http is for loopback hosts, where the token does not leave the machine.
 * Throws a `Failure` that does not repeat the address: there may be a password in it.
 */
export function checkBaseUrl(text: string): string {
  const objection = objections.find(([found]) => found.test(text))?.[1]
  if (objection !== undefined) throw wrongAddress(objection)
  if (!ADDRESS.test(text) || !URL.canParse(text)) throw wrongAddress('is no address')
  const url = new URL(text)
  if (url.protocol !== 'https:' && !isLoopback(text)) {
    throw wrongAddress('is not https, and only loopback hosts may be asked in clear')
  }
  return url.origin + url.pathname.replace(/\/$/, '')
}

/** True if the address is on this machine: 127.0.0.0/8, ::1 or `localhost`. */
export function isLoopback(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl)
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

/** Refuses an environment in which anybody could pose as the service. */
export function checkTls(env: Environment): void {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0') return
  throw new Failure(
    exit.wrongInput,
    'NODE_TLS_REJECT_UNAUTHORIZED=0 would send the token to whoever answers',
    'unset it; name the certificate of a private authority in NODE_EXTRA_CA_CERTS'
  )
}

function wrongAddress(objection: string): Failure {
  return new Failure(
    exit.wrongInput,
    `the address of the service ${objection}`,
    'an address looks like https://api.example.com'
  )
}

import { errors } from 'undici'
import { reasonOf } from '../model/failure.ts'
import { invalidResponse, TransportError } from './error.ts'

/** A code of a broken connection in plain words, said of the host. */
interface Words {
  readonly said: string
  readonly hint?: string
}

const ADDRESS_HINT = 'check the address (--base-url, WLANCTL_BASE_URL) and the network'
const PROXY_HINT = 'the environment names a proxy (HTTPS_PROXY): check it, then the address'
const CERTIFICATE_HINT =
  'for a private authority, name its certificate in NODE_EXTRA_CA_CERTS; ' +
  'otherwise somebody may be posing as the service'

const untrusted: Words = { said: 'its certificate is not trusted', hint: CERTIFICATE_HINT }
const closed: Words = { said: 'it closed the connection before it answered' }
const noRoute: Words = { said: 'there is no way to it', hint: ADDRESS_HINT }
const noConnection: Words = { said: 'it does not take the connection', hint: ADDRESS_HINT }

const words: ReadonlyMap<string, Words> = new Map([
  ['ECONNREFUSED', { said: 'nothing listens there', hint: ADDRESS_HINT }],
  ['ENOTFOUND', { said: 'there is no host of that name', hint: ADDRESS_HINT }],
  ['EAI_AGAIN', { said: 'the name service does not answer', hint: ADDRESS_HINT }],
  ['EHOSTUNREACH', noRoute],
  ['ENETUNREACH', noRoute],
  ['ETIMEDOUT', noConnection],
  ['UND_ERR_CONNECT_TIMEOUT', noConnection],
  ['ECONNRESET', closed],
  ['EPIPE', closed],
  ['UND_ERR_SOCKET', closed],
  ['CERT_HAS_EXPIRED', { said: 'its certificate has expired' }],
  ['CERT_NOT_YET_VALID', { said: 'its certificate is not valid yet', hint: 'is the clock right?' }],
  ['ERR_TLS_CERT_ALTNAME_INVALID', { said: 'its certificate is for another host' }],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', untrusted],
  ['SELF_SIGNED_CERT_IN_CHAIN', untrusted],
  ['UNABLE_TO_GET_ISSUER_CERT', untrusted],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', untrusted],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', untrusted],
  ['EPROTO', { said: 'it does not speak TLS', hint: ADDRESS_HINT }],
  ['UND_ERR_PRX_TLS', { said: "the proxy's certificate is not trusted", hint: CERTIFICATE_HINT }],
  ['UND_ERR_ABORTED', { said: 'the proxy refuses to connect to it', hint: PROXY_HINT }]
])

/** Codes of a client that was closed with requests under way. */
const closings = new Set(['UND_ERR_DESTROYED', 'UND_ERR_CLOSED'])

/** What undici throws, or trips over, when it parses what is not HTTP. */
const NOT_HTTP = /^HPE_|^UND_ERR_(?:HEADERS_OVERFLOW|INVALID_RETURN)|^ERR_ASSERTION$/

/**
 * The fault behind what undici threw, whatever that is: it fails one request, and no other. `proxied` says
 * that the environment names a proxy, which may be the one that is out of reach.
 */
export function networkFault(thrown: unknown, host: string, proxied: boolean): TransportError {
  const code = property(thrown, 'code') ?? nameOf(thrown)
  if (thrown instanceof errors.HTTPParserError || NOT_HTTP.test(code)) {
    return invalidResponse('not HTTP')
  }
  if (closings.has(code))
    return new TransportError({ kind: 'aborted', sent: 'perhaps' }, 'interrupted')
  const { said, hint } = words.get(code) ?? { said: 'the connection failed' }
  const sent = isBeforeSending(thrown, code) ? 'no' : 'perhaps'
  return new TransportError(
    { kind: 'network', code, sent },
    `no answer from ${host}: ${said} (${proxyStatus(thrown) ?? code})`,
    { hint: proxied && hint === ADDRESS_HINT ? PROXY_HINT : hint }
  )
}

/** The status with which a proxy refused to connect: undici tells it in its message alone. */
function proxyStatus(thrown: unknown): string | undefined {
  return /^Proxy response \((\d{3})\)/.exec(reasonOf(thrown))?.[1]
}

/** True where there never was a connection to send anything on. */
function isBeforeSending(thrown: unknown, code: string): boolean {
  const call = property(thrown, 'syscall') ?? property(firstOf(thrown), 'syscall')
  if (call === 'connect' || call === 'getaddrinfo') return true
  // An alert about our own certificate may come after the request.
  if (code.includes('ALERT')) return false
  return /CERT|VERIFY|^UND_ERR_(?:CONNECT_TIMEOUT|PRX_TLS|ABORTED)$/.test(code)
}

/** What an error without a code is called: its message might repeat a header. */
function nameOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : typeof thrown
}

/** The first of the errors of a host with several addresses. */
function firstOf(thrown: unknown): unknown {
  return thrown instanceof AggregateError ? thrown.errors[0] : undefined
}

function property(thrown: unknown, name: 'code' | 'syscall'): string | undefined {
  if (!(thrown instanceof Error)) return undefined
  const value: unknown = Reflect.get(thrown, name)
  return typeof value === 'string' ? value : undefined
}

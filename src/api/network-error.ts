import { errors } from 'undici'
import { reasonOf } from '../model/failure.ts'
import { invalidResponse, TransportError } from './error.ts'

/** The message for an error code; its subject is the host. */
interface Message {
  readonly text: string
  readonly hint?: string
}

const ADDRESS_HINT = 'check the address (--base-url, WLANCTL_BASE_URL) and the network'
const PROXY_HINT = 'the environment names a proxy (HTTPS_PROXY): check it, then the address'
const CERTIFICATE_HINT =
  'for a private authority, name its certificate in NODE_EXTRA_CA_CERTS; ' +
  'otherwise another host may be posing as the service'

const untrusted: Message = { text: 'its certificate is not trusted', hint: CERTIFICATE_HINT }
const closed: Message = { text: 'it closed the connection without a response' }
const noRoute: Message = { text: 'no route to host', hint: ADDRESS_HINT }
const noConnection: Message = { text: 'it does not accept the connection', hint: ADDRESS_HINT }

const messages: ReadonlyMap<string, Message> = new Map([
  ['ECONNREFUSED', { text: 'connection refused', hint: ADDRESS_HINT }],
  ['ENOTFOUND', { text: 'unknown host name', hint: ADDRESS_HINT }],
  ['EAI_AGAIN', { text: 'the name server does not respond', hint: ADDRESS_HINT }],
  ['EHOSTUNREACH', noRoute],
  ['ENETUNREACH', noRoute],
  ['ETIMEDOUT', noConnection],
  ['UND_ERR_CONNECT_TIMEOUT', noConnection],
  ['ECONNRESET', closed],
  ['EPIPE', closed],
  ['UND_ERR_SOCKET', closed],
  ['CERT_HAS_EXPIRED', { text: 'its certificate has expired' }],
  ['CERT_NOT_YET_VALID', { text: 'its certificate is not valid yet', hint: 'check the clock' }],
  ['ERR_TLS_CERT_ALTNAME_INVALID', { text: 'its certificate is for another host' }],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', untrusted],
  ['SELF_SIGNED_CERT_IN_CHAIN', untrusted],
  ['UNABLE_TO_GET_ISSUER_CERT', untrusted],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', untrusted],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', untrusted],
  ['EPROTO', { text: 'it does not use TLS', hint: ADDRESS_HINT }],
  ['UND_ERR_PRX_TLS', { text: "the proxy's certificate is not trusted", hint: CERTIFICATE_HINT }],
  ['UND_ERR_ABORTED', { text: 'the proxy refuses to connect to it', hint: PROXY_HINT }]
])

/** Codes of a client that was closed with requests under way. */
const closedCodes = new Set(['UND_ERR_DESTROYED', 'UND_ERR_CLOSED'])

/** Codes of undici's parser, or of its own assertions, for a response that is not HTTP. */
const NOT_HTTP = /^HPE_|^UND_ERR_(?:HEADERS_OVERFLOW|INVALID_RETURN)|^ERR_ASSERTION$/

/**
 * The `TransportError` for anything that undici throws: it fails one request, and no other. With
 * `usesProxy` the environment names a proxy, which may be the host that is unreachable.
 */
export function networkError(thrown: unknown, host: string, usesProxy: boolean): TransportError {
  const code = property(thrown, 'code') ?? nameOf(thrown)
  if (thrown instanceof errors.HTTPParserError || NOT_HTTP.test(code)) {
    return invalidResponse('not HTTP')
  }
  if (closedCodes.has(code))
    return new TransportError({ kind: 'aborted', sent: 'perhaps' }, 'interrupted')
  const { text, hint } = messages.get(code) ?? { text: 'the connection failed' }
  const sent = isBeforeSending(thrown, code) ? 'no' : 'perhaps'
  return new TransportError(
    { kind: 'network', code, sent },
    `no response from ${host}: ${text} (${proxyStatus(thrown) ?? code})`,
    { hint: usesProxy && hint === ADDRESS_HINT ? PROXY_HINT : hint }
  )
}

/** The status with which a proxy refused to connect: undici has it only in its message. */
function proxyStatus(thrown: unknown): string | undefined {
  return /^Proxy response \((\d{3})\)/.exec(reasonOf(thrown))?.[1]
}

/** True if there was no connection to send anything on. */
function isBeforeSending(thrown: unknown, code: string): boolean {
  const call = property(thrown, 'syscall') ?? property(firstOf(thrown), 'syscall')
  if (call === 'connect' || call === 'getaddrinfo') return true
  // An alert about our own certificate may come after the request.
  if (code.includes('ALERT')) return false
  return /CERT|VERIFY|^UND_ERR_(?:CONNECT_TIMEOUT|PRX_TLS|ABORTED)$/.test(code)
}

/** The name of an error without a code: its message might repeat a header. */
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

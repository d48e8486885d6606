import { type Dispatcher, EnvHttpProxyAgent, errors, Pool } from 'undici'
import { reasonOf } from '../../core/model/failure.ts'
import type { HttpRequest } from '../operation.ts'
import { Redactor } from '../redactor.ts'
import { type Cancellable, startTimer } from './clock.ts'
import { type Connection, checkBaseUrl, checkTls, proxySettings } from './connection.ts'
import { invalidContent, invalidResponse, TransportError } from './error.ts'
import { describeError } from './error-message.ts'
import {
  type BodyLimits,
  bodyLimits,
  MEBIBYTE,
  type RawResponse,
  type ResponseHead
} from './response.ts'
import type { PooledToken } from './token-pool.ts'

/** The timeout for connecting, in seconds. */
const CONNECT_TIMEOUT = 10

const contentHeaders = { 'content-type': 'application/json', accept: 'application/json' }

// Explicit, because the environment of the process could turn the verification off.
const tls = { rejectUnauthorized: true }

/** The options of every dispatcher: certificates are verified, and `Timeout` limits the whole request. */
export const dispatcherOptions = {
  connect: { timeout: CONNECT_TIMEOUT * 1000, ...tls },
  requestTls: tls,
  proxyTls: tls,
  headersTimeout: 0,
  bodyTimeout: 0
}

/** Sends HTTP requests to the service. The constructor throws a `Failure` if the connection would be insecure. */
export class HttpConnection {
  readonly #url: URL
  readonly #pathPrefix: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #usesProxy: boolean
  readonly #dispatcher: Dispatcher
  readonly #redactor = new Redactor()
  #declaredSecrets: Connection['secrets']

  constructor(connection: Connection) {
    checkTls(connection.env)
    this.#url = new URL(checkBaseUrl(connection.baseUrl))
    this.#pathPrefix = this.#url.pathname.replace(/\/$/, '')
    this.#headers = { ...contentHeaders, 'user-agent': connection.userAgent }
    this.#declaredSecrets = connection.secrets
    const proxies = proxySettings(connection)
    this.#usesProxy = proxies.httpsProxy !== ''
    const options = { ...dispatcherOptions, connections: connection.parallelism, pipelining: 1 }
    // An agent finds the route anew for every request, so it is used only if there is a proxy.
    this.#dispatcher = this.#usesProxy
      ? new EnvHttpProxyAgent({ ...proxies, ...options })
      : new Pool(this.#url.origin, options)
    for (const secret of connection.tokens) this.addSecret(secret)
  }

  /**
   * Sends one request without redirects, retries or decoding, unless it is no longer fresh once
   * there is a connection. All of its errors are `TransportError`s.
   */
  request(
    { method, path, body }: HttpRequest,
    token: PooledToken,
    isFresh?: () => boolean
  ): Cancellable<RawResponse> {
    const request = {
      origin: this.#url.origin,
      path: this.#pathPrefix + path,
      method,
      headers: { ...token.headers, ...this.#headers },
      body: body?.text ?? null
    }
    const { done, cancel } = dispatchRequest(this.#dispatcher, request, bodyLimits, isFresh)
    const fail = (thrown: unknown): never => {
      if (thrown instanceof TransportError) throw thrown
      throw networkError(thrown, this.#url.host, this.#usesProxy)
    }
    return { done: done.catch(fail), cancel }
  }

  /** Adds a secret to redact from all errors of the run. */
  readonly addSecret = (secret: string): void => this.#redactor.addSecret(secret)

  async addDeclaredSecrets(): Promise<void> {
    for (const secret of (await this.#declaredSecrets?.()) ?? []) {
      if (secret.known) this.addSecret(secret.reveal())
    }
    this.#declaredSecrets = undefined
  }

  /** Converts a `TransportError`; returns any other error, which is a bug, unchanged. */
  toApiError(thrown: unknown, request: HttpRequest, token: PooledToken | undefined): unknown {
    if (!(thrown instanceof TransportError)) return thrown
    for (const secret of request.body?.secrets ?? []) this.addSecret(secret)
    const redact = (text: string) => this.#redactor.redact(text)
    return describeError(thrown, request, redact, token?.name)
  }

  close(): Promise<void> {
    return this.#dispatcher.destroy()
  }
}

/** Sends one request over undici; `done` rejects with whatever undici or `limitsOf` throws. */
export function dispatchRequest(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  limitsOf = bodyLimits,
  isFresh = () => true
): Cancellable<RawResponse> {
  const handler = new ResponseHandler(limitsOf, isFresh)
  try {
    dispatcher.dispatch(request, handler)
  } catch (thrown) {
    handler.cancel(thrown)
  }
  return handler
}

interface BegunResponse {
  readonly head: ResponseHead
  readonly limits: BodyLimits
}

/**
 * Reads a response from undici up to its limits; the connection of a truncated response is closed. The stream
 * and the signal of undici's `request` would cost as much as everything else. If the handler throws, undici
 * ends the request with that error.
 */
class ResponseHandler implements Dispatcher.DispatchHandler, Cancellable<RawResponse> {
  readonly done: Promise<RawResponse>
  #resolve: (response: RawResponse) => void = () => undefined
  #reject: (reason: unknown) => void = () => undefined
  #controller: Dispatcher.DispatchController | undefined
  #cancelled: { readonly reason: unknown } | undefined
  #response: BegunResponse | undefined
  #timer: NodeJS.Timeout | undefined
  readonly #limitsOf: (head: ResponseHead) => BodyLimits
  readonly #isFresh: () => boolean
  readonly #chunks: Uint8Array[] = []
  #size = 0

  constructor(limitsOf: (head: ResponseHead) => BodyLimits, isFresh: () => boolean) {
    this.#limitsOf = limitsOf
    this.#isFresh = isFresh
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  /** Rejects at once, unless the response is settled, and frees the connection. */
  readonly cancel = (reason: unknown): void => {
    clearTimeout(this.#timer)
    this.#reject(reason)
    this.#cancelled = { reason }
    this.#controller?.abort(reason as Error)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (!this.#isFresh()) this.cancel(expired())
    else if (this.#cancelled !== undefined) controller.abort(this.#cancelled.reason as Error)
  }

  onResponseStart(_: unknown, status: number, headers: ResponseHead['headers']): void {
    // Informational responses (1xx) precede the response; a lower number is not a status.
    if (status >= 100 && status < 200) return
    const head = { status, headers }
    const limits = this.#limitsOf(head)
    this.#response = { head, limits }
    if (limits.seconds !== undefined) {
      this.#timer = startTimer(limits.seconds, () => this.#truncate(invalidResponse('too slow')))
    }
  }

  onResponseData(_: unknown, chunk: Uint8Array): void {
    const max = this.#response?.limits.bytes ?? 0
    this.#size += chunk.length
    this.#chunks.push(chunk)
    if (this.#size > max) this.#truncate(invalidContent(`longer than ${max / MEBIBYTE} MiB`))
  }

  onResponseEnd(): void {
    clearTimeout(this.#timer)
    const chunks = this.#chunks
    const [body] = chunks.length === 1 ? chunks : [Buffer.concat(chunks)]
    if (this.#response && body) this.#resolve({ ...this.#response.head, body })
  }

  onResponseError(_: unknown, error: Error): void {
    if (this.#response === undefined) this.cancel(error)
    else this.#truncate(invalidResponse('it was truncated'))
  }

  /** Ends a body that exceeds its limits: an error response is used without it, any other response fails. */
  #truncate(error: TransportError): void {
    if (this.#response?.limits.optional) this.#resolve(this.#response.head)
    this.cancel(error)
  }
}

export function expired(): TransportError {
  return new TransportError(
    { kind: 'expired', sent: 'no' },
    'not sent: it waited until its data was too old'
  )
}

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

const noTls: Message = { text: 'it does not use TLS', hint: ADDRESS_HINT }

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
  ['EPROTO', noTls],
  ['ERR_SSL_WRONG_VERSION_NUMBER', noTls],
  ['UND_ERR_PRX_TLS', { text: "the proxy's certificate is not trusted", hint: CERTIFICATE_HINT }],
  ['UND_ERR_ABORTED', { text: 'the proxy refuses to connect to it', hint: PROXY_HINT }]
])

const closedCodes = new Set(['UND_ERR_DESTROYED', 'UND_ERR_CLOSED'])

/** Error codes of undici's parser, or of its assertions, for a response that is not HTTP. */
const NOT_HTTP = /^HPE_|^UND_ERR_(?:HEADERS_OVERFLOW|INVALID_RETURN)|^ERR_ASSERTION$/

/** The error fails one request. With `usesProxy`, the unreachable host may be the proxy. */
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

/** The status of a proxy that refused to connect; undici reports it only in a message. */
function proxyStatus(thrown: unknown): string | undefined {
  return /^Proxy response \((\d{3})\)/.exec(reasonOf(thrown))?.[1]
}

/** True if there was no connection, so that the request was not sent. */
function isBeforeSending(thrown: unknown, code: string): boolean {
  const call = property(thrown, 'syscall') ?? property(firstOf(thrown), 'syscall')
  if (call === 'connect' || call === 'getaddrinfo') return true
  // An alert about the client's certificate may arrive after the request was sent.
  if (code.includes('ALERT')) return false
  return /CERT|VERIFY|^UND_ERR_(?:CONNECT_TIMEOUT|PRX_TLS|ABORTED)$/.test(code)
}

/** The name of an error without a code; its message is not used, because it might repeat a header. */
function nameOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : typeof thrown
}

function firstOf(thrown: unknown): unknown {
  return thrown instanceof AggregateError ? thrown.errors[0] : undefined
}

function property(thrown: unknown, name: 'code' | 'syscall'): string | undefined {
  if (!(thrown instanceof Error)) return undefined
  const value: unknown = Reflect.get(thrown, name)
  return typeof value === 'string' ? value : undefined
}

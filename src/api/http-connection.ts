import { type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici'
import { type Connection, checkBaseUrl, checkTls, proxySettings } from './connection.ts'
import { secretsOfCredentials } from './credentials.ts'
import { invalidContent, invalidResponse, TransportError } from './error.ts'
import { describeError } from './error-message.ts'
import { networkError } from './network-error.ts'
import type { HttpRequest } from './operation.ts'
import { Redactor } from './redactor.ts'
import {
  type BodyLimits,
  bodyLimits,
  MEBIBYTE,
  type RawResponse,
  type ResponseHead
} from './response.ts'
import { type Cancellable, startTimer } from './timeout.ts'
import type { PooledToken } from './token-pool.ts'

/** Seconds to wait for a connection. */
const CONNECT_TIMEOUT = 10

const contentHeaders = { 'content-type': 'application/json', accept: 'application/json' }

/** Sends HTTP requests to the service. The constructor throws a `Failure` if that would not be safe. */
export class HttpConnection {
  readonly #url: URL
  readonly #pathPrefix: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #connection: Connection
  readonly #usesProxy: boolean
  readonly #dispatcher: Dispatcher
  readonly #redactor = new Redactor()
  #declaredSecrets: Connection['secrets']

  constructor(connection: Connection) {
    checkTls(connection.env)
    this.#url = new URL(checkBaseUrl(connection.baseUrl))
    this.#pathPrefix = this.#url.pathname.replace(/\/$/, '')
    this.#headers = { ...contentHeaders, 'user-agent': connection.userAgent }
    this.#connection = connection
    this.#declaredSecrets = connection.secrets
    const proxies = proxySettings(connection)
    this.#usesProxy = proxies.httpsProxy !== ''
    const options = {
      connections: connection.parallelism,
      pipelining: 1,
      connect: { timeout: CONNECT_TIMEOUT * 1000 },
      // `Timeout` limits the whole request.
      headersTimeout: 0,
      bodyTimeout: 0
    }
    // An agent finds the route for every request anew, so it is used only where there is a proxy.
    this.#dispatcher = this.#usesProxy
      ? new EnvHttpProxyAgent({ ...proxies, ...options })
      : new Pool(this.#url.origin, options)
    for (const secret of secretsOfCredentials(connection.credentials)) this.addSecret(secret)
  }

  /**
   * One request, one response: nothing is followed, retried or decoded. It always fails with a
   * `TransportError`.
   */
  request({ method, path, body }: HttpRequest, token: PooledToken): Cancellable<RawResponse> {
    const { done, cancel } = dispatchRequest(this.#dispatcher, {
      origin: this.#url.origin,
      path: this.#pathPrefix + path,
      method,
      headers: { ...token.headers, ...this.#headers },
      body: body?.text ?? null
    })
    const fail = (thrown: unknown): never => {
      if (thrown instanceof TransportError) throw thrown
      throw networkError(thrown, this.#url.host, this.#usesProxy)
    }
    return { done: done.catch(fail), cancel }
  }

  /** Adds a secret that no error of the run may repeat. */
  readonly addSecret = (secret: string): void => this.#redactor.addSecret(secret)

  /** Adds the secrets that the run declares; resolves when they are known. */
  async addDeclaredSecrets(): Promise<void> {
    for (const secret of (await this.#declaredSecrets?.()) ?? []) {
      if (secret.known) this.addSecret(secret.reveal())
    }
    this.#declaredSecrets = undefined
  }

  /** The `ApiError` for a `TransportError` of this request; any other error, which is a bug, as it is. */
  toApiError(thrown: unknown, request: HttpRequest, token: PooledToken | undefined): unknown {
    if (!(thrown instanceof TransportError)) return thrown
    for (const secret of request.body?.secrets ?? []) this.addSecret(secret)
    const redact = (text: string) => this.#redactor.redact(text)
    return describeError(thrown, request, redact, this.#connection.credentials, token?.name)
  }

  close(): Promise<void> {
    return this.#dispatcher.destroy()
  }
}

/** Sends one request over undici; `done` rejects with whatever undici throws. */
export function dispatchRequest(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions
): Cancellable<RawResponse> {
  const handler = new ResponseHandler()
  try {
    dispatcher.dispatch(request, handler)
  } catch (thrown) {
    handler.cancel(thrown)
  }
  return handler
}

/** A response that has begun, and how much of it is read. */
interface BegunResponse {
  readonly head: ResponseHead
  readonly limits: BodyLimits
}

/**
 * Reads a response as undici delivers it, up to its limits; one that is not read to its end costs the
 * connection. The stream and the signal that undici's `request` makes for each response would cost as much
 * as all the rest. undici ends a request whose handler throws, with what it threw.
 */
class ResponseHandler implements Dispatcher.DispatchHandler, Cancellable<RawResponse> {
  readonly done: Promise<RawResponse>
  #resolve: (response: RawResponse) => void = () => undefined
  #reject: (reason: unknown) => void = () => undefined
  #controller: Dispatcher.DispatchController | undefined
  #cancelled: { readonly reason: unknown } | undefined
  #response: BegunResponse | undefined
  #timer: NodeJS.Timeout | undefined
  readonly #chunks: Uint8Array[] = []
  #size = 0

  constructor() {
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  /** Rejects at once, if nothing is settled yet, and frees the connection. */
  readonly cancel = (reason: unknown): void => {
    clearTimeout(this.#timer)
    this.#reject(reason)
    this.#cancelled = { reason }
    this.#controller?.abort(reason as Error)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#cancelled !== undefined) controller.abort(this.#cancelled.reason as Error)
  }

  onResponseStart(_: unknown, status: number, headers: ResponseHead['headers']): void {
    // Informational responses (1xx) come before the response; anything below is not a status.
    if (status >= 100 && status < 200) return
    const head = { status, headers }
    const limits = bodyLimits(head)
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

  /** Ends a body that cannot be read whole: an error response counts without it, any other fails. */
  #truncate(error: TransportError): void {
    if (this.#response?.limits.optional) this.#resolve(this.#response.head)
    this.cancel(error)
  }
}

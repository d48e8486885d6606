import { setImmediate } from 'node:timers/promises'
import { type ApiOperation, type HttpRequest, requestOf } from '../operation.ts'
import { interrupted, Timeout } from './clock.ts'
import { Semaphore, yieldPeriodically } from './concurrency.ts'
import type { Connection } from './connection.ts'
import { ApiError, TransportError } from './error.ts'
import { expired, HttpConnection } from './http-connection.ts'
import { type ApiResponse, readResponse } from './response.ts'
import { Attempts, decideRetry, type RetryPolicy } from './retry.ts'
import { type PooledToken, TokenPool } from './token-pool.ts'

export interface SendOptions {
  /** Called right before the request is sent; if it returns false, it is not sent. */
  readonly isFresh?: () => boolean
  /** The attempts of its change; without them, `--max-attempts` bounds the request alone. */
  readonly attempts?: Attempts
}

interface PendingRequest extends SendOptions {
  readonly operation: ApiOperation
  readonly http: HttpRequest
  readonly attempts: Attempts
  otherTokens: number
}

/** The minimum number of retries at the start of a run; each success adds one, up to the maximum. */
const RETRY_BUDGET = 100
const MAX_RETRY_BUDGET = 1_000
/** The retries for each request in flight, because one network problem fails all of them. */
const RETRIES_PER_REQUEST = 4

/** Requests wait at most this long for the decoding of earlier responses, in milliseconds. */
const DECODING_TIME = 2

/**
 * Sends the known operations with limits on concurrency, time and retries. It connects for the
 * first request. The constructor throws a `Failure` if the connection would be insecure.
 */
export class Transport {
  readonly #allowed: readonly ApiOperation['name'][]
  readonly #connection: HttpConnection
  readonly #retryPolicy: RetryPolicy | undefined
  readonly #timeout: Timeout
  readonly #semaphore: Semaphore
  readonly #tokens: TokenPool
  readonly #retrying = new Set<PendingRequest>()
  #requests = 0
  /** The remaining retries; if they are used up, the service counts as down. */
  #retriesLeft: number
  /** Resolves when the next response may be decoded. */
  #decoding: Promise<void> = Promise.resolve()
  readonly #yieldIfDue = yieldPeriodically(DECODING_TIME)

  constructor(connection: Connection, allowed: readonly ApiOperation['name'][]) {
    const { retryPolicy, signal, timeout, parallelism } = connection
    this.#allowed = allowed
    this.#connection = new HttpConnection(connection)
    this.#retryPolicy = retryPolicy
    this.#timeout = new Timeout(timeout, signal)
    this.#semaphore = new Semaphore(parallelism)
    this.#tokens = new TokenPool(connection.tokens, retryPolicy)
    this.#retriesLeft = Math.max(RETRY_BUDGET, RETRIES_PER_REQUEST * parallelism)
  }

  get requests(): number {
    return this.#requests
  }

  get waitUntil(): Date | undefined {
    return this.#tokens.waitUntil
  }

  get retrying(): number {
    return this.#retrying.size
  }

  get end(): ApiError | undefined {
    return this.#tokens.exhausted
  }

  get observerError(): string | undefined {
    return this.#tokens.observerError
  }

  /**
   * Retries as `decideRetry` decides. Rejects with an `ApiError`, also for a `TransportError` of
   * `decode`; any other error is a bug.
   */
  async send<T>(
    operation: ApiOperation,
    decode: (response: ApiResponse) => T,
    options: SendOptions = {}
  ): Promise<T> {
    const request = this.#prepare(operation, options)
    try {
      for (;;) {
        try {
          return await this.#sendOnce(request, decode)
        } catch (error) {
          this.#retrying.add(request)
          await this.#waitToRetry(request, error)
        }
      }
    } finally {
      this.#retrying.delete(request)
    }
  }

  close(): Promise<void> {
    return this.#connection.close()
  }

  #now(): number {
    return this.#retryPolicy?.clock.now() ?? performance.now()
  }

  #prepare(operation: ApiOperation, options: SendOptions): PendingRequest {
    if (!this.#allowed.includes(operation.name)) {
      throw new Error(`this client was opened without the right to: ${operation.name}`)
    }
    return {
      attempts: new Attempts(this.#retryPolicy?.maxAttempts ?? 1),
      ...options,
      operation,
      http: requestOf(operation),
      otherTokens: this.#tokens.left - 1
    }
  }

  async #sendOnce<T>(request: PendingRequest, decode: (response: ApiResponse) => T): Promise<T> {
    const { http, attempts } = request
    let token: PooledToken | undefined
    try {
      await this.#semaphore.acquire()
      let response: ApiResponse
      try {
        token = await this.#admit(request)
        this.#timeout.throwIfAborted()
        this.#requests += 1
        attempts.count()
        const sentAt = this.#now()
        const raw = await this.#timeout.limit(
          this.#connection.request(http, token, request.isFresh)
        )
        response = readResponse(raw, sentAt, this.#connection.addSecret)
      } catch (error) {
        if (token && error instanceof TransportError) this.#tokens.block(token, error.problem)
        throw error
      } finally {
        this.#semaphore.release()
      }
      await this.#turnToDecode()
      const result = decode(response)
      this.#retriesLeft = Math.max(
        this.#retriesLeft,
        Math.min(this.#retriesLeft + 1, MAX_RETRY_BUDGET)
      )
      return result
    } catch (thrown) {
      throw await this.#recordFailure(thrown, request, token)
    }
  }

  /**
   * Undici reuses a connection one turn of the event loop after a response: the responses before
   * this one must not take all of that turn.
   */
  async #turnToDecode(): Promise<void> {
    await setImmediate()
    this.#decoding = this.#decoding.then(this.#yieldIfDue)
    await this.#decoding
  }

  /** Waits for a token. Throws if the request must not be sent: interrupted, or expired. */
  async #admit(request: PendingRequest): Promise<PooledToken> {
    const signal = this.#interruptOf(request)
    const token = signal?.aborted ? undefined : await this.#tokens.next(signal)
    if (token === undefined) throw interrupted('no')
    if (request.isFresh?.() === false) throw expired()
    return token
  }

  async #recordFailure(
    thrown: unknown,
    { http }: PendingRequest,
    token: PooledToken | undefined
  ): Promise<unknown> {
    await this.#connection.addDeclaredSecrets()
    const apiError = this.#connection.toApiError(thrown, http, token)
    if (!(apiError instanceof ApiError)) return apiError
    return token === undefined ? apiError : this.#tokens.recordFailure(token, apiError)
  }

  /** Resolves when the request is to be sent again; throws the error if it is not. */
  async #waitToRetry(request: PendingRequest, error: unknown): Promise<void> {
    if (!(error instanceof ApiError) || this.#retryPolicy === undefined) throw error
    const { operation, attempts, otherTokens } = request
    const { clock, random } = this.#retryPolicy
    const state = {
      attempts,
      otherTokens,
      tokenWait: this.#tokens.wait,
      retriesLeft: this.#retriesLeft,
      random: random()
    }
    const decision = decideRetry(error, operation, state)
    if (decision === 'give up') throw error
    const { retryIn, withOtherToken } = decision
    if (withOtherToken) request.otherTokens -= 1
    else this.#retriesLeft -= 1
    if (withOtherToken && operation.name !== 'update WLAN') attempts.uncount()
    if (!(await clock.sleep(retryIn, this.#interruptOf(request)))) throw retryInterrupted(error)
  }

  /** The signal that ends waits; reading a WLAN verifies an update, also after an interrupt. */
  #interruptOf({ operation }: PendingRequest): AbortSignal | undefined {
    return operation.name === 'read WLAN' ? undefined : this.#retryPolicy?.interrupted
  }
}

function retryInterrupted({ message }: ApiError): ApiError {
  return new ApiError({ kind: 'aborted', sent: 'no' }, `${message}; interrupted`)
}

import { setImmediate } from 'node:timers/promises'
import type { Attempts } from './attempts.ts'
import type { Connection } from './connection.ts'
import { ApiError, isClientError, TransportError, wasNotProcessed } from './error.ts'
import { connect } from './http-connection.ts'
import { type ApiOperation, type HttpRequest, isFinishing, requestOf } from './operation.ts'
import { RequestBudget } from './request-budget.ts'
import { type ApiResponse, readAnswer } from './response.ts'
import { withRetries } from './retry.ts'
import { semaphore } from './semaphore.ts'
import { interrupted, Timeout } from './timeout.ts'
import { type PooledToken, TokenPool } from './token-pool.ts'

/**
 * Asks the service once and decodes what it answers. Rejects with an `ApiError`; a `Fault` that
 * `decode` throws becomes one. Anything else it rejects with is a bug.
 */
export type Send = <T>(operation: ApiOperation, decode: (answer: ApiResponse) => T) => Promise<T>

/** The same, counted in `attempts` as soon as it is sent. */
export type SendOnce = <T>(
  operation: ApiOperation,
  decode: (answer: ApiResponse) => T,
  attempts?: Attempts
) => Promise<T>

export interface Transport {
  readonly send: Send
  /** HTTP requests made so far. */
  readonly requests: number
  /** When requests go on, if all of them wait for a rate limit. */
  readonly waitUntil: Date | undefined
  /** Why nothing more can be asked in this run; undefined as long as something can. */
  readonly end: ApiError | undefined
  /** What an observer of the waits has thrown; undefined as long as none has. */
  readonly observerError: string | undefined
  /** Closes every connection; what is under way fails. */
  close(): Promise<void>
}

/**
 * Opens the way to the service for the allowed operations and no other. It connects when the first
 * request is sent. Throws a `Failure` if the connection would not be safe.
 */
export function openTransport(
  connection: Connection,
  allowed: readonly ApiOperation['name'][]
): Transport {
  const { patience, signal, timeout } = connection
  const line = connect(connection)
  const deadline = new Timeout(timeout, signal)
  const turn = semaphore(connection.parallelism)
  const callers = new TokenPool(connection.credentials, patience)
  const budget = new RequestBudget(connection.maxRequests)
  let spent: ApiError | undefined

  const sendNow = async (
    operation: ApiOperation,
    asked: HttpRequest,
    caller: PooledToken,
    attempts: Attempts | undefined
  ) => {
    let askedAt = 0
    const response = await deadline.over(() => {
      budget.spend(operation)
      attempts?.count()
      askedAt = performance.now()
      return line.exchange(asked, caller)
    })
    return readAnswer(response, askedAt, line.meet)
  }

  /** Takes in what went wrong; gives what the request ends with. */
  const learn = (
    thrown: unknown,
    operation: ApiOperation,
    asked: HttpRequest,
    caller?: PooledToken
  ) => {
    const explained = line.explain(thrown, asked, caller)
    if (!(explained instanceof ApiError)) return explained
    const error = caller === undefined ? explained : callers.recordFailure(caller, explained)
    if (isClientError(error) || wasNotProcessed(error)) budget.release(operation)
    if (error.problem.kind === 'spent') spent ??= error
    return error
  }

  const once: SendOnce = async (operation, decode, attempts) => {
    if (!allowed.includes(operation.name)) {
      throw new Error(`this client was opened without the right to: ${operation.name}`)
    }
    const asked = requestOf(operation)
    const held = isFinishing(operation) ? undefined : patience?.interrupted
    let caller: PooledToken | undefined
    try {
      const answer = await turn(async () => {
        budget.check(operation)
        const asking = held?.aborted ? undefined : await callers.next(held)
        if (asking === undefined) throw interrupted('no')
        if (operation.name === 'update WLAN' && operation.isFresh?.() === false) throw tooLate()
        caller = asking
        return await sendNow(operation, asked, asking, attempts).catch(thrown => {
          if (thrown instanceof TransportError) callers.blockUntil(asking, thrown.problem)
          throw thrown
        })
      })
      // undici uses a connection again one turn of the event loop after an answer: what is made of the
      // answer comes after that, so that the next request is under way meanwhile.
      await setImmediate()
      return decode(answer)
    } catch (thrown) {
      await line.meetDeclared()
      throw learn(thrown, operation, asked, caller)
    }
  }

  return {
    send: patience ? withRetries(once, callers, patience, connection.parallelism) : once,
    get requests() {
      return budget.made
    },
    get waitUntil() {
      return callers.waitUntil
    },
    get end() {
      return callers.exhausted ?? spent
    },
    get observerError() {
      return callers.observerError
    },
    close: line.close
  }
}

/** The fault of an update whose turn came too late. */
function tooLate(): TransportError {
  return new TransportError(
    { kind: 'held', sent: 'no' },
    'not sent, as it had to wait for too long'
  )
}

import { exit, Failure } from '../model/failure.ts'

/**
 * Why a request has no usable result: what a caller needs to decide what to do next.
 *
 * | kind               | meaning                                                                    |
 * |--------------------|----------------------------------------------------------------------------|
 * | `status`           | status 400 or more; `retryAfter`: seconds that the service asks to wait    |
 * | `redirect`         | status 3xx, which is not followed                                          |
 * | `invalid-response` | not a response of the service: status, type, JSON, a truncated body        |
 * | `invalid-content`  | a valid response with wrong content: size, shape, ids, paging              |
 * | `network`          | no response; `code` is the system's                                        |
 * | `timeout`          | no complete response in time                                               |
 * | `aborted`          | the run was interrupted                                                    |
 * | `expired`          | an update that waited until the data it was made from was too old          |
 * | `budget-exhausted` | `--max-requests` allows no further request                                 |
 *
 * `sent: 'no'` is certain; with `'perhaps'`, and with every kind but `status`, the fate of an update is
 * unknown.
 */
export type ApiProblem =
  | {
      readonly kind: 'status'
      readonly status: number
      readonly retryAfter?: number
      /** Of a 429 whose wait is longer than `--max-wait`: the run ends, and can be repeated then. */
      readonly retryAt?: Date
      /** Of a 401: the run has other tokens. */
      readonly otherTokens?: true
    }
  | { readonly kind: 'redirect' }
  | { readonly kind: 'invalid-response' }
  | { readonly kind: 'invalid-content' }
  | { readonly kind: 'network'; readonly code: string; readonly sent: 'no' | 'perhaps' }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'aborted'; readonly sent: 'no' | 'perhaps' }
  | { readonly kind: 'expired'; readonly sent: 'no' }
  | { readonly kind: 'budget-exhausted'; readonly sent: 'no' }

/**
 * A request that failed: an expected failure. The message names method and path, never the token
 * or a secret of the body.
 */
export class ApiError extends Failure {
  readonly problem: ApiProblem

  constructor(problem: ApiProblem, message: string, hint?: string) {
    super(problem.kind === 'aborted' ? exit.interrupted : exit.failed, message, hint)
    this.name = 'ApiError'
    this.problem = problem
  }
}

/** Statuses of a request that was not processed and that a retry would not help. */
const CLIENT_ERRORS: readonly number[] = [400, 401, 403, 404, 409]

/** True if the service refused the request, and would refuse it again. */
export function isClientError(error: unknown): boolean {
  return CLIENT_ERRORS.includes(statusOf(error) ?? 0)
}

/** True if the request was not sent, or if the service did not process it (429). */
export function wasNotProcessed(error: unknown): boolean {
  if (statusOf(error) === 429) return true
  return error instanceof ApiError && 'sent' in error.problem && error.problem.sent === 'no'
}

/** The status of the response; undefined if there was none, or for another error. */
export function statusOf(error: unknown): number | undefined {
  if (!(error instanceof ApiError)) return undefined
  return error.problem.kind === 'status' ? error.problem.status : undefined
}

interface ErrorDetails {
  /** Text of the service; its secrets are redacted before it is shown. */
  readonly detail?: string | undefined
  readonly hint?: string | undefined
}

/** What is wrong with a response or a connection; `Transport.send` makes it an `ApiError` of its request. */
export class TransportError extends Error {
  readonly problem: ApiProblem
  readonly details: ErrorDetails

  constructor(problem: ApiProblem, reason: string, details: ErrorDetails = {}) {
    super(reason)
    this.name = 'TransportError'
    this.problem = problem
    this.details = details
  }
}

/**
 * Not a response of the service, so a retry may get one. The reason quotes nothing of the response.
 */
export function invalidResponse(reason: string, detail?: string): TransportError {
  return new TransportError({ kind: 'invalid-response' }, `unexpected response: ${reason}`, {
    detail
  })
}

/** A complete response with wrong content: a retry would give the same. The reason quotes ids at most. */
export function invalidContent(reason: string): TransportError {
  return new TransportError({ kind: 'invalid-content' }, `unexpected response: ${reason}`)
}

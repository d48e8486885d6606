import { exit, Failure } from '../../core/model/failure.ts'

/**
 * The reason why a request has no usable result, with the data for deciding about a retry.
 *
 * | kind               | meaning                                                                    |
 * |--------------------|----------------------------------------------------------------------------|
 * | `status`           | status 400 or more; `retryAfter`: seconds that the service asks to wait    |
 * | `redirect`         | status 3xx, which is not followed                                          |
 * | `invalid-response` | not a response of the service: status, type, JSON, a truncated body        |
 * | `invalid-content`  | a valid response with invalid content: size, shape, ids, paging            |
 * | `network`          | no response; `code` is the system's error code                             |
 * | `timeout`          | no complete response in time                                               |
 * | `aborted`          | the run was interrupted                                                    |
 * | `expired`          | an update waited until the data that it is based on was too old            |
 *
 * `sent: 'no'` is certain; with `'perhaps'`, and with every kind but `status`, it is unknown whether an
 * update was processed.
 */
export type ApiProblem =
  | {
      readonly kind: 'status'
      readonly status: number
      readonly retryAfter?: number
      /** For a 429 with a wait longer than `--max-wait`: the run ends, and can be repeated at this time. */
      readonly retryAt?: Date
      /** For a 401: the run has other tokens. */
      readonly otherTokens?: true
    }
  | { readonly kind: 'redirect' }
  | { readonly kind: 'invalid-response' }
  | { readonly kind: 'invalid-content' }
  | { readonly kind: 'network'; readonly code: string; readonly sent: 'no' | 'perhaps' }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'aborted'; readonly sent: 'no' | 'perhaps' }
  | { readonly kind: 'expired'; readonly sent: 'no' }

/** An expected failure; its message has method and path, but never the token or a secret. */
export class ApiError extends Failure {
  readonly problem: ApiProblem

  constructor(problem: ApiProblem, message: string, hint?: string) {
    super(problem.kind === 'aborted' ? exit.interrupted : exit.failed, message, hint)
    this.name = 'ApiError'
    this.problem = problem
  }
}

/** Statuses of a request that was not processed, and for which a retry is useless. */
const CLIENT_ERRORS: readonly number[] = [400, 401, 403, 404, 409]

/** True if the same request may succeed later: not the request is wrong. */
export function mayPass(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false
  const { problem } = error
  if (problem.kind !== 'status') {
    return problem.kind !== 'invalid-content' && problem.kind !== 'redirect'
  }
  return problem.status === 401 || problem.status === 429 || problem.status >= 500
}

/** True if the service rejected the request, and would reject it again. */
export function isClientError(error: unknown): boolean {
  return CLIENT_ERRORS.includes(statusOf(error) ?? 0)
}

/** True if the request was not sent, or if the service did not process it (429). */
export function wasNotProcessed(error: unknown): boolean {
  if (statusOf(error) === 429) return true
  return error instanceof ApiError && 'sent' in error.problem && error.problem.sent === 'no'
}

export function statusOf(error: unknown): number | undefined {
  if (!(error instanceof ApiError)) return undefined
  return error.problem.kind === 'status' ? error.problem.status : undefined
}

interface ErrorDetails {
  /** Text from the service; secrets in it are redacted before it is shown. */
  readonly detail?: string | undefined
  readonly hint?: string | undefined
}

/** A problem of a response or a connection; `Transport.send` converts it to the `ApiError` of its request. */
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

/** A retry may get a response of the service. The reason quotes nothing from what came. */
export function invalidResponse(reason: string, details: ErrorDetails = {}): TransportError {
  return new TransportError({ kind: 'invalid-response' }, `unexpected response: ${reason}`, details)
}

/** For a complete response with invalid content; a retry would return the same. The reason quotes ids at most. */
export function invalidContent(reason: string): TransportError {
  return new TransportError({ kind: 'invalid-content' }, `unexpected response: ${reason}`)
}

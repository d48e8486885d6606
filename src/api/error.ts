import { exit, Failure } from '../model/failure.ts'

/**
 * Why a request has no usable answer: what a caller has to know to decide what comes next.
 *
 * | kind       | meaning                                                                      |
 * |------------|------------------------------------------------------------------------------|
 * | `status`   | answered 400 or more; `retryAfter`: seconds the service asks to wait         |
 * | `redirect` | answered 3xx, which is not followed                                          |
 * | `answer`   | answered by no valid response: status, type, JSON, a body that was cut       |
 * | `content`  | a valid response whose content is wrong: size, shape, ids, paging            |
 * | `network`  | no answer; `code` is the system's                                            |
 * | `timeout`  | no complete answer in time                                                   |
 * | `aborted`  | the run was interrupted                                                      |
 * | `held`     | an update that waited for so long that what it was made of is old            |
 * | `spent`    | there was no room for it in the requests that the run may make               |
 *
 * `sent: 'no'` is known for certain; with `'perhaps'`, and with every kind but `status`, the fate of an
 * update is open.
 */
export type ApiProblem =
  | {
      readonly kind: 'status'
      readonly status: number
      readonly retryAfter?: number
      /** Of a 429 that asks to wait longer than the run may: the run is over until then. */
      readonly comeBack?: Date
      /** Of a 401: the run has other tokens to ask with. */
      readonly otherTokens?: true
    }
  | { readonly kind: 'redirect' }
  | { readonly kind: 'answer' }
  | { readonly kind: 'content' }
  | { readonly kind: 'network'; readonly code: string; readonly sent: 'no' | 'perhaps' }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'aborted'; readonly sent: 'no' | 'perhaps' }
  | { readonly kind: 'held'; readonly sent: 'no' }
  | { readonly kind: 'spent'; readonly sent: 'no' }

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

/** Answers that say for certain: not carried out, and asking again will not help. */
const REFUSALS: readonly number[] = [400, 401, 403, 404, 409]

/** True if the service refused, and would refuse again. */
export function isClientError(error: unknown): boolean {
  return REFUSALS.includes(statusOf(error) ?? 0)
}

/** True if the request never left, or if the service did not take it up (429). */
export function wasNotProcessed(error: unknown): boolean {
  if (statusOf(error) === 429) return true
  return error instanceof ApiError && 'sent' in error.problem && error.problem.sent === 'no'
}

/** The status that the service answered with; undefined if there was none, or another error. */
export function statusOf(error: unknown): number | undefined {
  if (!(error instanceof ApiError)) return undefined
  return error.problem.kind === 'status' ? error.problem.status : undefined
}

/** What is said beside the reason of a fault. */
interface Remarks {
  /** Words of the service. Whatever in them is secret is taken out before they are shown. */
  readonly detail?: string | undefined
  readonly hint?: string | undefined
}

/** What went wrong with an answer, before it is told of which request: `send` makes it an `ApiError`. */
export class TransportError extends Error {
  readonly problem: ApiProblem
  readonly remarks: Remarks

  constructor(problem: ApiProblem, reason: string, remarks: Remarks = {}) {
    super(reason)
    this.name = 'Fault'
    this.problem = problem
    this.remarks = remarks
  }
}

/**
 * A response that is none of the service: another one may follow when asked again. The reason quotes nothing
 * of the response.
 */
export function invalidResponse(reason: string, detail?: string): TransportError {
  return new TransportError({ kind: 'answer' }, `unexpected response: ${reason}`, { detail })
}

/** A complete response with wrong content: asking again would give the same. The reason quotes ids at most. */
export function invalidContent(reason: string): TransportError {
  return new TransportError({ kind: 'content' }, `unexpected response: ${reason}`)
}

import { ApiError, statusOf, wasNotProcessed } from '../api/error.ts'
import { reasonOf } from '../model/failure.ts'

/** A gateway's words: whatever it waited for may still be at work behind it. */
const GATEWAY: readonly number[] = [502, 504]

/** Why no other request would be answered, either; undefined if others may be. */
export function fatalReason(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  const { problem } = error
  if (problem.kind === 'spent') return 'the requests that --max-requests allows are used up'
  if (problem.kind !== 'status') return undefined
  if (problem.status === 401) {
    return problem.otherTokens ? undefined : 'the service no longer accepts the token'
  }
  return problem.comeBack && `the rate limit is used up: ${error.hint}`
}

/** Why an update failed, and what to do about it, on one line. */
export function cureOf(error: unknown): string {
  const hint = error instanceof ApiError ? error.hint : undefined
  return [reasonOf(error), ...(hint === undefined ? [] : [hint])].join('; ')
}

/** Why a WLAN could not be read back, as the end of a sentence. */
export function readBackReason(error: unknown): string {
  const isLimit =
    error instanceof ApiError && error.problem.kind === 'status' && error.problem.comeBack
  if (!isLimit) return `it could not be read back: ${reasonOf(error)}`
  const next = 'the next run compares again and sends nothing twice'
  return `the rate limit refused the read-back: ${error.hint}; ${next}`
}

/** True if an update cannot arrive later any more: the service answered it, or it never left. */
export function cannotStillArrive(error: unknown): boolean {
  const status = statusOf(error)
  return wasNotProcessed(error) || (status !== undefined && !GATEWAY.includes(status))
}

/** True if the update waited for so long that what it was made of is old: it was not sent. */
export function isExpired(error: unknown): boolean {
  return error instanceof ApiError && error.problem.kind === 'held'
}

/** Why a request was not made that nothing was wrong with; undefined if it was made, or refused. */
export function skipReason(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  if (error.problem.kind === 'aborted') return 'interrupted'
  return error.problem.kind === 'spent' ? fatalReason(error) : undefined
}

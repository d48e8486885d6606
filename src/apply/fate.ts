import { ApiError } from '../api/error.ts'

/** Answers that say for certain: not written, and asking again will not help. */
const REFUSALS: readonly number[] = [400, 401, 403, 404, 409]

/** A gateway's words: whatever it waited for may still be at work behind it. */
const GATEWAY: readonly number[] = [502, 504]

/** True if the service refused, and would refuse again. */
export function isRefusal(error: unknown): boolean {
  return REFUSALS.includes(statusOf(error) ?? 0)
}

/** Why no other request would be answered, either; undefined if others may be. */
export function endOfRun(error: unknown): string | undefined {
  if (!(error instanceof ApiError) || error.problem.kind !== 'status') return undefined
  if (error.problem.status === 401) return 'the service no longer accepts the token'
  return error.problem.comeBack && `the rate limit is used up: ${error.hint}`
}

/** True if an update cannot arrive later any more: the service answered it, or it never left. */
export function isOver(error: unknown): boolean {
  const status = statusOf(error)
  return isUnsent(error) || (status !== undefined && !GATEWAY.includes(status))
}

/** True if the request never left, or if the service did not take it up (429). */
export function isUnsent(error: unknown): boolean {
  if (statusOf(error) === 429) return true
  return error instanceof ApiError && 'sent' in error.problem && error.problem.sent === 'no'
}

/** True if the update waited for so long that what it was made of is old: it was not sent. */
export function isHeld(error: unknown): boolean {
  return error instanceof ApiError && error.problem.kind === 'held'
}

/** True if the run was cut short, and the request with it. */
export function isCut(error: unknown): boolean {
  return error instanceof ApiError && error.problem.kind === 'aborted'
}

function statusOf(error: unknown): number | undefined {
  if (!(error instanceof ApiError)) return undefined
  return error.problem.kind === 'status' ? error.problem.status : undefined
}

import { ApiError, isUnsent, statusOf } from '../api/error.ts'

/** A gateway's words: whatever it waited for may still be at work behind it. */
const GATEWAY: readonly number[] = [502, 504]

/** Why no other request would be answered, either; undefined if others may be. */
export function endOfRun(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  const { problem } = error
  if (problem.kind === 'spent') return 'the requests that --max-requests allows are used up'
  if (problem.kind !== 'status') return undefined
  if (problem.status === 401) return 'the service no longer accepts the token'
  return problem.comeBack && `the rate limit is used up: ${error.hint}`
}

/** True if an update cannot arrive later any more: the service answered it, or it never left. */
export function isOver(error: unknown): boolean {
  const status = statusOf(error)
  return isUnsent(error) || (status !== undefined && !GATEWAY.includes(status))
}

/** True if the update waited for so long that what it was made of is old: it was not sent. */
export function isHeld(error: unknown): boolean {
  return error instanceof ApiError && error.problem.kind === 'held'
}

/** Why a request was not made that nothing was wrong with; undefined if it was made, or refused. */
export function notTried(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  if (error.problem.kind === 'aborted') return 'interrupted'
  return error.problem.kind === 'spent' ? endOfRun(error) : undefined
}

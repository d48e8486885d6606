import { reasonOf } from '../../core/model/failure.ts'
import { ApiError, statusOf, wasNotProcessed } from '../../service/http/error.ts'

/** Statuses of a gateway: the service behind it may still process the update. */
const GATEWAY_ERRORS: readonly number[] = [502, 504]

/** The reason why every further request of the run would fail, too; undefined if others may succeed. */
export function fatalReason(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  const { problem } = error
  if (problem.kind !== 'status') return undefined
  if (problem.status === 401) {
    return problem.otherTokens ? undefined : 'the service no longer accepts the token'
  }
  return problem.retryAt && `the rate limit is used up: ${error.hint}`
}

export function reasonWithHint(error: unknown): string {
  const hint = error instanceof ApiError ? error.hint : undefined
  return [reasonOf(error), ...(hint === undefined ? [] : [hint])].join('; ')
}

const MAX_FRAMES = 5

/** For a bug in wlanctl: the message and the top of the stack on one line, without folders. */
export function bugReason(thrown: unknown): string {
  const stack = (thrown instanceof Error && thrown.stack) || ''
  const frames = [...stack.matchAll(/^ {4}at (.*?)\(?[^\s()]*[/\\]([^\s()/\\]+:\d+:\d+)\)?$/gm)]
  return [
    `an error in wlanctl, please report it: ${reasonOf(thrown)}`,
    ...frames.slice(0, MAX_FRAMES).map(([, name = '', position]) => `at ${name}${position}`)
  ].join('; ')
}

/** The reason why a WLAN could not be read back, as the end of a sentence. */
export function readBackReason(error: unknown): string {
  const isLimit =
    error instanceof ApiError && error.problem.kind === 'status' && error.problem.retryAt
  if (!isLimit) return `it could not be read back: ${reasonOf(error)}`
  const next = 'the next run compares again and sends nothing twice'
  return `the rate limit refused the read-back: ${error.hint}; ${next}`
}

/** True if the update cannot arrive later: the service responded, or the update was not sent. */
export function cannotStillArrive(error: unknown): boolean {
  const status = statusOf(error)
  return wasNotProcessed(error) || (status !== undefined && !GATEWAY_ERRORS.includes(status))
}

/** True if the update waited until its data was too old, and was not sent. */
export function isExpired(error: unknown): boolean {
  return error instanceof ApiError && error.problem.kind === 'expired'
}

/** The reason why a valid request was not sent; undefined if it was sent or rejected. */
export function skipReason(error: unknown): string | undefined {
  return error instanceof ApiError && error.problem.kind === 'aborted' ? 'interrupted' : undefined
}

import type { Attempts } from '../api/attempts.ts'
import { backoff } from '../api/backoff.ts'
import type { Writer } from '../api/client.ts'
import type { Clock } from '../api/clock.ts'
import { isClientError, wasNotProcessed } from '../api/error.ts'
import { reasonOf } from '../model/failure.ts'
import type { Outcome } from '../model/outcome.ts'
import type { Change } from '../model/plan.ts'
import { outcome } from './outcome.ts'
import type { Recorder } from './record/recorder.ts'
import { cannotStillArrive, cureOf, isExpired, skipReason } from './update-errors.ts'
import { type Sent, verify } from './verify.ts'

/** What a change is applied with. */
export interface ApplyContext {
  readonly writer: Pick<Writer, 'readWlan' | 'updateWlan'>
  readonly clock: Clock
  /** How long reading back may go on, in milliseconds. */
  readonly verifyTimeout: number
  /** Times an update is sent before it is given up (see `Attempts`). */
  readonly maxAttempts: number
  /** From 0 to 1, for the pauses in between. */
  readonly random: () => number
  /** Why nothing new may be sent; undefined as long as it may. */
  readonly halted: () => string | undefined
  readonly recorder: Recorder
}

/** What is older than this is read again before it is written upon, in milliseconds. */
export const FRESH_FOR = 5_000

/**
 * Reads may be behind: for so long an update that may have arrived is looked for before it is sent
 * again, in milliseconds.
 */
const LOOK_FOR = 2_000

/**
 * Sends the update until its fate is known: after an answer that cannot be trusted the WLAN is read
 * first, and the same body is sent again only if nothing of it is there. It is `held` if it had to wait
 * for so long that the WLAN may be another by now, and was not sent.
 */
export async function sendUpdate(
  change: Change,
  sent: Sent,
  tools: ApplyContext,
  attempts: Attempts
): Promise<Outcome | 'held'> {
  let mayArrive = false
  for (;;) {
    const error = await put(sent, tools, attempts)
    tools.recorder.answered(change, error)
    if (error === undefined) return readBack(change, sent, tools)
    mayArrive ||= !cannotStillArrive(error)
    if (isExpired(error) && !mayArrive) return 'held'
    if (wasNotProcessed(error) && !mayArrive) return unsent(change, error)
    if (isClientError(error) && !mayArrive) {
      return outcome(change, 'failed', { reason: cureOf(error) })
    }
    const again = attempts.left > 0 && !isClientError(error)
    const rested = again && (await tools.clock.sleep(backoff(attempts.made, tools.random)))
    const lookFor = rested && mayArrive ? LOOK_FOR : 0
    const settled = await settle(change, sent, tools, { error, mayArrive, lookFor })
    if (settled !== 'not there') return settled
    if (rested) await tools.recorder.sending(change, attempts.made + 1)
    if (!rested || tools.halted() !== undefined) return notThere(change, error, mayArrive)
  }
}

/** Sends the update; gives what went wrong. A try in which nothing could be sent is an attempt, too. */
async function put(
  { site, wlanId, body }: Sent,
  { writer, clock }: ApplyContext,
  attempts: Attempts
): Promise<unknown> {
  const seen = clock.now()
  const { made } = attempts
  const isFresh = () => clock.now() - seen <= FRESH_FOR
  try {
    await writer.updateWlan(site, wlanId, body, { isFresh, attempts })
    return undefined
  } catch (error) {
    return error
  } finally {
    if (attempts.made === made) attempts.count()
  }
}

/** What reading shows of an update that the service accepted, as `accepted` says. */
async function readBack(
  change: Change,
  sent: Sent,
  tools: ApplyContext,
  accepted = 'accepted'
): Promise<Outcome> {
  const seen = await verify(sent, tools.writer, tools.verifyTimeout, tools.clock)
  tools.recorder.readBack(change, seen)
  switch (seen.status) {
    case 'applied':
      return outcome(change, 'applied', seen)
    case 'diverged':
      return outcome(change, 'diverged', {
        ...seen,
        reason: `${accepted}, but reading it back shows otherwise`
      })
    case 'unread':
      return outcome(change, 'unknown', {
        reason: `${accepted}, but ${seen.reason}`
      })
  }
}

/** An update without an answer to trust. */
interface Open {
  readonly error: unknown
  /** True if it, or one before it, can still arrive. */
  readonly mayArrive: boolean
  /** How long it is looked for, in milliseconds. */
  readonly lookFor: number
}

/** After an update whose answer cannot be trusted: what the service shows decides. */
async function settle(
  change: Change,
  sent: Sent,
  tools: ApplyContext,
  { error, mayArrive, lookFor }: Open
): Promise<Outcome | 'not there'> {
  const reason = reasonOf(error)
  const seen = await verify(sent, tools.writer, lookFor, tools.clock)
  tools.recorder.readBack(change, seen)
  switch (seen.status) {
    case 'applied':
      return outcome(change, 'applied', seen)
    case 'diverged': {
      if (!seen.touched) return 'not there'
      if (seen.inPart) return readBack(change, sent, tools, `${reason}; a part of it is there`)
      const reading = 'read back, it is neither as it was nor as it should be'
      return outcome(change, 'unknown', { ...seen, reason: `${reason}; ${reading}` })
    }
    case 'unread':
      return outcome(change, mayArrive || !wasNotProcessed(error) ? 'unknown' : 'failed', {
        reason: `${reason}; and ${seen.reason}`
      })
  }
}

function notThere(change: Change, error: unknown, mayArrive: boolean): Outcome {
  return outcome(change, mayArrive ? 'unknown' : 'failed', {
    reason: `${reasonOf(error)}; read back, the change is not there`
  })
}

/** An update that never left, or that the service did not take up. */
function unsent(change: Change, error: unknown): Outcome {
  const reason = skipReason(error)
  return reason === undefined
    ? outcome(change, 'failed', { reason: cureOf(error) })
    : outcome(change, 'skipped', { reason })
}

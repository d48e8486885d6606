import { hiddenFinding } from '../../core/diff/body.ts'
import type { DeferralCheck } from '../../core/model/calendar.ts'
import { reasonOf } from '../../core/model/failure.ts'
import { isFresh, type LiveWlan } from '../../core/model/live.ts'
import type { Outcome } from '../../core/model/outcome.ts'
import type { Change, PlannedChange } from '../../core/model/plan.ts'
import { escalationReason } from '../../core/plan/effects/escalation.ts'
import { planWlan } from '../../core/plan/plan.ts'
import { stillShown } from '../../core/schema/shown-secrets.ts'
import { compact } from '../../core/values/collections.ts'
import type { Writer } from '../../service/client.ts'
import type { Clock } from '../../service/http/clock.ts'
import { isClientError, mayPass, wasNotProcessed } from '../../service/http/error.ts'
import { Attempts, backoff } from '../../service/http/retry.ts'
import type { StartStep } from '../record/lines.ts'
import type { Recorder } from '../record/recorder.ts'
import { deferredOutcome, disturbedFields, keptValuesHint, outcome } from './outcome.ts'
import {
  bugReason,
  cannotStillArrive,
  fatalReason,
  isExpired,
  reasonWithHint,
  skipReason
} from './update-errors.ts'
import { LAG, type SentUpdate, type Verified, verify } from './verify.ts'

/** Stops a run from starting anything new. Requests in progress continue. */
export class StopSignal {
  readonly #interrupted: AbortSignal
  readonly #recorder: Pick<Recorder, 'failure'>
  #reason: string | undefined

  /** Stops automatically when the run is interrupted or can no longer be recorded. */
  constructor(interrupted: AbortSignal, recorder: Pick<Recorder, 'failure'>) {
    this.#interrupted = interrupted
    this.#recorder = recorder
  }

  /** The first reason to stop; undefined if there is none. */
  get reason(): string | undefined {
    if (this.#interrupted.aborted) this.stop(interruption(this.#interrupted))
    if (this.#recorder.failure !== undefined) this.stop('the record could not be written any more')
    return this.#reason
  }

  stop(reason: string | undefined): void {
    this.#reason ??= reason
  }
}

/** Why a run is interrupted: the text that its signal was aborted with, if any. */
function interruption({ reason }: AbortSignal): string {
  return typeof reason === 'string' ? reason : 'interrupted'
}

export interface ApplyContext {
  readonly writer: Pick<Writer, 'readWlan' | 'updateWlan'>
  readonly clock: Clock
  /** The timeout of the read-back, in milliseconds. */
  readonly verifyTimeout: number
  /** The desired values are earlier ones, which no file declares. */
  readonly restores?: boolean
  /** The maximum number of times that an update is sent (see `Attempts`). */
  readonly maxAttempts: number
  /** Returns a number from 0 to 1, for the jitter. */
  readonly random: () => number
  readonly stopSignal: StopSignal
  readonly recorder: Recorder
  /** Checks the windows and freezes before each update; absent if changes may be sent at any time. */
  readonly deferral?: DeferralCheck
}

const STALE = 'it is no longer as it was when the plan was made'
const TOO_SLOW =
  'more than a second passed after each read was requested, because the service answers slowly or limits the rate (429)'
const EXPIRED = `not sent: ${TOO_SLOW}; run again later, or with a smaller --parallelism`

/** Reads the WLAN again if needed, sends the update and verifies it. Never throws: errors become outcomes. */
export async function applyChange(planned: PlannedChange, context: ApplyContext): Promise<Outcome> {
  const { change } = planned
  const attempts = new Attempts(context.maxAttempts)
  try {
    while (attempts.left > 0) {
      const result = await attemptChange(planned, context, attempts)
      if (result !== 'expired') return result
    }
  } catch (thrown) {
    const status = attempts.made > 0 ? 'unknown' : 'failed'
    return outcome(change, status, { reason: bugReason(thrown) })
  }
  return outcome(change, 'failed', { reason: EXPIRED, isTransient: true })
}

/**
 * One attempt to apply a change. It is recorded before the WLAN is read, so that a slow record does not make
 * the read old. Returns `expired` if the update waited so long that it must be planned again.
 */
async function attemptChange(
  planned: PlannedChange,
  context: ApplyContext,
  attempts: Attempts
): Promise<Outcome | 'expired'> {
  const { change, desired } = planned
  const waits = deferredOutcome(change, context.deferral)
  if (waits !== undefined) return waits
  await context.recorder.starting(sending(change, attempts))
  const live = await refresh(planned, context)
  if ('status' in live) return live
  const secretsShown = stillShown(planned.secretsShown, planned.live.record, live.record)
  const effects = { exposes: change.exposes ?? [] }
  const now = planWlan(change.site, desired, live, { secretsShown, effects })
  const fields = disturbedFields(planned, live, now)
  if (fields.length > 0) return outcome(change, 'stale', { reason: STALE, fields })
  if (now.status === 'unchanged') return outcome(change, 'unchanged')
  if (now.status !== 'changed') {
    const reason = now.status === 'blocked' ? now.finding.message : 'it cannot be planned again'
    return outcome(change, 'failed', { reason })
  }
  const { hidden = [] } = now
  if (hidden.length > 0) {
    const { code, message, hint } = hiddenFinding(hidden, {})
    return outcome(change, 'skipped', { reason: `${code}: ${message}`, ...compact({ hint }) })
  }
  const escalation = escalationReason(now.change, [change], live.record)
  if (escalation !== undefined) return outcome(change, 'stale', { reason: escalation })
  // The impact may have changed, and the window may have closed while the WLAN was read.
  const closed = deferredOutcome(now.change, context.deferral)
  if (closed !== undefined) return closed
  const { reason } = context.stopSignal
  if (reason !== undefined) return outcome(change, 'skipped', { reason })
  const { site, wlan } = change
  const body = now.change.request.body
  const { record: before, readAt } = live
  const update = {
    ...{ site, wlanId: wlan.id, desired, before, readAt, body },
    ...compact({ secretsShown: secretsShown() })
  }
  return sendUpdate(change, update, context, attempts)
}

/** The step before an update is sent. */
function sending({ address }: Change, { made }: Attempts): StartStep {
  return { step: 'sending', address, attempt: made + 1 }
}

async function refresh(
  { change, live }: PlannedChange,
  { clock, writer, stopSignal }: ApplyContext
): Promise<LiveWlan | Outcome> {
  if (isFresh(live, clock.now())) return live
  try {
    return await writer.readWlan(change.site, change.wlan.id)
  } catch (error) {
    stopSignal.stop(fatalReason(error))
    const skipped = skipReason(error)
    if (skipped !== undefined) return outcome(change, 'skipped', { reason: skipped })
    const reason = `it could not be read again: ${reasonWithHint(error)}`
    return failed(change, reason, error)
  }
}

/**
 * Sends the update until its result is known. After an error it reads the WLAN first, and sends the same body
 * again only if no part of it arrived. Returns `expired` if the update waited until the WLAN may have
 * changed, and was not sent.
 */
async function sendUpdate(
  change: Change,
  update: SentUpdate,
  context: ApplyContext,
  attempts: Attempts
): Promise<Outcome | 'expired'> {
  const { recorder, clock, random, stopSignal } = context
  let mayArrive = false
  let { readAt } = update
  let cause: unknown
  for (;;) {
    const error = await putUpdate({ ...update, readAt }, context, attempts)
    recorder.record({
      ...{ step: 'answered', address: change.address },
      ...(error !== undefined && { error: reasonOf(error) })
    })
    if (error === undefined) return readBack(change, update, context)
    stopSignal.stop(fatalReason(error))
    mayArrive ||= !cannotStillArrive(error)
    if (isExpired(error) && !mayArrive) return 'expired'
    if (!isExpired(error)) cause = error
    const isFinal = wasNotProcessed(error) || isClientError(error)
    if (isFinal && !mayArrive) return notSent(change, error)
    const mayRetry = attempts.left > 0 && !isClientError(error)
    const retries = mayRetry && (await clock.sleep(backoff(attempts.made, random)))
    const timeout = retries && mayArrive ? LAG : 0
    const arrival = await checkArrival(change, update, context, { cause, mayArrive, timeout })
    if ('status' in arrival) return arrival
    readAt = arrival.readAt
    const why = arrival.reason + (isExpired(error) ? `; not sent again: ${TOO_SLOW}` : '')
    const notThere = mayArrive
      ? outcome(change, 'unknown', { reason: why })
      : failed(change, why, cause ?? error)
    const closed = retries ? deferredOutcome(change, context.deferral) : undefined
    if (closed !== undefined) return mayArrive ? notThere : closed
    if (retries) await recorder.starting(sending(change, attempts))
    if (!retries || stopSignal.reason !== undefined) return notThere
  }
}

/** Sends the update once and returns the error, if any. An attempt without a request counts, too. */
async function putUpdate(
  { site, wlanId, body, readAt }: SentUpdate,
  { writer, clock }: ApplyContext,
  attempts: Attempts
): Promise<unknown> {
  const { made } = attempts
  const options = { isFresh: () => isFresh({ readAt }, clock.now()), attempts }
  try {
    await writer.updateWlan(site, wlanId, body, options)
    return undefined
  } catch (error) {
    return error
  } finally {
    if (attempts.made === made) attempts.count()
  }
}

async function verifyAndRecord(
  change: Change,
  update: SentUpdate,
  { writer, clock, recorder, stopSignal }: ApplyContext,
  timeout: number
): Promise<Verified> {
  const verified = await verify(update, writer, timeout, clock)
  if (verified.status === 'unread') stopSignal.stop(verified.fatalReason)
  recorder.record({ step: 'read', address: change.address, seen: verified.status })
  return verified
}

/** The outcome of an update that the service accepted; `accepted` starts the reason. */
async function readBack(
  change: Change,
  update: SentUpdate,
  context: ApplyContext,
  accepted = 'accepted'
): Promise<Outcome> {
  const verified = await verifyAndRecord(change, update, context, context.verifyTimeout)
  switch (verified.status) {
    case 'applied':
      return outcome(change, 'applied', verified)
    case 'diverged':
      return outcome(change, 'diverged', {
        ...verified,
        reason: `${accepted}, but the read-back shows other values`,
        ...(context.restores ? {} : { hint: keptValuesHint(update, verified.fields) })
      })
    case 'unread':
      return outcome(change, 'unknown', { reason: `${accepted}, but ${verified.reason}` })
  }
}

interface FailedUpdate {
  readonly cause: unknown
  /** True if this update, or an earlier one of the change, can still arrive. */
  readonly mayArrive: boolean
  readonly timeout: number
}

interface NotArrived {
  readonly reason: string
  readonly readAt: number
}

/** Reads the WLAN after a failed update. Returns the outcome that the live WLAN shows, if it shows one. */
async function checkArrival(
  change: Change,
  update: SentUpdate,
  context: ApplyContext,
  { cause, mayArrive, timeout }: FailedUpdate
): Promise<Outcome | NotArrived> {
  const reason = reasonOf(cause).replace(/\.$/, '')
  const verified = await verifyAndRecord(change, update, context, timeout)
  if (verified.status === 'unread') {
    const both = `${reason}; and ${verified.reason}`
    if (mayArrive || !wasNotProcessed(cause)) return outcome(change, 'unknown', { reason: both })
    return failed(change, both, cause)
  }
  const { status, visible, touched, partial, readAt } = verified
  if (status === 'applied' && visible) return outcome(change, 'applied', verified)
  if (!touched) {
    const shown = visible ? 'shows the old values' : 'cannot show whether it arrived'
    return { reason: `${reason}; the read-back ${shown}`, readAt }
  }
  if (partial) return readBack(change, update, context, `${reason}; a part of it is there`)
  const shown = visible ? 'neither the old nor the new values' : 'other changes beside it'
  const why = `${reason}; the read-back shows ${shown}`
  return outcome(change, 'unknown', { ...verified, reason: why })
}

function failed(change: Change, reason: string, error: unknown): Outcome {
  return outcome(change, 'failed', { reason, ...(mayPass(error) && { isTransient: true }) })
}

function notSent(change: Change, error: unknown): Outcome {
  const reason = skipReason(error)
  return reason === undefined
    ? failed(change, reasonWithHint(error), error)
    : outcome(change, 'skipped', { reason })
}

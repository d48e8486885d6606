import type { Writer } from '../api/client.ts'
import { ApiError } from '../api/error.ts'
import { reasonOf } from '../model/failure.ts'
import type { LiveWlan } from '../model/live.ts'
import type { FieldOutcome, Outcome, Status } from '../model/outcome.ts'
import type { Change, Verdict } from '../model/plan.ts'
import { overlap, type Pointer } from '../model/pointer.ts'
import { moved } from '../plan/diff.ts'
import { planWlan } from '../plan/plan.ts'
import type { Clock } from './clock.ts'
import { fieldOutcome, type Sent, verify } from './verify.ts'

/** A change as it was planned, with what it was derived from. */
export type PlannedChange = Extract<Verdict, { status: 'changed' }>

/** What a change is applied with. */
export interface Tools {
  readonly writer: Writer
  readonly clock: Clock
  /** How long reading back may go on, in milliseconds. */
  readonly verifyTimeout: number
}

/** What is older than this is read again before it is written upon, in milliseconds. */
const FRESH_FOR = 5_000

/** Answers that say for certain: not written, and asking again will not help. */
const REFUSALS: readonly number[] = [400, 401, 403, 404, 409]

/**
 * Applies one change: look again, send, read back. Whatever happens becomes an outcome; what is
 * thrown is a bug, or an `ApiError` with status 401, which ends the run.
 */
export async function applyChange(planned: PlannedChange, tools: Tools): Promise<Outcome> {
  const { change, desired } = planned
  const fresh = await lookAgain(planned, tools)
  if ('reason' in fresh) return outcome(change, 'failed', { reason: fresh.reason })
  const now = planWlan(change.site, desired, fresh)
  if (now.status === 'unchanged') return outcome(change, 'unchanged')
  const disturbed = disturbedFields(planned, fresh)
  if (disturbed.length > 0) {
    return outcome(change, 'stale', {
      reason: 'somebody changed it since the plan was made',
      fields: disturbed
    })
  }
  if (now.status !== 'changed') {
    const reason = now.status === 'blocked' ? now.finding.message : 'it cannot be planned again'
    return outcome(change, 'failed', { reason })
  }
  return send(
    change,
    {
      site: change.site,
      wlanId: change.wlan.id,
      desired,
      before: fresh.record,
      body: now.change.request.body
    },
    tools
  )
}

/** The WLAN as it is now: the listed one while it is fresh, else read again. */
async function lookAgain(
  { change, live }: PlannedChange,
  { clock, writer }: Tools
): Promise<LiveWlan | { readonly reason: string }> {
  if (clock.now() - live.readAt <= FRESH_FOR) return live
  try {
    return await writer.readWlan(change.site, change.wlan.id)
  } catch (error) {
    if (isUnauthorised(error)) throw error
    return { reason: `it could not be read again: ${reasonOf(error)}` }
  }
}

/** The fields that would change and that are no longer as the plan found them. */
function disturbedFields({ change, live }: PlannedChange, fresh: LiveWlan): FieldOutcome[] {
  const since = moved(live.record, fresh.record)
  const planned = new Set(change.patch.map(({ path }) => path))
  return [...planned]
    .filter(pointer => since.some(at => overlap(at, pointer)))
    .map(pointer => fieldOutcome(pointer, { before: live.record, found: fresh.record }))
}

async function send(change: Change, sent: Sent, tools: Tools): Promise<Outcome> {
  try {
    await tools.writer.updateWlan(sent.site, sent.wlanId, sent.body)
  } catch (error) {
    if (isUnauthorised(error)) throw error
    if (isRefusal(error)) return outcome(change, 'failed', { reason: reasonOf(error) })
    return settle(change, sent, tools, error)
  }
  const seen = await verify(sent, tools.writer, tools.verifyTimeout, tools.clock)
  switch (seen.status) {
    case 'applied':
      return outcome(change, 'applied', seen)
    case 'diverged':
      return outcome(change, 'diverged', {
        ...seen,
        reason: 'accepted, but reading it back shows otherwise'
      })
    case 'unread':
      return outcome(change, 'unknown', {
        reason: `accepted, but it could not be read back: ${seen.reason}`
      })
  }
}

/** After an update whose answer cannot be trusted: what the service shows decides. */
async function settle(change: Change, sent: Sent, tools: Tools, error: unknown): Promise<Outcome> {
  const reason = reasonOf(error)
  const seen = await verify(sent, tools.writer, 0, tools.clock)
  switch (seen.status) {
    case 'applied':
      return outcome(change, 'applied', seen)
    case 'diverged':
      return outcome(change, isOver(error) ? 'failed' : 'unknown', {
        reason: `${reason}; read back, the change is not there`
      })
    case 'unread':
      return outcome(change, isUnsent(error) ? 'failed' : 'unknown', {
        reason: `${reason}; and it could not be read back: ${seen.reason}`
      })
  }
}

/** True if the token was not accepted: no other request would be, either. */
export function isUnauthorised(error: unknown): boolean {
  return statusOf(error) === 401
}

function isRefusal(error: unknown): boolean {
  return REFUSALS.includes(statusOf(error) ?? 0)
}

/** True if the update cannot arrive later any more: it was answered, or it never left. */
function isOver(error: unknown): boolean {
  return statusOf(error) !== undefined || isUnsent(error)
}

function isUnsent(error: unknown): boolean {
  return error instanceof ApiError && 'sent' in error.problem && error.problem.sent === 'no'
}

function statusOf(error: unknown): number | undefined {
  if (!(error instanceof ApiError)) return undefined
  return error.problem.kind === 'status' ? error.problem.status : undefined
}

/** The outcome of a change; what is not said of it is empty. */
export function outcome(
  { address }: Pick<Change, 'address'>,
  status: Status,
  details: {
    readonly reason?: string
    readonly fields?: readonly FieldOutcome[]
    readonly sideEffects?: readonly Pointer[]
    readonly notVerifiable?: readonly Pointer[]
  } = {}
): Outcome {
  const { reason, fields = [], sideEffects = [], notVerifiable = [] } = details
  return {
    address,
    status,
    fields,
    ...(reason === undefined ? {} : { reason }),
    sideEffects,
    notVerifiable
  }
}

import { composeBody } from '../../core/diff/body.ts'
import type { DesiredSite, DesiredWlan } from '../../core/model/desired.ts'
import { aboutWlan } from '../../core/model/finding.ts'
import type { LiveWlan } from '../../core/model/live.ts'
import { type Outcome, outcomeData, outcomeFrom } from '../../core/model/outcome.ts'
import type { Change, PlannedChange } from '../../core/model/plan.ts'
import { planWlan } from '../../core/plan/plan.ts'
import { byCodeUnit } from '../../core/values/collections.ts'
import { Attempts } from '../../service/http/retry.ts'
import type { Recorder } from '../record/recorder.ts'
import { lostSecrets } from '../record/restore.ts'
import { changedSince, restoredSites, withLostSecrets } from '../record/revert.ts'
import { type Undo, undoOf } from '../record/undo.ts'
import { type ApplyContext, applyChange, sending, sendUpdate } from './change.ts'
import { fatalReason, reasonWithHint } from './update-errors.ts'
import { isAsBefore, LAG } from './verify.ts'

/** A change of the run whose outcome is known. */
export interface SettledChange {
  readonly planned: PlannedChange
  readonly outcome: Outcome
  /** True if it was edited during the hold: `outcome.fields` has values that the run did not send. */
  readonly moved?: true
}

interface Rollback {
  readonly settled: SettledChange
  readonly why: string
  readonly undo: Undo
  readonly site: DesiredSite
  /** The WLAN with its former values. */
  readonly desired: DesiredWlan
}

/** The context of a rollback: of the update that it puts back. */
type RollbackContext = ApplyContext & Required<Pick<ApplyContext, 'undoes'>>

/**
 * Rolls back a change as `revert` does with a record: only the fields that still have the values of the
 * change, with a read-back. Returns the new outcome: `reverted`, `unchanged` if someone else put it back, or
 * the old one with the reason why it could not be put back. It never throws.
 */
export async function putBack(
  settled: SettledChange,
  why: string,
  context: RollbackContext
): Promise<Outcome> {
  const undo = undoOfChange(settled)
  const [site] = undo === undefined ? [] : restoredSites([undo], '')
  const [desired] = site?.wlans ?? []
  if (undo === undefined || site === undefined || desired === undefined) return settled.outcome
  const rollback = { settled, why, undo, site, desired }
  const attempts = new Attempts(context.maxAttempts)
  const reverting = { ...context, recorder: revertingRecorder(context.recorder) }
  while (attempts.left > 0) {
    const { made } = attempts
    const outcome = await attemptRollback(rollback, reverting, attempts)
    if (outcome !== 'again') return outcome
    if (attempts.made === made) attempts.count()
  }
  return notPutBack(settled.outcome, 'each read was too old or showed other values')
}

/** Returns `again` if the WLAN must be read again first. */
async function attemptRollback(
  rollback: Rollback,
  context: RollbackContext,
  attempts: Attempts
): Promise<Outcome | 'again'> {
  const { undo, site, desired, settled } = rollback
  const { outcome } = settled
  const { reason } = context.stopSignal
  if (reason !== undefined) return notPutBack(outcome, reason)
  const live = await readLive(settled.planned, context)
  if ('problem' in live) return notPutBack(outcome, live.problem)
  const edited = changedSince(undo, live.record)
  if (edited.length > 0) return notPutBack(outcome, `edited since: ${edited.join(', ')}`)
  const verdict = planWlan(site, desired, live)
  switch (verdict.status) {
    case 'unchanged':
      // Without lost secrets, a read shows all that the update may have changed.
      return isAsBefore(context.undoes, live.record) ||
        (outcome.status === 'unknown' && undo.lostSecrets.length === 0)
        ? sendFormer(rollback, live, context, attempts)
        : putBackByOther(rollback)
    case 'changed': {
      const result = await applyChange(verdict, context, attempts)
      return result.status === 'unchanged' ? 'again' : withResult(rollback, result)
    }
    case 'blocked':
      return notPutBack(outcome, verdict.finding.message)
    default:
      return notPutBack(outcome, 'it cannot be planned')
  }
}

/** A read that shows the former values may lag behind the update, or the update may still arrive. */
async function sendFormer(
  rollback: Rollback,
  { record, readAt }: LiveWlan,
  context: RollbackContext,
  attempts: Attempts
): Promise<Outcome | 'again'> {
  const { settled, undo, site, desired } = rollback
  const { change } = settled.planned
  const { undoes, recorder } = context
  const composed = composeBody(desired.fields, record, Object.keys(undoes.body), aboutWlan(desired))
  if ('finding' in composed) {
    const kept = notPutBack(settled.outcome, composed.finding.message)
    return withLostSecrets(kept, undo.lostSecrets)
  }
  await recorder.starting(sending(change, attempts))
  const update = {
    ...{ site, wlanId: change.wlan.id, desired, body: composed.body, undoes, readAt },
    before: { ...record, ...undoes.body }
  }
  const result = await sendUpdate(change, update, context, attempts)
  if (result === 'expired') return 'again'
  // The body has all former values, with their secrets.
  return withResult({ ...rollback, undo: { ...undo, lostSecrets: [] } }, result)
}

/** The undo of the change, from the same data that a record contains: without secrets. */
function undoOfChange({ planned, outcome, moved }: SettledChange): Undo | undefined {
  const change = JSON.parse(JSON.stringify(planned.change)) as Change
  const known = outcomeFrom(JSON.parse(JSON.stringify(outcomeData(outcome))))
  const lost = lostSecrets(planned.live.record, planned.change.request.body)
  const recorded = { change, lostSecrets: lost, outcome: known, timeline: [], line: 1 }
  return undoOf([{ changes: [{ ...recorded, ...(moved && { moved }) }] }])[0]
}

/** Reads the WLAN; if it is as before the update, it is read again when the read no longer lags. */
async function readLive(
  { change }: PlannedChange,
  { writer, clock, stopSignal, undoes }: RollbackContext
): Promise<LiveWlan | { readonly problem: string }> {
  try {
    const live = await writer.readWlan(change.site, change.wlan.id)
    if (!isAsBefore(undoes, live.record) || !(await clock.sleep(LAG))) return live
    return await writer.readWlan(change.site, change.wlan.id)
  } catch (error) {
    stopSignal.stop(fatalReason(error))
    return { problem: `it could not be read: ${reasonWithHint(error)}` }
  }
}

/** Records an update that puts a WLAN back as a `reverting` step. */
function revertingRecorder(recorder: Recorder): Recorder {
  return {
    failure: undefined,
    record: step => recorder.record(step),
    starting: step => recorder.starting({ ...step, step: 'reverting' })
  }
}

function putBackByOther({ settled: { outcome }, undo, why }: Rollback): Outcome {
  if (undo.lostSecrets.length > 0) {
    const secrets = 'a record does not hold the former secrets'
    return withLostSecrets(notPutBack(outcome, secrets), undo.lostSecrets)
  }
  return { ...outcome, status: 'unchanged', fields: [], reason: `${why}; put back by someone else` }
}

function withResult({ settled: { outcome }, undo, why }: Rollback, result: Outcome): Outcome {
  switch (result.status) {
    case 'applied': {
      const all = new Set([...outcome.sideEffects, ...result.sideEffects])
      const sideEffects = [...all].sort(byCodeUnit)
      const back = { status: 'reverted', fields: [], reason: why, sideEffects } as const
      return withLostSecrets({ ...outcome, ...back }, undo.lostSecrets)
    }
    case 'diverged':
    case 'unknown': {
      const { status, fields, reason = status } = result
      const tried = { status, fields, reason: `${why}; putting it back: ${reason}` }
      return withLostSecrets({ ...outcome, ...tried }, undo.lostSecrets)
    }
    default:
      return notPutBack(outcome, result.reason ?? result.status)
  }
}

function notPutBack(outcome: Outcome, problem: string): Outcome {
  const before = outcome.reason === undefined ? '' : `${outcome.reason}; `
  return { ...outcome, reason: `${before}not put back: ${problem}` }
}

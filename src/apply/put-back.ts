import { byCodeUnit } from '../model/collections.ts'
import type { LiveWlan } from '../model/live.ts'
import { type Outcome, outcomeData, outcomeFrom } from '../model/outcome.ts'
import type { Change, PlannedChange } from '../model/plan.ts'
import { planWlan } from '../plan/plan.ts'
import { type ApplyContext, applyChange } from './change.ts'
import { noRecorder, type Recorder } from './record/recorder.ts'
import { lostSecrets } from './record/restore.ts'
import { changedSince, restoredSites } from './record/revert.ts'
import { type Undo, undoOf } from './record/undo.ts'
import { fatalReason, reasonWithHint } from './update-errors.ts'

/** A change of the run whose outcome is known. */
export interface SettledChange {
  readonly planned: PlannedChange
  readonly outcome: Outcome
  /** True if it was edited during the hold: `outcome.fields` has values that the run did not send. */
  readonly moved?: true
}

/**
 * Rolls back a change as `revert` does with a record: only the fields that still have the values of the
 * change, with a read-back. Returns the new outcome: `reverted`, or the old one with the reason why it could
 * not be put back. A change that was not sent keeps its outcome. It never throws.
 */
export async function putBack(
  settled: SettledChange,
  why: string,
  context: ApplyContext
): Promise<Outcome> {
  const { planned, outcome } = settled
  const undo = undoOfChange(settled)
  const [site] = undo === undefined ? [] : restoredSites([undo], '')
  const [desired] = site?.wlans ?? []
  if (undo === undefined || site === undefined || desired === undefined) return outcome
  const { reason } = context.stopSignal
  if (reason !== undefined) return notPutBack(outcome, reason)
  const live = await readLive(planned, context)
  if ('problem' in live) return notPutBack(outcome, live.problem)
  const edited = changedSince(undo, live.record)
  if (edited.length > 0) return notPutBack(outcome, `edited since: ${edited.join(', ')}`)
  const verdict = planWlan(site, desired, live)
  switch (verdict.status) {
    case 'unchanged':
      return asBefore(outcome, undo, why)
    case 'changed': {
      const recorder = revertingRecorder(context.recorder)
      return withResult(outcome, await applyChange(verdict, { ...context, recorder }), undo, why)
    }
    case 'blocked':
      return notPutBack(outcome, verdict.finding.message)
    default:
      return notPutBack(outcome, 'it cannot be planned')
  }
}

/** The undo of the change, from the same data that a record contains: without secrets. */
function undoOfChange({ planned, outcome, moved }: SettledChange): Undo | undefined {
  const change = JSON.parse(JSON.stringify(planned.change)) as Change
  const known = outcomeFrom(JSON.parse(JSON.stringify(outcomeData(outcome))))
  const lost = lostSecrets(planned.live.record, planned.change.request.body)
  const recorded = { change, lostSecrets: lost, outcome: known, timeline: [], line: 1 }
  return undoOf([{ changes: [{ ...recorded, ...(moved && { moved }) }] }])[0]
}

async function readLive(
  { change }: PlannedChange,
  { writer, stopSignal }: ApplyContext
): Promise<LiveWlan | { readonly problem: string }> {
  try {
    return await writer.readWlan(change.site, change.wlan.id)
  } catch (error) {
    stopSignal.stop(fatalReason(error))
    return { problem: `it could not be read: ${reasonWithHint(error)}` }
  }
}

/** Records an update that puts a WLAN back as a `reverting` step. */
function revertingRecorder(recorder: Recorder): Recorder {
  return {
    ...noRecorder,
    sending: (change, attempt) => recorder.reverting(change, attempt),
    answered: (change, error) => recorder.answered(change, error),
    readBack: (change, seen) => recorder.readBack(change, seen)
  }
}

/** The outcome of a change whose fields have their former values. */
function asBefore(outcome: Outcome, undo: Undo, why: string): Outcome {
  if (outcome.status === 'unknown') {
    const reason = `${outcome.reason ?? 'its result is unknown'}; now it is as before`
    return { ...outcome, reason }
  }
  if (undo.lostSecrets.length === 0) return reverted(outcome, outcome, undo, why)
  const secrets = 'a record does not hold the former secrets'
  return { ...notPutBack(outcome, secrets), notRestored: undo.lostSecrets }
}

function withResult(outcome: Outcome, result: Outcome, undo: Undo, why: string): Outcome {
  switch (result.status) {
    case 'applied':
    case 'unchanged':
      return reverted(outcome, result, undo, why)
    case 'diverged':
    case 'unknown':
      return {
        ...outcome,
        status: result.status,
        fields: result.fields,
        reason: `${why}; putting it back: ${result.reason ?? result.status}`,
        ...notRestored(undo)
      }
    default:
      return notPutBack(outcome, result.reason ?? result.status)
  }
}

/** The former secrets that are lost; absent if there are none. */
function notRestored({ lostSecrets }: Undo): Pick<Outcome, 'notRestored'> {
  return lostSecrets.length === 0 ? {} : { notRestored: lostSecrets }
}

function reverted(outcome: Outcome, result: Outcome, undo: Undo, why: string): Outcome {
  const sideEffects = [...new Set([...outcome.sideEffects, ...result.sideEffects])].sort(byCodeUnit)
  return {
    ...outcome,
    status: 'reverted',
    fields: [],
    reason: why,
    sideEffects,
    ...notRestored(undo)
  }
}

function notPutBack(outcome: Outcome, problem: string): Outcome {
  const before = outcome.reason === undefined ? '' : `${outcome.reason}; `
  return { ...outcome, reason: `${before}not put back: ${problem}` }
}

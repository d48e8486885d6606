import { Attempts } from '../api/attempts.ts'
import { reasonOf } from '../model/failure.ts'
import type { LiveWlan } from '../model/live.ts'
import type { Outcome } from '../model/outcome.ts'
import type { PlannedChange } from '../model/plan.ts'
import { planWlan } from '../plan/plan.ts'
import { outcome } from './outcome.ts'
import { type ApplyContext, FRESH_FOR, sendUpdate } from './send.ts'
import { disturbedFields } from './stale.ts'
import { cureOf, skipReason } from './update-errors.ts'

const STALE = 'it is no longer as it was when the plan was made'

/** Applies one change: look again, send, read back. Whatever becomes of it is an outcome. */
export async function applyChange(planned: PlannedChange, tools: ApplyContext): Promise<Outcome> {
  const attempts = new Attempts(tools.maxAttempts)
  try {
    while (attempts.left > 0) {
      const result = await attemptChange(planned, tools, attempts)
      if (result !== 'held') return result
    }
  } catch (thrown) {
    const reason = `an error in wlanctl, please report it: ${reasonOf(thrown)}`
    return outcome(planned.change, attempts.made > 0 ? 'unknown' : 'failed', { reason })
  }
  const reason = 'the service held it back each time (429), and it was not sent'
  return outcome(planned.change, 'failed', { reason })
}

/** What a wait on the rate limit held back for too long is looked at again, and composed anew. */
async function attemptChange(
  planned: PlannedChange,
  tools: ApplyContext,
  attempts: Attempts
): Promise<Outcome | 'held'> {
  const { change, desired } = planned
  const fresh = await refresh(planned, tools)
  if ('status' in fresh) return fresh
  const now = planWlan(change.site, desired, fresh)
  const fields = disturbedFields(planned, fresh, now)
  if (fields.length > 0) return outcome(change, 'stale', { reason: STALE, fields })
  if (now.status === 'unchanged') return outcome(change, 'unchanged')
  if (now.status !== 'changed') {
    const reason = now.status === 'blocked' ? now.finding.message : 'it cannot be planned again'
    return outcome(change, 'failed', { reason })
  }
  await tools.recorder.sending(change, attempts.made + 1)
  const reason = tools.halted()
  if (reason !== undefined) return outcome(change, 'skipped', { reason })
  return sendUpdate(
    change,
    {
      site: change.site,
      wlanId: change.wlan.id,
      desired,
      before: fresh.record,
      body: now.change.request.body
    },
    tools,
    attempts
  )
}

/** The WLAN as it is now: the listed one while it is fresh, else read again. */
async function refresh(
  { change, live }: PlannedChange,
  { clock, writer }: ApplyContext
): Promise<LiveWlan | Outcome> {
  if (clock.now() - live.readAt <= FRESH_FOR) return live
  try {
    return await writer.readWlan(change.site, change.wlan.id)
  } catch (error) {
    const skipped = skipReason(error)
    if (skipped !== undefined) return outcome(change, 'skipped', { reason: skipped })
    const reason = `it could not be read again: ${cureOf(error)}`
    return outcome(change, 'failed', { reason })
  }
}

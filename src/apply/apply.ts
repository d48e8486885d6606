import { inParallel } from '../api/parallel.ts'
import { reasonOf } from '../model/failure.ts'
import { byCodeUnit } from '../model/identity.ts'
import type { Outcome } from '../model/outcome.ts'
import { applyChange, isUnauthorised, outcome, type PlannedChange, type Tools } from './change.ts'

export interface ApplyOptions extends Tools {
  /** Sites worked on at once. */
  readonly parallelism: number
  /** Start nothing new after the first change that is neither applied nor unchanged. */
  readonly failFast: boolean
  /** Start nothing new once this is aborted. */
  readonly interrupted: AbortSignal
  /** Told of each outcome as it comes. */
  readonly onOutcome: (outcome: Outcome) => void
}

/** Why nothing new is started, once there is a reason. */
interface Halt {
  reason?: string
}

/**
 * Executes planned changes: the sites side by side, the changes of a site one after the other. Gives
 * one outcome for each change, sorted by address, also when it is cut short; it thinks up nothing
 * itself.
 */
export async function apply(
  changes: readonly PlannedChange[],
  options: ApplyOptions
): Promise<Outcome[]> {
  const halt: Halt = {}
  const bySite = await inParallel(groupBySite(changes), options.parallelism, async siteChanges => {
    const outcomes: Outcome[] = []
    for (const change of siteChanges) {
      const next = await oneChange(change, halt, options)
      options.onOutcome(next)
      outcomes.push(next)
    }
    return outcomes
  })
  return bySite.flat().sort((a, b) => byCodeUnit(a.address, b.address))
}

async function oneChange(
  planned: PlannedChange,
  halt: Halt,
  options: ApplyOptions
): Promise<Outcome> {
  if (options.interrupted.aborted) halt.reason ??= 'interrupted'
  if (halt.reason !== undefined) return outcome(planned.change, 'skipped', { reason: halt.reason })
  try {
    const done = await applyChange(planned, options)
    const fine = done.status === 'applied' || done.status === 'unchanged'
    if (options.failFast && !fine) halt.reason ??= `${done.address} is ${done.status} (--fail-fast)`
    return done
  } catch (error) {
    if (!isUnauthorised(error)) throw error
    halt.reason ??= 'the service no longer accepts the token'
    return outcome(planned.change, 'failed', { reason: reasonOf(error) })
  }
}

/** The changes of each site, in the order in which the sites first come. */
function groupBySite(changes: readonly PlannedChange[]): PlannedChange[][] {
  const sites = new Map<string, PlannedChange[]>()
  for (const planned of changes) {
    const { id } = planned.change.site
    const others = sites.get(id)
    if (others) others.push(planned)
    else sites.set(id, [planned])
  }
  return [...sites.values()]
}

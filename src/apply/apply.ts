import { inParallel } from '../api/parallel.ts'
import { byCodeUnit } from '../model/identity.ts'
import type { Outcome } from '../model/outcome.ts'
import type { PlannedChange } from '../model/plan.ts'
import { applyChange } from './change.ts'
import { endOfRun } from './fate.ts'
import { outcome } from './outcome.ts'
import type { Tools } from './send.ts'

export interface ApplyOptions extends Omit<Tools, 'halted'> {
  /** Sites worked on at once. */
  readonly parallelism: number
  /** Start nothing new after the first change that is neither applied nor unchanged. */
  readonly failFast: boolean
  /** Start nothing new once this is aborted. */
  readonly interrupted: AbortSignal
  /** Told of each outcome as it comes. */
  readonly onOutcome: (outcome: Outcome) => void
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
  const brake = brakeOf(options)
  const tools = { ...options, writer: watched(options.writer, brake), halted: brake.reason }
  const bySite = await inParallel(groupBySite(changes), options.parallelism, async siteChanges => {
    const outcomes: Outcome[] = []
    for (const change of siteChanges) {
      const next = await oneChange(change, tools)
      if (options.failFast && !isFine(next)) {
        brake.pull(`${next.address} is ${next.status} (--fail-fast)`)
      }
      options.recorder.settled(next)
      options.onOutcome(next)
      outcomes.push(next)
    }
    return outcomes
  })
  return bySite.flat().sort((a, b) => byCodeUnit(a.address, b.address))
}

async function oneChange(planned: PlannedChange, tools: Tools): Promise<Outcome> {
  const reason = tools.halted()
  return reason === undefined
    ? applyChange(planned, tools)
    : outcome(planned.change, 'skipped', { reason })
}

function isFine({ status }: Outcome): boolean {
  return status === 'applied' || status === 'unchanged'
}

/** What stops a run from starting anything new. */
interface Brake {
  /** The first reason there was; undefined as long as there is none. */
  readonly reason: () => string | undefined
  readonly pull: (reason: string) => void
}

function brakeOf({ interrupted, recorder }: Pick<ApplyOptions, 'interrupted' | 'recorder'>): Brake {
  let first: string | undefined
  const pull = (reason: string) => {
    first ??= reason
  }
  const reason = () => {
    if (interrupted.aborted) pull('interrupted')
    if (recorder.failure !== undefined) pull('the record could not be written any more')
    return first
  }
  return { reason, pull }
}

/** The same service; when it takes no more requests of this run, the run ends. */
function watched(writer: Tools['writer'], brake: Brake): Tools['writer'] {
  const watch = async <T>(asked: Promise<T>): Promise<T> => {
    try {
      return await asked
    } catch (error) {
      const reason = endOfRun(error)
      if (reason !== undefined) brake.pull(reason)
      throw error
    }
  }
  return {
    readWlan: (...wlan) => watch(writer.readWlan(...wlan)),
    updateWlan: (...update) => watch(writer.updateWlan(...update))
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

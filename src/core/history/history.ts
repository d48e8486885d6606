import type { ContestedField, HistorySummary, StateSummary } from '../model/history.ts'
import { compact, groupsBy } from '../values/collections.ts'
import { type Contested, contestedFields } from './contested.ts'
import type { EstateEvent } from './events.ts'

/** What happened to an estate, from the commits of a snapshot folder. */
export interface EstateHistory {
  /** The times of the first and the last state, UTC. */
  readonly began: string
  readonly ended: string
  /** The number of states after the first one. */
  readonly states: number
  /** The number of changes, of which `events` may be a selection. */
  readonly changes: number
  /** Oldest first. */
  readonly events: readonly EstateEvent[]
  /** Most returns first. */
  readonly contested: readonly Contested<EstateEvent>[]
  /** True if the clone lacks earlier states. */
  readonly isShallow: boolean
  /** Files at a commit that wlanctl did not write in this form; their changes are unknown. */
  readonly unreadable: readonly string[]
}

/** The numbers of a history by state, and its contested fields. */
export function summaryOf(
  { began, ended }: Pick<EstateHistory, 'began' | 'ended'>,
  events: readonly EstateEvent[],
  contested: readonly Contested<EstateEvent>[] = contestedFields(events)
): HistorySummary {
  const states = groupsBy(events, ({ commit, time }) => commit ?? time).map(
    (those): StateSummary => {
      const [{ time }] = those
      const downgrades = those.filter(({ isDowngrade }) => isDowngrade).length
      return { time, changes: those.length, ...(downgrades > 0 && { downgrades }) }
    }
  )
  return { began, ended, states, contested: contested.map(contestedField) }
}

function contestedField({
  events,
  value,
  returns,
  longestAway
}: Contested<EstateEvent>): ContestedField {
  const { siteId, wlanId, address, pointer } = events.at(-1) as EstateEvent
  return {
    ...{ address, site_id: siteId, wlan_id: wlanId, pointer },
    ...compact({ value }),
    returns,
    longest_away: longestAway,
    changes: events.map(({ time, before, after, run, who }) => ({
      time,
      ...compact({ before, after, run, who })
    }))
  }
}

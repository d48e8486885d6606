import type { LiveSite } from '../model/live.ts'
import type { Change } from '../model/plan.ts'
import type { RecordedChange, RecordedRun } from '../model/record.ts'
import { compact } from '../values/collections.ts'
import { sameId } from '../values/uuid.ts'
import { isSameJson } from '../values/value.ts'
import type { FieldEvent } from './contested.ts'
import { fieldChangesOf, type StateChange, stateChanges } from './state-changes.ts'

/** What changed at one site between two states, and when: a field, or a whole WLAN with the pointer `''`. */
export interface EstateEvent extends FieldEvent {
  /** Absent outside of Git. */
  readonly commit?: string
  readonly kind: 'changed' | 'added' | 'removed'
  readonly site: string
  readonly ssid: string
  /** The site and the SSID, as in `siteChanges`. */
  readonly address: string
  /** What it did to people; absent if they were not affected. */
  readonly impact?: NonNullable<Change['impact']>
  /** True if it weakened security. */
  readonly isDowngrade?: true
  /** Of an added or removed WLAN: its security and VLAN in words. */
  readonly network?: string
  /** The id of the run of wlanctl that made it; absent if no given record has it. */
  readonly run?: string
  /** The name that the command of `--who-command` gave. */
  readonly who?: string
}

/** Two states in succession. */
export interface StateStep {
  /** The time of the later one, UTC, to the second. */
  readonly time: string
  readonly commit?: string
  /** The sites whose files differ. */
  readonly before: readonly LiveSite[]
  readonly after: readonly LiveSite[]
}

/** The events of a step, by address and field. */
export function eventsOf({ time, commit, before, after }: StateStep): EstateEvent[] {
  return stateChanges(before, after).flatMap(change => changeEvents(change, time, commit))
}

/** The fields of a change as events, or that of a whole WLAN. */
export function changeEvents(change: StateChange, time: string, commit?: string): EstateEvent[] {
  const { address, site, wlan, kind } = change
  const about = { time, ...compact({ commit }), siteId: site.id, wlanId: wlan.id }
  const names = { kind, site: site.name, ssid: wlan.ssid, address }
  if (change.kind !== 'changed') {
    const { network } = change
    const values = { pointer: '', before: undefined, after: undefined }
    return [{ ...about, ...values, ...names, network, ...(kind === 'removed' && OUTAGE) }]
  }
  const { impact, impact_fields: fields, downgrades = [] } = change
  return fieldChangesOf(change).map(field => ({
    ...about,
    ...names,
    ...field,
    ...(impact && (fields?.includes(field.pointer) ?? true) && { impact }),
    ...(downgrades.includes(field.pointer) && { isDowngrade: true as const })
  }))
}

const OUTAGE = { impact: 'outage' } as const

/**
 * The events with the runs that made them: the record of a run that was under way between the two states says that it set
 * this value in this WLAN, and read it back. `previous` is the time of the earlier state.
 */
export function withRuns(
  events: readonly EstateEvent[],
  previous: string,
  runs: readonly RecordedRun[]
): readonly EstateEvent[] {
  return events.map(event => {
    const made = runs.find(
      run => isBetween(run, previous, event.time) && run.changes.some(each => hasMade(each, event))
    )
    return made === undefined ? event : { ...event, run: made.id }
  })
}

/** Times of states are whole seconds, rounded down; those of runs are not. */
function isBetween({ started, ended = started }: RecordedRun, from: string, to: string): boolean {
  return Date.parse(ended) >= Date.parse(from) && Date.parse(started) < Date.parse(to) + 1000
}

function hasMade({ change, outcome }: RecordedChange, event: EstateEvent): boolean {
  if (outcome.status !== 'applied' || !sameId(change.wlan.id, event.wlanId)) return false
  return fieldChangesOf(change).some(
    ({ pointer, after }) => pointer === event.pointer && isSameJson(after, event.after)
  )
}

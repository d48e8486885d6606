import { agrees } from '../../core/diff/agree.ts'
import type { DesiredWlan, Site } from '../../core/model/desired.ts'
import type { RecordedChange, RecordedRun } from '../../core/model/record.ts'
import { fieldAt } from '../../core/schema/field.ts'
import { compact, sortBy } from '../../core/values/collections.ts'
import { overlap, type Pointer } from '../../core/values/pointer.ts'
import { valueAt } from '../../core/values/value.ts'
import { withUnknownSecrets } from '../../files/redacted-secrets.ts'

/** A change of a WLAN in a record, with its run. */
export interface RecordedEvent {
  readonly run: RecordedRun
  readonly recorded: RecordedChange
  /** Why nothing of the run may go on; absent if nothing stopped it and no later run reverted a part of it. */
  readonly stop?: string
}

/** The changes in the records of a service, by WLAN, the oldest first. */
export class RecordedEvents {
  readonly #events = new Map<string, RecordedEvent[]>()

  constructor(runs: readonly RecordedRun[], baseUrl: string) {
    const own = runs.filter(run => run.baseUrl === baseUrl)
    const reverted = new Map<RecordedRun, string>()
    for (const run of sortBy(own, ({ started }) => started)) {
      for (const recorded of run.changes) {
        const { site, wlan, address, patch } = recorded.change
        if (run.command === 'revert') {
          const events = this.of(site, wlan.id)
          for (const { path } of patch) {
            const undone = newestAt(events, path)
            if (undone !== undefined) reverted.set(undone.run, `the run ${run.id} reverted it`)
          }
        }
        for (const key of [keyOf(site, address), keyOf(site, wlan.id)]) {
          this.#events.set(key, [...(this.#events.get(key) ?? []), { run, recorded }])
        }
      }
    }
    for (const [key, events] of this.#events) {
      const stopped = events.map(event => ({
        ...event,
        ...compact({ stop: stopOf(event.run) ?? reverted.get(event.run) })
      }))
      this.#events.set(key, stopped)
    }
  }

  /** Those of the WLAN with this address, or with this live id. */
  of(site: Site, wlan: string): readonly RecordedEvent[] {
    return this.#events.get(keyOf(site, wlan)) ?? []
  }
}

function keyOf({ id }: Site, wlan: string): string {
  return JSON.stringify([id.toLowerCase(), wlan.includes('/') ? wlan : wlan.toLowerCase()])
}

/** The newest event that changes a field, or a part of it. */
export function newestAt(
  events: readonly RecordedEvent[],
  pointer: Pointer
): RecordedEvent | undefined {
  return events.findLast(({ recorded }) =>
    recorded.change.patch.some(({ path }) => overlap(path, pointer))
  )
}

/** Milliseconds since 1970. */
export function timeOf({ run, recorded }: RecordedEvent): number {
  return Date.parse(recorded.at ?? run.started)
}

/** True for a change that waits for its window or the wave before it, in a run that nothing stopped. */
export function isWaiting({ run, recorded, stop }: RecordedEvent): boolean {
  return run.command === 'apply' && recorded.outcome.status === 'deferred' && stop === undefined
}

/** A killed run is stopped, too. */
function stopOf({ ended, problem }: RecordedRun): string | undefined {
  return problem ?? (ended === undefined ? 'its record ends early' : undefined)
}

/**
 * Why only a person may send the change of an event again; undefined if it waits, or was applied.
 *
 * | run    | outcome                    | reason                                                        |
 * |--------|----------------------------|---------------------------------------------------------------|
 * | apply  | `applied`, `unchanged`     | none                                                          |
 * | apply  | `deferred`                 | none, unless the run was stopped                              |
 * | apply  | any other                  | the outcome                                                   |
 * | revert | any                        | a person does not want the change                             |
 */
export function endingOf(event: RecordedEvent): string | undefined {
  const { run, recorded } = event
  const { status, reason } = recorded.outcome
  const isDone = status === 'applied' || status === 'unchanged'
  if (run.command === 'revert')
    return `the run ${run.id} ${isDone ? 'reverted' : 'was to revert'} it`
  if (isDone || isWaiting(event)) return undefined
  if (status === 'deferred') {
    return `the run ${run.id}, in which it waited, was stopped: ${event.stop}`
  }
  return `it is ${status} in the run ${run.id}${reason === undefined ? '' : `: ${reason}`}`
}

/** True if the event was to give a field, or the parts of it that it changes, the declared values. */
export function sendsDeclared(
  { recorded }: RecordedEvent,
  pointer: Pointer,
  { fields }: Pick<DesiredWlan, 'fields'>
): boolean {
  return recorded.change.patch.every(operation => {
    const { op, path } = operation
    if (op === 'test' || op === 'remove' || !overlap(path, pointer)) return true
    const declared = valueAt(fields, path) ?? null
    return agrees(fieldAt(path), withUnknownSecrets(operation.value), declared, path)
  })
}

import type { Outcome } from './outcome.ts'
import type { Change } from './plan.ts'
import type { Pointer } from './pointer.ts'

/** What a record tells of one run. */
export interface RecordedRun {
  /** Tells the runs of a record apart. */
  readonly id: string
  readonly command: 'apply' | 'revert'
  readonly tool: string
  readonly baseUrl: string
  /** Of its changes, as in a plan. */
  readonly digest: string
  /** UTC, e.g. `2026-11-20T10:00:00.000Z`; so are the other times. */
  readonly started: string
  /** Absent where the record ends before the run did: it was killed, or it is still under way. */
  readonly ended?: string
  /** The waves that were begun, in their order; absent where the run had none. */
  readonly waves?: readonly RecordedWave[]
  /** Sorted by address. */
  readonly changes: readonly RecordedChange[]
}

/** A wave of a run. */
export interface RecordedWave {
  /** Absent for the last one, of the sites that no declared wave holds. */
  readonly name?: string
  readonly changes: number
  readonly started: string
  /** Absent where the record ends before the wave did. */
  readonly ended?: string
  /** Why no other wave was begun; absent after a good one. */
  readonly problem?: string
}

/**
 * A step of a change, and when it was, UTC.
 *
 * | step       | is told                                | `note`                            |
 * |------------|----------------------------------------|-----------------------------------|
 * | `sending`  | before an update is sent               | `attempt 2`, and so on            |
 * | `answered` | when it was answered, or failed        | the error                         |
 * | `read`     | when the WLAN was read back            | what was seen                     |
 * | `outcome`  | when it was known what became of it    |                                   |
 */
export interface TimelineEvent {
  readonly at: string
  readonly step: 'sending' | 'answered' | 'read' | 'outcome'
  readonly note?: string
}

/** A change, and what a record tells of it. */
export interface RecordedChange {
  readonly change: Change
  /** Secrets that the update replaces or takes away: nobody has the old ones. */
  readonly lostSecrets: readonly Pointer[]
  /**
   * What became of it. Of a run that was killed: `unknown` for what had been begun, `skipped` for the
   * rest.
   */
  readonly outcome: Outcome
  /** When it was last heard of; absent if it was never begun. */
  readonly at?: string
  /** In their order; none where it was never begun. */
  readonly moments: readonly TimelineEvent[]
  /** Where the record says what was to be done, counted from 1. */
  readonly line: number
}

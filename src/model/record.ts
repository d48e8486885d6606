import type { Outcome } from './outcome.ts'
import type { Change } from './plan.ts'
import type { Pointer } from './pointer.ts'

/** One run of a record. */
export interface RecordedRun {
  /** Unique in the record. */
  readonly id: string
  readonly command: 'apply' | 'revert'
  readonly tool: string
  readonly baseUrl: string
  /** The digest of its changes, as in a plan. */
  readonly digest: string
  /** UTC, e.g. `2026-11-20T10:00:00.000Z`; so are the other times. */
  readonly started: string
  /** Absent where the record has no end of the run: it was killed, or is still running. */
  readonly ended?: string
  /** The started waves, in order; absent where the run had none. */
  readonly waves?: readonly RecordedWave[]
  /** Sorted by address. */
  readonly changes: readonly RecordedChange[]
}

/** A wave of a run. */
export interface RecordedWave {
  /** Absent for the last one, which holds the sites of no declared wave. */
  readonly name?: string
  readonly changes: number
  readonly started: string
  /** Absent where the record has no end of the wave. */
  readonly ended?: string
  /** The reason why no further wave started; absent after a successful wave. */
  readonly problem?: string
}

/**
 * A step of a change, with its time, UTC.
 *
 * | step       | written                                | `note`                            |
 * |------------|----------------------------------------|-----------------------------------|
 * | `sending`  | before an update is sent               | `attempt 2`, and so on            |
 * | `answered` | after the response, or the failure     | the error                         |
 * | `read`     | after the WLAN was read back           | the result                        |
 * | `outcome`  | after the outcome was decided          |                                   |
 */
export interface TimelineEvent {
  readonly at: string
  readonly step: 'sending' | 'answered' | 'read' | 'outcome'
  readonly note?: string
}

/** A change, with its outcome and events. */
export interface RecordedChange {
  readonly change: Change
  /** Secrets that the update replaces or removes; their old values are lost. */
  readonly lostSecrets: readonly Pointer[]
  /**
   * Of a run that was killed: `unknown` for started changes, `skipped` for the others.
   */
  readonly outcome: Outcome
  /** The time of the last event; absent if it was never started. */
  readonly at?: string
  /** In order; empty if it was never started. */
  readonly moments: readonly TimelineEvent[]
  /** The line of the record that has the change, from 1. */
  readonly line: number
}

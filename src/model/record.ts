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
  /** Whether its changes were confirmed; absent where the run did not ask. */
  readonly confirmation?: RecordedConfirmation
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
  /** The seconds of its hold; absent where it was not held. */
  readonly hold?: number
  /** The reason why no further wave started; absent after a successful wave. */
  readonly problem?: string
}

/** The wait for a confirmation, after which unconfirmed changes are put back. */
export interface RecordedConfirmation {
  /** The longest wait, in seconds. */
  readonly within: number
  readonly started: string
  /** Absent where the record has no end of the wait: the run was killed, and put nothing back. */
  readonly ended?: string
  /** Why the changes were put back; absent if they were confirmed. */
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
 * | `held`     | after it was read again after a hold   | the result                        |
 * | `reverting` | before the former values are sent     | `attempt 2`, and so on            |
 */
export interface TimelineEvent {
  readonly at: string
  readonly step: 'sending' | 'answered' | 'read' | 'outcome' | 'held' | 'reverting'
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
  /** True if it was edited during the hold: `outcome.fields` has values that the run did not send. */
  readonly moved?: true
  /** The time of the last event; absent if it was never started. */
  readonly at?: string
  /** In order; empty if it was never started. */
  readonly moments: readonly TimelineEvent[]
  /** The line of the record that has the change, from 1. */
  readonly line: number
}

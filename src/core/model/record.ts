import type { Pointer } from '../values/pointer.ts'
import type { Wave } from './desired.ts'
import type { Outcome } from './outcome.ts'
import type { Change } from './plan.ts'

export interface RecordedRun {
  /** Unique in the record. */
  readonly id: string
  readonly command: 'apply' | 'revert'
  readonly tool: string
  readonly baseUrl: string
  /** The digest of the plan that was shown. */
  readonly digest: string
  /** UTC, e.g. `2026-11-20T10:00:00.000Z`, like all other times. */
  readonly started: string
  /** Absent if the record lacks the end of the run: the run was killed, or is still running. */
  readonly ended?: string
  /** The reason why it stopped before its last change or failed a check; absent if it did neither. */
  readonly problem?: string
  /** The waves of the plan that was shown; absent if it had none. */
  readonly rollout?: readonly Wave[]
  /** The started waves, in order; absent if the run had none. */
  readonly waves?: readonly RecordedWave[]
  /** Sorted by address. */
  readonly changes: readonly RecordedChange[]
}

export interface RecordedWave {
  /** Absent for the last one, with the sites in no declared wave. */
  readonly name?: string
  readonly changes: number
  readonly started: string
  /** Absent if the record lacks the end of the wave. */
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
 * | `outcome`  | after the outcome was determined       |                                   |
 */
export interface TimelineEvent {
  readonly at: string
  readonly step: 'sending' | 'answered' | 'read' | 'outcome'
  readonly note?: string
}

export interface RecordedChange {
  readonly change: Change
  /** Secrets that the update replaces or removes; their old values are lost. */
  readonly lostSecrets: readonly Pointer[]
  /** In a killed run: `unknown` for started changes, `skipped` for the others. */
  readonly outcome: Outcome
  /** The time of the last step; absent if the change was never started. */
  readonly at?: string
  /** In order; empty if the change was never started. */
  readonly timeline: readonly TimelineEvent[]
  /** The line of the change in the record, counted from 1. */
  readonly line: number
}

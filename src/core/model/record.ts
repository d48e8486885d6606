import type { Pointer } from '../values/pointer.ts'
import type { Wave } from './desired.ts'
import type { Judgement, Measurement } from './judgement.ts'
import type { Outcome } from './outcome.ts'
import type { Change } from './plan.ts'

/** One run of a record. */
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
  /** The metrics that were measured, in order; absent if there are none. */
  readonly measurements?: readonly Measurement[]
  /** The waves that were judged, of this run or of earlier ones, in order; absent if there are none. */
  readonly judgements?: readonly Judgement[]
  /** The result of the confirmation; absent if the run did not ask for one. */
  readonly confirmation?: RecordedConfirmation
  /** Sorted by address. */
  readonly changes: readonly RecordedChange[]
}

/** A wave of a run. */
export interface RecordedWave {
  /** Absent for the last one, with the sites in no declared wave. */
  readonly name?: string
  readonly changes: number
  readonly started: string
  /** Absent if the record lacks the end of the wave. */
  readonly ended?: string
  /** The duration of its hold in seconds; absent if it was not held. */
  readonly hold?: number
  /** The reason why no further wave started; absent after a successful wave. */
  readonly problem?: string
}

/** The wait for a confirmation, after which unconfirmed changes are put back. */
export interface RecordedConfirmation {
  /** The timeout in seconds. */
  readonly within: number
  readonly started: string
  /** Absent if the record lacks the end of the wait: the run was killed, and put nothing back. */
  readonly ended?: string
  /** The reason why the changes were put back; absent if they were confirmed. */
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
 * | `held`     | after it was read again after a hold   | the result                        |
 * | `reverting` | before the former values are sent     | `attempt 2`, and so on            |
 */
export interface TimelineEvent {
  readonly at: string
  readonly step: 'sending' | 'answered' | 'read' | 'outcome' | 'held' | 'reverting'
  readonly note?: string
}

/** A change with its outcome and steps. */
export interface RecordedChange {
  readonly change: Change
  /** Secrets that the update replaces or removes; their old values are lost. */
  readonly lostSecrets: readonly Pointer[]
  /** In a killed run: `unknown` for started changes, `skipped` for the others. */
  readonly outcome: Outcome
  /** True if it was edited during the hold: `outcome.fields` has values that the run did not send. */
  readonly moved?: true
  /** The time of the last step; absent if the change was never started. */
  readonly at?: string
  /** In order; empty if the change was never started. */
  readonly timeline: readonly TimelineEvent[]
  /** The line of the change in the record, counted from 1. */
  readonly line: number
}

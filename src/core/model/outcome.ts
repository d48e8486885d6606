import type { Pointer } from '../values/pointer.ts'
import type { Value } from '../values/value.ts'
import type { Part } from './desired.ts'
import type { Finding } from './finding.ts'
import type { PlanSummary } from './plan.ts'

/**
 * The status of a planned change after a run.
 *
 * | status      | meaning                                                                     |
 * |-------------|-----------------------------------------------------------------------------|
 * | `applied`   | sent, and verified by reading it back                                       |
 * | `unchanged` | already as declared; nothing was sent                                       |
 * | `diverged`  | accepted, but different when read back                                      |
 * | `stale`     | edited by others since the plan; nothing was sent                           |
 * | `failed`    | not written                                                                 |
 * | `skipped`   | not attempted                                                               |
 * | `deferred`  | waits for its window, or for the end of a freeze; nothing was sent          |
 * | `unknown`   | sent, with an unknown result                                                |
 */
export const statuses = [
  'applied',
  'unchanged',
  'diverged',
  'stale',
  'failed',
  'skipped',
  'deferred',
  'unknown'
] as const

export type Status = (typeof statuses)[number]

/** A field with its values in the three states; secrets are shown by reference. */
export interface FieldOutcome {
  readonly pointer: Pointer
  /** Absent if the field was absent. */
  readonly before?: Value
  readonly wanted?: Value
  readonly found?: Value
}

/** The outcome of a change, as a run, reports and records have it; an empty list is absent. */
export interface Outcome {
  readonly address: string
  readonly status: Status
  /** The declared fields that differ, for a diverged or stale change. */
  readonly fields?: readonly FieldOutcome[]
  /** The reason why it is not `applied`, in one sentence. */
  readonly reason?: string
  readonly hint?: string
  /** Undeclared fields that changed with the update. */
  readonly side_effects?: readonly Pointer[]
  /** Secrets that were sent, but that the service does not show. */
  readonly not_verifiable?: readonly Pointer[]
  /** Secrets that could not be restored. */
  readonly not_restored?: readonly Pointer[]
  /** The wave of its site; absent without a rollout, and in the unnamed last wave. */
  readonly wave?: string
  /** The time at which a deferred change may be sent, UTC; absent if it is unknown. */
  readonly until?: string
  /** True for a failure that may pass by itself: of the connection, the token, a rate limit, or the service. Not saved. */
  readonly isTransient?: true
}

export type OutcomeData = Omit<Outcome, 'isTransient'>

/** True for a success: the WLAN is as declared, or its change waits for its window. */
export function isSuccess({ status }: Pick<Outcome, 'status'>): boolean {
  return status === 'applied' || status === 'unchanged' || status === 'deferred'
}

/** The end of a change as a clause: `hq/guest failed`, `hq/guest is stale`. */
export function outcomeClause({ address, status }: Pick<Outcome, 'address' | 'status'>): string {
  return `${address} ${status === 'failed' ? status : `is ${status}`}`
}

export function mayHaveChanged({ status }: Pick<Outcome, 'status'>): boolean {
  return status === 'applied' || status === 'diverged' || status === 'unknown'
}

export function outcomeData({ isTransient: _, ...saved }: Outcome): OutcomeData {
  return saved
}

/** The outcomes of a run as JSON (`schemas/outcomes.schema.json`). */
export interface OutcomesData extends Pick<Part, 'shard'> {
  readonly format: 'wlanctl-outcomes/1'
  readonly tool: string
  /** When the plan was made, UTC. */
  readonly created: string
  readonly base_url: string
  /** As in `Desired`. */
  readonly commit?: string
  /** The counts of the executed plan. */
  readonly planned: PlanSummary
  readonly summary: Tally
  /** The failed wave with the reason. */
  readonly failed_wave?: string
  /** Sorted by address. */
  readonly outcomes: readonly OutcomeData[]
  /** The findings of the plan; absent if there are none. */
  readonly findings?: readonly Finding[]
}

/** The number of outcomes by status; every status is present. */
export type Tally = Readonly<Record<Status, number>>

export function tally(outcomes: readonly Pick<Outcome, 'status'>[]): Tally {
  const counts = Object.fromEntries(statuses.map(status => [status, 0])) as Record<Status, number>
  for (const outcome of outcomes) counts[outcome.status] += 1
  return counts
}

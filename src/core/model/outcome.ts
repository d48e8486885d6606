import { compact } from '../values/collections.ts'
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

export interface Outcome {
  readonly address: string
  readonly status: Status
  /** The declared fields that differ, for a diverged or stale change. */
  readonly fields: readonly FieldOutcome[]
  /** The reason why it is not `applied`, in one sentence. */
  readonly reason?: string
  /** What to do about it. */
  readonly hint?: string
  /** Undeclared fields that changed with the update. */
  readonly sideEffects: readonly Pointer[]
  /** Secrets that were sent, but that the service does not show. */
  readonly notVerifiable: readonly Pointer[]
  /** The wave of its site; absent without a rollout, and in the unnamed last wave. */
  readonly wave?: string
  /** Secrets that could not be restored; absent if there are none. */
  readonly notRestored?: readonly Pointer[]
  /** The time at which a deferred change may be sent, UTC; absent if it is unknown. */
  readonly until?: string
  /** True for a failure that may pass by itself: of the connection, the token, a rate limit, or the service. */
  readonly isTransient?: true
}

/** An outcome in reports and records; empty members are omitted. */
export interface OutcomeData {
  readonly address: string
  readonly status: Status
  readonly fields?: readonly FieldOutcome[]
  readonly reason?: string
  readonly hint?: string
  readonly side_effects?: readonly Pointer[]
  readonly not_verifiable?: readonly Pointer[]
  readonly not_restored?: readonly Pointer[]
  readonly wave?: string
  readonly until?: string
}

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

export function outcomeData(outcome: Outcome): OutcomeData {
  const { address, status, fields, reason, hint, sideEffects, notVerifiable } = outcome
  const { notRestored, wave, until } = outcome
  return {
    address,
    status,
    ...compact({
      fields: nonEmpty(fields),
      reason,
      hint,
      side_effects: nonEmpty(sideEffects),
      not_verifiable: nonEmpty(notVerifiable),
      not_restored: notRestored,
      wave,
      until
    })
  }
}

function nonEmpty<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list
}

export function outcomeFrom(data: OutcomeData): Outcome {
  const { address, status, fields = [], side_effects = [], not_verifiable = [] } = data
  return {
    address,
    status,
    fields,
    ...compact({ reason: data.reason, hint: data.hint }),
    sideEffects: side_effects,
    notVerifiable: not_verifiable,
    ...compact({ notRestored: data.not_restored, wave: data.wave, until: data.until })
  }
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

import type { Finding } from './finding.ts'
import type { PlanSummary } from './plan.ts'
import type { Pointer } from './pointer.ts'
import type { Value } from './value.ts'

/**
 * What became of a planned change.
 *
 * | status      | meaning                                                                     |
 * |-------------|-----------------------------------------------------------------------------|
 * | `applied`   | sent, and read back as declared                                             |
 * | `unchanged` | already as desired when its turn came; nothing was sent                     |
 * | `diverged`  | accepted, but reading it back shows otherwise                               |
 * | `stale`     | somebody else changed it since the plan; nothing was sent                   |
 * | `failed`    | known not to be written                                                     |
 * | `skipped`   | not tried                                                                   |
 * | `unknown`   | sent, and its fate could not be learned                                     |
 */
export const statuses = [
  'applied',
  'unchanged',
  'diverged',
  'stale',
  'failed',
  'skipped',
  'unknown'
] as const

export type Status = (typeof statuses)[number]

/** A field with its three values; a secret among them shows itself by reference. */
export interface FieldOutcome {
  readonly pointer: Pointer
  /** Absent where the field was absent. */
  readonly before?: Value
  readonly wanted?: Value
  readonly found?: Value
}

export interface Outcome {
  readonly address: string
  readonly status: Status
  /** The declared fields that are not as declared: of a diverged or a stale change. */
  readonly fields: readonly FieldOutcome[]
  /** Why it is not `applied`, in one sentence. */
  readonly reason?: string
  /** Fields that nobody declared and that moved with the change. */
  readonly sideEffects: readonly Pointer[]
  /** Declared secrets that were sent and that the service does not show. */
  readonly notVerifiable: readonly Pointer[]
  /** The wave that its site belongs to; absent where there is none, and in the last one without a name. */
  readonly wave?: string
  /** Secrets that `revert` could not bring back; absent if there are none. */
  readonly notRestored?: readonly Pointer[]
}

/** An outcome as reports and records write it: nothing is said of what is empty. */
export interface OutcomeData {
  readonly address: string
  readonly status: Status
  readonly fields?: readonly FieldOutcome[]
  readonly reason?: string
  readonly side_effects?: readonly Pointer[]
  readonly not_verifiable?: readonly Pointer[]
  readonly not_restored?: readonly Pointer[]
  readonly wave?: string
}

/** True if a WLAN is as it should be. */
export function isSuccess({ status }: Pick<Outcome, 'status'>): boolean {
  return status === 'applied' || status === 'unchanged'
}

export function outcomeData(outcome: Outcome): OutcomeData {
  const { address, status, fields, reason, sideEffects, notVerifiable, notRestored, wave } = outcome
  return {
    address,
    status,
    ...(fields.length === 0 ? {} : { fields }),
    ...(reason === undefined ? {} : { reason }),
    ...(sideEffects.length === 0 ? {} : { side_effects: sideEffects }),
    ...(notVerifiable.length === 0 ? {} : { not_verifiable: notVerifiable }),
    ...(notRestored === undefined ? {} : { not_restored: notRestored }),
    ...(wave === undefined ? {} : { wave })
  }
}

/** The outcome that was written so. */
export function outcomeFrom(data: OutcomeData): Outcome {
  const { address, status, fields = [], reason, side_effects = [], not_verifiable = [] } = data
  return {
    address,
    status,
    fields,
    ...(reason === undefined ? {} : { reason }),
    sideEffects: side_effects,
    notVerifiable: not_verifiable,
    ...(data.not_restored === undefined ? {} : { notRestored: data.not_restored }),
    ...(data.wave === undefined ? {} : { wave: data.wave })
  }
}

/** What the outcomes of a shard tell beside, for whoever merges them: of which run they are. */
export interface OutcomesPart {
  /** Which part of the fleet the run covered, e.g. `3/8`. */
  readonly shard: string
  readonly tool: string
  readonly created: string
  readonly base_url: string
  /** The counts of the plan that was carried out. */
  readonly planned: PlanSummary
}

/** The outcomes of a run as JSON (`schemas/outcomes.schema.json`). */
export interface OutcomesData extends Partial<OutcomesPart> {
  readonly format: 'wlanctl-outcomes/1'
  readonly summary: Tally
  /** The wave that was not good, and why. */
  readonly failed_wave?: string
  /** Sorted by address. */
  readonly outcomes: readonly OutcomeData[]
  /** Those of the plan; absent if there are none. */
  readonly findings?: readonly Finding[]
}

/** How many outcomes have each status; every status is there, and they add up. */
export type Tally = Readonly<Record<Status, number>>

export function tally(outcomes: readonly Pick<Outcome, 'status'>[]): Tally {
  const counts = Object.fromEntries(statuses.map(status => [status, 0])) as Record<Status, number>
  for (const outcome of outcomes) counts[outcome.status] += 1
  return counts
}

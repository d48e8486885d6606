import type { Finding } from './finding.ts'
import type { Pointer } from './pointer.ts'

/** What earlier reports tell together: how the drift of a fleet went. */
export interface History {
  /** Of the service; absent where only outcomes are told, which do not name it. */
  readonly baseUrl?: string
  /** By time. */
  readonly points: readonly HistoryPoint[]
  /** Those that drifted in the most reports first. */
  readonly sites: readonly Recurring[]
  readonly fields: readonly Recurring[]
  /** What was left out, and why. */
  readonly findings: readonly Finding[]
}

/** What one report tells. */
export interface HistoryPoint {
  /** UTC. */
  readonly at: string
  readonly file: string
  /** A plan tells of the state of the fleet; outcomes tell what became of an update of it. */
  readonly kind: 'plan' | 'outcomes'
  /** Declared WLANs that differed; only a plan knows. */
  readonly drifted?: number
  readonly unmanaged?: number
  /** Sites that could not be read, and WLANs that are blocked; or updates that went wrong. */
  readonly failed: number
}

/** A site or a field that drifts again and again. */
export interface Recurring {
  /** The site's name, or the field's pointer. */
  readonly name: string | Pointer
  /** In how many reports it drifted. */
  readonly reports: number
  /** How many WLANs did, summed up over them. */
  readonly wlans: number
  /** How many do in the last report. */
  readonly now: number
}

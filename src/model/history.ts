import type { Finding } from './finding.ts'
import type { Pointer } from './pointer.ts'

/** The drift of a fleet over time, from its earlier reports. */
export interface History {
  /** Absent where there are outcomes only, which do not name the service. */
  readonly baseUrl?: string
  /** By time. */
  readonly points: readonly HistoryPoint[]
  /** Those that drifted in the most reports first. */
  readonly sites: readonly Recurring[]
  readonly fields: readonly Recurring[]
  /** The excluded files, and why. */
  readonly findings: readonly Finding[]
}

/** The counts of one report. */
export interface HistoryPoint {
  /** UTC. */
  readonly at: string
  readonly file: string
  /** A plan has the state of the fleet, outcomes the results of a run. */
  readonly kind: 'plan' | 'outcomes'
  /** Declared WLANs that differed; of plans only. */
  readonly drifted?: number
  readonly unmanaged?: number
  /** Unread sites and blocked WLANs of a plan; failed, diverged and unknown updates of outcomes. */
  readonly failed: number
}

/** A site or a field that drifts repeatedly. */
export interface Recurring {
  /** The site's name, or the field's pointer. */
  readonly name: string | Pointer
  /** The number of reports in which it drifted. */
  readonly reports: number
  /** The number of drifted WLANs, summed over all reports. */
  readonly wlans: number
  /** The number of drifted WLANs in the newest report. */
  readonly now: number
}

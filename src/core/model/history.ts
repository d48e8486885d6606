import type { Pointer } from '../values/pointer.ts'
import type { Finding } from './finding.ts'

/** The drift of a fleet over time, from its reports. */
export interface History {
  /** Absent if there are only outcomes, which do not name the service. */
  readonly baseUrl?: string
  /** Sorted by time. */
  readonly points: readonly HistoryPoint[]
  /** The sites that drifted in the most reports come first. */
  readonly sites: readonly Recurring[]
  readonly fields: readonly Recurring[]
  /** The excluded files with the reasons. */
  readonly findings: readonly Finding[]
}

/** The counts of one report. */
export interface HistoryPoint {
  /** UTC. */
  readonly at: string
  readonly file: string
  /** `plan`: the state of the fleet; `outcomes`: the results of a run. */
  readonly kind: 'plan' | 'outcomes'
  /** The number of declared WLANs that differed; only of plans. */
  readonly drifted?: number
  readonly unmanaged?: number
  /**
   * The number of unread sites and blocked WLANs of a plan, or of failed, diverged and unknown updates of
   * outcomes.
   */
  readonly failed: number
}

/** A site or a field that drifts repeatedly. */
export interface Recurring {
  /** The name of the site, or the pointer of the field. */
  readonly name: string | Pointer
  /** The number of reports in which it drifted. */
  readonly reports: number
  /** The number of drifted WLANs, summed over all reports. */
  readonly wlans: number
  /** The number of drifted WLANs in the newest report. */
  readonly now: number
}

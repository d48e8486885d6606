import type { Wave } from '../../core/model/desired.ts'
import type { Finding } from '../../core/model/finding.ts'
import type { OutcomeData } from '../../core/model/outcome.ts'
import type { Change, Unmanaged } from '../../core/model/plan.ts'
import type { TimelineEvent } from '../../core/model/record.ts'
import type { Pointer } from '../../core/values/pointer.ts'

/** The data of the page: JSON in the document, which its script reads. */
export interface PageData {
  /** The runs of a record, the last run first; a single view for any other report. Never empty. */
  readonly views: readonly [View, ...View[]]
}

/** The content that the page shows at a time: a plan, its outcomes, a run or findings. */
export interface View {
  /** The id of the run in a record; `''` in other reports. */
  readonly name: string
  readonly mode: ViewMode
  readonly verdict: ReportVerdict
  /** The counts, on one line. */
  readonly accounts: string
  /** Origin of the report, for the foot of the page. */
  readonly facts: readonly (readonly [name: string, text: string])[]
  /** True if the plan contains the times since which fields differ. */
  readonly dated: boolean
  readonly fleet: FleetData
  /** The waves of the rollout, in order; empty if the fleet declares none. */
  readonly waves: readonly WaveData[]
  readonly changes: readonly Change[]
  readonly outcomes: readonly OutcomeDetails[]
  readonly unmanaged: readonly Unmanaged[]
  /** The undeclared WLANs of the organization. */
  readonly inherited: readonly Unmanaged[]
  /** The secrets of unchanged WLANs that could not be compared, by address. */
  readonly uncompared: Readonly<Record<string, readonly Pointer[]>>
  readonly findings: readonly Finding[]
  /** The guard fields that no file declares, by WLAN. */
  readonly unwatched: readonly (readonly [where: string, fields: string])[]
  /** The reasons why `apply` would refuse the plan. */
  readonly refusals: readonly Finding[]
  /** What the files stop enforcing since the base. */
  readonly weakened: readonly Finding[]
  /** The command that made the plan, if it is not `plan`. */
  readonly command?: 'revert'
  /** The waiting changes and upcoming events; absent if there are none. */
  readonly times?: TimesData
}

/** The parts that depend on time, as texts for display. */
export interface TimesData {
  readonly deferredTitle: string
  readonly deferred: readonly (readonly [where: string, why: string])[]
  readonly periods: readonly (readonly string[])[]
  readonly upcoming: readonly (readonly [when: string, where: string, event: string])[]
  /** The periods of the next seven days as fractions of this range, from 0 to 1. */
  readonly bars: readonly {
    readonly label: string
    readonly from: number
    readonly until: number
  }[]
  /** The starts of these days, UTC: `12-04 UTC`, `12-05`, with their positions from 0 to 1. */
  readonly days: readonly { readonly label: string; readonly at: number }[]
}

/** A wave; in a record, with the sites of attempted changes. */
export interface WaveData extends Wave {
  readonly started?: string
  /** The reason why the rollout stopped after this wave. */
  readonly problem?: string
}

export type ViewMode = 'plan' | 'drift' | 'outcomes' | 'findings'

export interface ReportVerdict {
  readonly tone: 'good' | 'warn' | 'bad' | 'note'
  readonly text: string
  /** The recommended next step. */
  readonly advice?: string
}

/** An outcome with its timeline. */
export interface OutcomeDetails extends OutcomeData {
  /** Secrets that `revert` cannot restore. */
  readonly lostSecrets?: readonly Pointer[]
  readonly events?: readonly TimelineEvent[]
}

/**
 * The statuses of the fleet, one character for each WLAN:
 *
 *     columns: ['corp', 'guest']                     all keys of WLANs
 *     keySets: [[0, 1], [1]]                         the columns that a site may have
 *     sites:   [['hq', 0, '=='], ['b', 1, 'O']]      name, key set, a letter for each of its WLANs
 */
export interface FleetData {
  readonly columns: readonly string[]
  readonly keySets: readonly (readonly number[])[]
  readonly sites: readonly SiteData[]
  /** The number of WLANs in sync that the report counts but does not name. */
  readonly unnamed: number
}

export type SiteData = readonly [name: string, keySet: number, letters: string]

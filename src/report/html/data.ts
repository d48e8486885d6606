import type { Wave } from '../../model/desired.ts'
import type { Finding } from '../../model/finding.ts'
import type { OutcomeData } from '../../model/outcome.ts'
import type { Change, Unmanaged } from '../../model/plan.ts'
import type { Pointer } from '../../model/pointer.ts'
import type { TimelineEvent } from '../../model/record.ts'

/** What the page is made of: written into it as JSON, and read by its script. */
export interface PageData {
  /** The runs of a record, the last one first; one view for any other report. Never empty. */
  readonly views: readonly [View, ...View[]]
}

/** What is shown at once: a plan, or what became of one. */
export interface View {
  /** Tells the runs of a record apart. */
  readonly name: string
  readonly mode: Mode
  readonly verdict: ReportVerdict
  /** The sums, in one line. */
  readonly accounts: string
  /** What the report is about, for whoever keeps it: a name and a text. */
  readonly facts: readonly (readonly [name: string, text: string])[]
  readonly fleet: FleetData
  /** The waves of the rollout, in their order; none where the fleet declares none. */
  readonly waves: readonly WaveData[]
  readonly changes: readonly Change[]
  readonly outcomes: readonly Told[]
  readonly unmanaged: readonly Unmanaged[]
  /** The secrets of unchanged WLANs that could not be compared, by address. */
  readonly uncompared: Readonly<Record<string, readonly Pointer[]>>
  readonly findings: readonly Finding[]
}

/** A wave, with what a record tells of it: that names no sites. */
export interface WaveData extends Wave {
  readonly started?: string
  /** Why no other wave was begun. */
  readonly problem?: string
}

export type Mode = 'plan' | 'drift' | 'outcomes' | 'findings'

export interface ReportVerdict {
  readonly tone: 'good' | 'warn' | 'bad' | 'note'
  readonly text: string
  /** What to do where not all is well. */
  readonly advice?: string
}

/** An outcome, and what else a report tells of it. */
export interface Told extends OutcomeData {
  /** Secrets that nobody can bring back. */
  readonly lost?: readonly Pointer[]
  /** When its steps were. */
  readonly moments?: readonly TimelineEvent[]
}

/**
 * The statuses of the fleet. A fleet of 100,000 WLANs takes a character each, so:
 *
 *     columns: ['corp', 'guest']                     the keys of WLANs that sites have
 *     shapes:  [[0, 1], [1]]                         which of them a site has
 *     sites:   [['hq', 0, '=='], ['b', 1, 'O']]      name, shape, a letter for each of them
 */
export interface FleetData {
  readonly columns: readonly string[]
  readonly shapes: readonly (readonly number[])[]
  readonly sites: readonly SiteData[]
  /** WLANs in sync that the report counts and does not name. */
  readonly unnamed: number
}

export type SiteData = readonly [name: string, shape: number, letters: string]

import type { Finding } from '../model/finding.ts'
import type { Outcome } from '../model/outcome.ts'
import type { Plan, WlanPlan } from '../model/plan.ts'
import type { Pointer } from '../model/pointer.ts'
import type { RecordedRun, TimelineEvent } from '../model/record.ts'

/** What a run has to tell; every format can tell each of them. */
export type Report = PlanReport | OutcomesReport | FindingsReport | RecordReport

/** What the planner says of a WLAN, as far as a report on the fleet tells it. */
export type PlannedWlan = Pick<WlanPlan, 'address' | 'status'>

/** A plan; `drift` tells the same plan as what differs from the declaration. */
export interface PlanReport {
  readonly kind: 'plan' | 'drift'
  readonly plan: Plan
  /** One for each declared WLAN; absent for a plan that was read from a file. */
  readonly verdicts?: readonly PlannedWlan[]
}

/** What became of a plan. */
export interface OutcomesReport {
  readonly kind: 'outcomes'
  /** What was done with it. Default: `apply`. */
  readonly command?: 'apply' | 'revert'
  readonly plan: ExecutedPlan
  /** One for each declared WLAN, as it was planned; absent where they are not known. */
  readonly verdicts?: readonly PlannedWlan[]
  readonly outcomes: readonly Outcome[]
  /** The wave that was not good, and why: `wave canary: hq/guest is diverged`; absent if none was. */
  readonly failedWave?: string
  /** When the steps of each change were, by address; absent where that is not known. */
  readonly moments?: ReadonlyMap<string, readonly TimelineEvent[]>
}

/** A plan, as far as a report of its outcomes needs it. Merged outcomes have no digest, and no changes. */
export type ExecutedPlan = Omit<Plan, 'digest'> & { readonly digest?: string }

/** What is to be said of the files. */
export interface FindingsReport {
  readonly kind: 'findings'
  readonly findings: readonly Finding[]
  /** What the files declare; absent where they are wrong. */
  readonly declared?: { readonly sites: number; readonly wlans: number }
  /** What a snapshot holds, where one was taken. */
  readonly read?: {
    readonly sites: number
    readonly sites_failed: number
    readonly wlans: number
    readonly requests: number
  }
  /** What an import wrote. */
  readonly imported?: ImportSummary
}

/** What was written of a live estate. */
export interface ImportSummary {
  readonly sites: number
  readonly sites_failed: number
  readonly wlans: number
  readonly requests: number
  /** In the order in which they were written; relative to the working directory, as far as named so. */
  readonly files: readonly {
    readonly file: string
    readonly wlans: number
    /** Of a file that holds profiles and no WLANs. */
    readonly profiles?: number
  }[]
  readonly secrets: readonly {
    /** The variable that stands for it. */
    readonly name: string
    readonly address: string
    readonly pointer: Pointer
    /** The service does not show it. */
    readonly hidden?: true
  }[]
  /** Of an import in layers: why each profile exists, and what it saves. */
  readonly profiles?: readonly {
    readonly name: string
    readonly wlans: number
    readonly fields: number
    readonly variables: readonly string[]
    readonly overridden: number
    readonly saved: number
  }[]
  /** Of all its files, beside those that one file for each site would take. */
  readonly lines?: { readonly plain: number; readonly factored: number }
}

/** What a record tells of the runs in it. */
export interface RecordReport {
  readonly kind: 'record'
  readonly runs: readonly RecordedRun[]
}

/** How a report is to look. */
export interface RenderOptions {
  readonly colour: boolean
  /** Columns of the terminal; without end where there is none, and then no line is wrapped. */
  readonly width: number
  /** The fleet's folder, relative to the working directory, with `/`; absent if there is none. */
  readonly fleet?: string
}

/** The names of the formats; `formats.ts` has what is behind each of them, and loads more. */
export const formatNames = [
  'text',
  'json',
  'markdown',
  'summary',
  'html',
  'github',
  'prometheus',
  'junit'
] as const

export type FormatName = (typeof formatNames)[number]

import type { SiteGroups } from '../core/model/desired.ts'
import type { Finding, FindingLevel, Location } from '../core/model/finding.ts'
import type { Outcome } from '../core/model/outcome.ts'
import type { Change, Plan, PlannedSite, PlanSummary, WlanPlan } from '../core/model/plan.ts'
import type { RecordedRun, TimelineEvent } from '../core/model/record.ts'
import { compact } from '../core/values/collections.ts'
import type { Pointer } from '../core/values/pointer.ts'

export type Report = PlanReport | OutcomesReport | FindingsReport | RecordReport

/** What a plan found at a site. */
export interface SitePlan extends Pick<PlannedSite, 'site' | 'unchanged' | 'declared'> {
  readonly wlanPlans: readonly Pick<WlanPlan, 'address' | 'status'>[]
}

/** A plan; for `drift`, as differences from the declaration. */
export interface PlanReport {
  readonly kind: 'plan' | 'drift'
  readonly plan: Plan
  /** The command that made the plan, if its texts differ from those of `plan` and `apply`. */
  readonly command?: 'revert'
  /** The plan is about to be executed: without changes, the outcomes have the same verdict. */
  readonly isPreview?: true
  /** The state of `drift --since`. */
  readonly since?: string
  /** Absent for a plan from a file. */
  readonly planned?: readonly SitePlan[]
  /** The group of each site that has one, by name; absent for a plan from a file. */
  readonly groups?: SiteGroups
  /** The lowest level of lint findings in text, Markdown and annotations; default: `warning`. */
  readonly lintLevel?: FindingLevel
  /** Findings about the values of secrets: only text lists them, never a saved plan, record or JSON. */
  readonly secretFindings?: readonly Finding[]
}

export function planReport(plan: Plan): PlanReport {
  return { kind: plan.command ?? 'plan', plan }
}

export interface OutcomesReport {
  readonly kind: 'outcomes'
  /** The command that executed the plan. Default: `apply`. */
  readonly command?: 'apply' | 'revert'
  readonly plan: ExecutedPlan
  /** Absent if it is unknown. */
  readonly planned?: readonly SitePlan[]
  readonly groups?: SiteGroups
  readonly outcomes: readonly Outcome[]
  /** The failed wave with the reason: `wave canary: hq/guest is diverged`; absent if none failed. */
  readonly failedWave?: string
  /** The timeline of each change by address; absent if unknown. */
  readonly timeline?: ReadonlyMap<string, readonly TimelineEvent[]>
}

/** An executed plan. Merged outcomes have no digest and no changes. */
export type ExecutedPlan = Omit<Plan, 'digest'> & { readonly digest?: string }

export interface FindingsReport {
  readonly kind: 'findings'
  readonly findings: readonly Finding[]
  /** The size of the fleet; absent if the files have errors. */
  readonly declared?: { readonly sites: number; readonly wlans: number }
  /** The size of a snapshot, if one was taken. */
  readonly read?: Pick<PlanSummary, 'sites' | 'sites_failed' | 'wlans' | 'requests'>
  /** Of a validation: the guard fields that no file declares. */
  readonly unwatched?: Pick<Plan, 'unwatched' | 'unwatched_total'>
  readonly imported?: ImportSummary
  /** The results of the tests of a fleet, whose findings are all in the report. */
  readonly tests?: readonly TestCaseResult[]
  /** As in a plan. */
  readonly lintLevel?: FindingLevel
  /** As in a plan. */
  readonly secretFindings?: readonly Finding[]
}

interface TestCaseResult {
  readonly name: string
  readonly place?: Location
  readonly findings: readonly Finding[]
}

/** The files that an import wrote from live WLANs. */
export interface ImportSummary
  extends Pick<PlanSummary, 'sites' | 'sites_failed' | 'wlans' | 'requests'> {
  /** In the order of writing, with paths as on the command line. */
  readonly files: readonly {
    readonly file: string
    readonly wlans: number
    /** Present for a file of profiles. */
    readonly profiles?: number
  }[]
  readonly secrets: readonly {
    /** The environment variable or the file of the secret. */
    readonly name: string
    /** The WLAN and the field of its first use. */
    readonly address: string
    readonly pointer: Pointer
    /** The number of fields with this value, if it is more than one. */
    readonly uses?: number
    /** True if the service hides the secret. */
    readonly hidden?: true
  }[]
  /** True if nothing was written. */
  readonly dryRun?: true
  /** Where a run gets the values of the secrets from, as one line of text. */
  readonly secretValues?: string
  /** Waivers for what is wrong with the live networks: the file that has them, or the entries to add to a policy. */
  readonly waivers?: { readonly file?: string; readonly entries: readonly string[] }
  /** The number of lines in all files with profiles, and without. */
  readonly lines?: { readonly plain: number; readonly factored: number }
}

export interface RecordReport {
  readonly kind: 'record'
  readonly runs: readonly RecordedRun[]
}

/** A command that makes sense after a result, complete, and its purpose: `shows where they differ`. */
export type NextStep = readonly [command: string, purpose: string]

/** The arguments of a run, which a command about some of its networks repeats. */
export interface Rerun {
  /** What its networks are compared with: `--base main`. */
  readonly base: readonly string[]
  /** The sites that it covers, for a command that names none: `--site 'store-*'`. */
  readonly part: readonly string[]
  /** Of a revert: its record or state: `--to friday.json`. */
  readonly revert?: readonly string[]
}

export interface RenderOptions {
  readonly colour: boolean
  /** The columns of the terminal; Infinity without a terminal, so that lines do not wrap. */
  readonly width: number
  /** Lists items that a report otherwise only counts. */
  readonly verbose?: true
  /** The commands that make sense after the result, for a page; a terminal shows them after it. */
  readonly next?: readonly NextStep[]
  /** The directory of the fleet relative to the working directory, with `/`; absent without a fleet. */
  readonly fleet?: string
  /** What a command needs to do the same as this run. */
  readonly rerun?: Rerun
  /**
   * The address of the working directory's files, for links in Markdown:
   * `https://github.com/acme/wifi/blob/SHA` or `https://gitlab.com/acme/wifi/-/blob/SHA`; absent if it is unknown.
   */
  readonly source?: string
  /** The line of a file, for excerpts below findings; undefined if it cannot be read. Absent where no excerpt is wanted. */
  readonly lineAt?: (place: Location) => string | undefined
}

/** The names of the formats. `formats.ts` maps them to functions, and is loaded only when needed. */
export const formatNames = ['text', 'json', 'markdown', 'html', 'github'] as const

export type FormatName = (typeof formatNames)[number]

/** A pure function from a report to text that ends with a line break. */
export type Format = (report: Report, options: RenderOptions) => string

/** Converts the paths of the changes in a report about a plan, or of its findings and refusals. */
export function mapPlaces(
  report: Report,
  of: 'changes' | 'findings',
  map: (file: string) => string
): Report {
  const at = (place: Location): Location => ({ ...place, file: map(place.file) })
  const mapPlan = <P extends ExecutedPlan>(plan: P): P => {
    const { changes, findings, refusals } = plan
    if (of === 'changes') return { ...plan, changes: changes.map(each => mapChange(each, at)) }
    const found = findings.map(each => mapFinding(each, at))
    return {
      ...plan,
      findings: found,
      ...compact({ refusals: refusals?.map(each => mapFinding(each, at)) })
    }
  }
  switch (report.kind) {
    case 'plan':
    case 'drift':
      return { ...report, plan: mapPlan(report.plan) }
    case 'outcomes':
      return { ...report, plan: mapPlan(report.plan) }
    case 'findings':
    case 'record':
      return report
  }
}

type MapPlace = (place: Location) => Location

function mapChange(change: Change, at: MapPlace): Change {
  const { origin, places, sources } = change
  return {
    ...change,
    origin: at(origin),
    ...(places && { places: mapMembers(places, at) }),
    ...(sources && {
      sources: mapMembers(sources, all => all.map(each => ({ ...each, place: at(each.place) })))
    })
  }
}

function mapMembers<T>(
  members: Readonly<Record<string, T>>,
  change: (member: T) => T
): Record<string, T> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, change(value)]))
}

function mapFinding(found: Finding, at: MapPlace): Finding {
  const { place, related } = found
  return {
    ...found,
    ...(place && { place: at(place) }),
    ...(related && { related: related.map(at) })
  }
}

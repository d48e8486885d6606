import type { Site } from './desired.ts'

/** The metrics of a site by name, such as `{ clients: 41 }`: finite numbers, at least 0. */
export type SiteMetrics = Readonly<Record<string, number>>

/** A site whose metrics are measured. */
export interface MeasuredSite extends Site {
  /** `waiting`: its change comes in a later wave; the control group. */
  readonly role: 'changed' | 'waiting'
  /** The ids of its live WLANs that the rollout changes. */
  readonly wlans: readonly string[]
  /** Absent if there is no answer for the site. */
  readonly metrics?: SiteMetrics
}

/** The metrics of sites at a time. */
export interface Measurement {
  /** Absent for the last wave, of the sites in no declared wave. */
  readonly wave?: string
  readonly phase: 'before' | 'after'
  /** The time of the metrics, UTC. */
  readonly of: string
  readonly sites: readonly MeasuredSite[]
  /** Why there is no answer. */
  readonly problem?: string
}

/** The counts of the changed or of the waiting sites. */
export interface GroupCounts {
  /** Those that answered before and after; the sums are theirs. */
  readonly sites: number
  /** Those that did not, which no sum contains. */
  readonly unanswered: number
  readonly before: number
  readonly after: number
}

/** `not_judged` is neither of the others, and must not pass for good. */
export type JudgementResult = 'worse' | 'good' | 'not_judged'

/** The result for a metric. */
export interface Verdict {
  readonly result: JudgementResult
  readonly changed: GroupCounts
  readonly waiting: GroupCounts
  /** Of the other results, from 0 to 1: that the sites changed for the worse at all, or that they kept the limit. */
  readonly confidence?: number
  /** Why it is not judged. */
  readonly reason?: string
}

/** How the changed sites of a wave developed, compared with the waiting ones. */
export interface Judgement {
  /** Absent for the last wave, of the sites in no declared wave. */
  readonly wave?: string
  /** When it was judged, UTC. */
  readonly at: string
  /** `worse` if a metric is, else `good` if all are. */
  readonly result: JudgementResult
  /** By name; empty if the sites were not measured twice. */
  readonly metrics: Readonly<Record<string, Verdict>>
  /** Why there are no metrics. */
  readonly reason?: string
  /** True if the rollout goes on, whatever the result. */
  readonly dry_run?: true
}

/** Such as `−58 %`; `0 → 12` if there was nothing before. */
export function formatGrowth({ before, after }: GroupCounts): string {
  if (before === 0) return `0 → ${after}`
  const percent = Math.round((after / before - 1) * 100)
  return `${percent < 0 ? '−' : '+'}${Math.abs(percent)} %`
}

const results = { worse: 'worse', good: 'good', not_judged: 'not judged' } as const

/** The result in words. */
export function formatResult({ result }: Pick<Judgement, 'result'>): string {
  return results[result]
}

/** Such as `clients: −58 % at 8 changed sites, −31 % at 32 others: worse (99.8 % sure)`. */
export function verdictSentence(name: string, verdict: Verdict): string {
  const { changed, waiting, confidence, reason } = verdict
  const silent = changed.unanswered + waiting.unanswered
  const without = silent === 0 ? '' : `, ${silent} without an answer`
  const sites = `${changed.sites} changed ${changed.sites === 1 ? 'site' : 'sites'}`
  const others = `, ${formatGrowth(waiting)} at ${waiting.sites} ${waiting.sites === 1 ? 'other' : 'others'}`
  const hasOthers = waiting.sites + waiting.unanswered > 0
  const numbers = `${formatGrowth(changed)} at ${sites}${hasOthers ? others : ''}${without}`
  const why = reason === undefined ? '' : `, ${reason}`
  // Rounded down: never more than the estimate.
  const percent = Math.min(99.9, Math.floor((confidence ?? 0) * 1000) / 10)
  const sure = verdict.result === 'not_judged' ? '' : ` (${percent} % sure)`
  return `${name}: ${numbers}: ${formatResult(verdict)}${why}${sure}`
}

/** A sentence for each metric, or the reason why there is none. */
export function judgementSentences({ metrics, reason }: Judgement): string[] {
  const sentences = Object.entries(metrics).map(([name, verdict]) => verdictSentence(name, verdict))
  return sentences.length > 0 ? sentences : [`not judged: ${reason ?? 'no metric'}`]
}

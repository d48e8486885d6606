import type { JudgePolicy, MetricLimit } from '../model/desired.ts'
import type {
  GroupCounts,
  Judgement,
  MeasuredSite,
  Measurement,
  Verdict
} from '../model/judgement.ts'
import { plural } from '../values/text.ts'

/** A count of a site before and after a wave, such as its clients; undefined if the site gave no answer. */
export interface SiteCounts {
  /** False for a site that the rollout has not changed yet: the control group. */
  readonly changed: boolean
  readonly before: number | undefined
  readonly after: number | undefined
}

/** At most this part of the waves that changed nothing is called worse by chance, and of those with a loss of `by` good. */
const ALPHA = { worse: 0.01, good: 0.05 }

/**
 * Compares how the counts of the changed sites developed with those of the waiting sites, which saw the same hour, weather and
 * weekday. With the sums A after and B before, r = A / B and R = r(changed) / r(waiting), the wave is
 *
 * - `worse` if R is beyond the limit 1 ∓ by, and chance does not explain that R differs from 1;
 * - `good` if R is within the limit, and chance does not explain that.
 *
 * Chance explains a distance of ln R from ln 1 or from the limit by Student's distribution of their quotient with s, where
 *
 *     s² = Σ over both groups: 1/A + 1/B + τ² Σ(b/B)²
 *
 * 1/A + 1/B is the variance of Poisson counts. τ² is that between sites beyond it, by the method of moments (DerSimonian and
 * Laird, Controlled Clin. Trials 7, 1986) from the residuals a − r b of the ratio estimator (Cochran, Sampling Techniques,
 * 1977, chapter 6) of both groups: so a single canary is judged with the variance of the waiting sites. There are n − 1 degrees
 * of freedom for each group of n sites. Sums have 0.5 added (Haldane and Anscombe), since all clients may be gone.
 */
export function judge(sites: readonly SiteCounts[], limit: MetricLimit): Verdict {
  const changed = groupOf(sites.filter(site => site.changed))
  const waiting = groupOf(sites.filter(site => !site.changed))
  const counts = { changed: changed.counts, waiting: waiting.counts }
  const obstacle = obstacleOf(counts, limit)
  if (obstacle !== undefined) return { result: 'not_judged', ...counts, reason: obstacle }
  const groups = [changed, waiting]
  const freedom = groups.reduce((sum, { counted }) => sum + Math.max(0, counted.length - 1), 0)
  if (freedom === 0) {
    const reason = 'so few sites do not show how much they differ by chance'
    return { result: 'not_judged', ...counts, reason }
  }
  const between = varianceBetween(groups)
  const variance = groups.reduce((sum, group) => {
    const { before, after } = group.counts
    return sum + 1 / (after + 0.5) + 1 / (before + 0.5) + between * powers(group, 2)
  }, 0)
  // Above 0 is for the worse.
  const sign = limit.worse === 'lower' ? -1 : 1
  const change = sign * (logRatio(changed) - logRatio(waiting))
  const beyond = change - sign * Math.log(1 + sign * limit.by)
  const confidenceIn = (distance: number) =>
    studentDistribution(distance / Math.sqrt(variance), freedom)
  const [isWorse, isGood] = [confidenceIn(change), confidenceIn(-beyond)]
  if (beyond > 0 && isWorse >= 1 - ALPHA.worse) {
    return { result: 'worse', ...counts, confidence: isWorse }
  }
  if (isGood >= 1 - ALPHA.good) return { result: 'good', ...counts, confidence: isGood }
  return { result: 'not_judged', ...counts, reason: 'the difference may be chance' }
}

/** Judges a wave by all metrics, from the sites that both measurements have. */
export function judgeWave(
  before: Measurement,
  after: Measurement,
  { metrics }: Pick<JudgePolicy, 'metrics'>
): Pick<Judgement, 'result' | 'metrics' | 'reason'> {
  const reason = before.problem ?? after.problem
  if (reason !== undefined) return { result: 'not_judged', metrics: {}, reason }
  const later = new Map(after.sites.map(site => [site.id, site.metrics]))
  const verdicts = Object.entries(metrics).map(([name, limit]) => {
    const valueIn = (values: MeasuredSite['metrics']) =>
      values && Object.hasOwn(values, name) ? values[name] : undefined
    const sites = before.sites.map(site => ({
      changed: site.role === 'changed',
      before: valueIn(site.metrics),
      after: valueIn(later.get(site.id))
    }))
    return [name, judge(sites, limit)] as const
  })
  const has = (result: Verdict['result']) => verdicts.some(([, each]) => each.result === result)
  const result = has('worse') ? 'worse' : has('not_judged') ? 'not_judged' : 'good'
  return { result, metrics: Object.fromEntries(verdicts) }
}

interface Counted {
  readonly before: number
  readonly after: number
}

interface Group {
  /** Without sites that count nothing before and after. */
  readonly counted: readonly Counted[]
  readonly counts: GroupCounts
}

function groupOf(sites: readonly SiteCounts[]): Group {
  const answered = sites.flatMap(({ before, after }) =>
    before === undefined || after === undefined ? [] : [{ before, after }]
  )
  const counts = {
    sites: answered.length,
    unanswered: sites.length - answered.length,
    before: answered.reduce((sum, { before }) => sum + before, 0),
    after: answered.reduce((sum, { after }) => sum + after, 0)
  }
  return { counted: answered.filter(({ before, after }) => before + after > 0), counts }
}

function obstacleOf(
  { changed, waiting }: Pick<Verdict, 'changed' | 'waiting'>,
  { min }: MetricLimit
): string | undefined {
  const named = [
    ['changed', changed],
    ['waiting', waiting]
  ] as const
  for (const [name, { sites, unanswered, before }] of named) {
    if (sites + unanswered === 0) return `there is no ${name} site to compare with`
    if (sites === 0) return `none of ${plural(unanswered, `${name} site`)} answered twice`
    if (before < min)
      return `${before} before at ${plural(sites, `${name} site`)}, fewer than ${min}`
  }
  return undefined
}

function logRatio({ counts: { before, after } }: Group): number {
  return Math.log((after + 0.5) / (before + 0.5))
}

/** The sum over the sites of their shares of the counts before, to this power. */
function powers({ counted, counts }: Group, power: number): number {
  return counted.reduce((sum, { before }) => sum + (before / counts.before) ** power, 0)
}

/** τ²: what the squared residuals have in excess of Poisson counts; a group whose counts all went has none. */
function varianceBetween(groups: readonly Group[]): number {
  let excess = 0
  let weight = 0
  for (const group of groups) {
    const { before, after } = group.counts
    if (after === 0) continue
    const squares = powers(group, 2)
    for (const site of group.counted) excess += (site.after / after - site.before / before) ** 2
    excess -= (1 / after + 1 / before) * (1 - squares)
    weight += squares - 2 * powers(group, 3) + squares ** 2
  }
  return weight > 0 ? Math.max(0, excess / weight) : 0
}

/** The cumulative distribution of Student's t for whole degrees of freedom (Abramowitz and Stegun, 26.7.3 and 26.7.4). */
function studentDistribution(t: number, freedom: number): number {
  const angle = Math.atan(t / Math.sqrt(freedom))
  const cosine = Math.cos(angle)
  const isOdd = freedom % 2 === 1
  let term = isOdd ? cosine : 1
  let series = 0
  for (let power = isOdd ? 1 : 0; power <= freedom - 2; power += 2) {
    series += term
    term *= ((power + 1) / (power + 2)) * cosine ** 2
  }
  const within = Math.sin(angle) * series
  return (1 + (isOdd ? (2 / Math.PI) * (angle + within) : within)) / 2
}

import { type Finding, finding } from '../core/model/finding.ts'
import type { History, HistoryPoint, Recurring } from '../core/model/history.ts'
import type { Tally } from '../core/model/outcome.ts'
import type { Plan } from '../core/model/plan.ts'
import { byCodeUnit, sortBy } from '../core/values/collections.ts'

/** The history point of a plan, such as the JSON report of `drift`. */
export function planPoint(file: string, plan: Plan): HistoryPoint {
  const { changed, unmanaged, blocked, sites_failed } = plan.summary
  const at = plan.against?.created ?? plan.created
  return { at, file, kind: 'plan', drifted: changed, unmanaged, failed: blocked + sites_failed }
}

/** The history point of the outcomes of a run. */
export function outcomesPoint(file: string, at: string, summary: Partial<Tally>): HistoryPoint {
  const { failed = 0, diverged = 0, unknown = 0 } = summary
  return { at, file, kind: 'outcomes', failed: failed + diverged + unknown }
}

/** The drift of a site or field: the number of reports, and of WLANs. */
interface DriftCount {
  reports: number
  wlans: number
  now: number
}

class ServiceHistory {
  readonly points: HistoryPoint[] = []
  readonly sites = new Map<string, DriftCount>()
  readonly fields = new Map<string, DriftCount>()
  /** The time of the newest plan, which shows the current drift. */
  newest = ''

  add(point: HistoryPoint, plan: Plan): void {
    this.points.push(point)
    const isNewest = point.at >= this.newest
    if (isNewest) this.newest = point.at
    const fields = plan.changes.flatMap(({ patch }) =>
      patch.flatMap(({ op, path }) => (op === 'test' ? [] : [path]))
    )
    addCounts(
      this.sites,
      plan.changes.map(({ site }) => site.name),
      isNewest
    )
    addCounts(this.fields, fields, isNewest)
  }
}

function addCounts(
  counts: Map<string, DriftCount>,
  names: readonly string[],
  isNewest: boolean
): void {
  if (isNewest) for (const count of counts.values()) count.now = 0
  const seen = new Set<string>()
  for (const name of names) {
    const count = counts.get(name) ?? { reports: 0, wlans: 0, now: 0 }
    counts.set(name, count)
    count.wlans += 1
    if (isNewest) count.now += 1
    if (!seen.has(name)) count.reports += 1
    seen.add(name)
  }
}

/**
 * Collects reports in any order, and keeps only their counts. The same plan in two files counts once. If the
 * reports are about several services, the history covers the service of the newest one.
 */
export class HistoryWriter {
  readonly #services = new Map<string, ServiceHistory>()
  readonly #plans = new Set<string>()
  readonly #outcomes: HistoryPoint[] = []

  plan(file: string, plan: Plan): void {
    const { base_url, created, digest } = plan
    const key = JSON.stringify([base_url, created, digest])
    if (this.#plans.has(key)) return
    this.#plans.add(key)
    const service = this.#services.get(base_url) ?? new ServiceHistory()
    this.#services.set(base_url, service)
    service.add(planPoint(file, plan), plan)
  }

  outcomes(point: HistoryPoint): void {
    this.#outcomes.push(point)
  }

  /** `findings` are about excluded files. */
  history(findings: readonly Finding[]): History {
    const services = [...this.#services].sort(([, a], [, b]) => byCodeUnit(b.newest, a.newest))
    const [chosen, ...others] = services
    const excluded = others.map(([url, { points }]) =>
      finding('HISTORY_OTHER_SERVICE', {}, url, points.length, chosen?.[0] ?? '')
    )
    const points = [...(chosen?.[1].points ?? []), ...this.#outcomes]
    return {
      ...(chosen === undefined ? {} : { baseUrl: chosen[0] }),
      points: sortBy(
        points,
        ({ at }) => at,
        ({ file }) => file
      ),
      sites: ranked(chosen?.[1].sites),
      fields: ranked(chosen?.[1].fields),
      findings: [...findings, ...excluded]
    }
  }
}

function ranked(counts: ReadonlyMap<string, DriftCount> = new Map()): Recurring[] {
  return [...counts]
    .map(([name, count]) => ({ name, ...count }))
    .sort((a, b) => b.reports - a.reports || b.wlans - a.wlans || byCodeUnit(a.name, b.name))
}

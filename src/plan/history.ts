import { byCodeUnit } from '../model/collections.ts'
import { type Finding, finding } from '../model/finding.ts'
import type { History, HistoryPoint, Recurring } from '../model/history.ts'
import type { Tally } from '../model/outcome.ts'
import type { Plan } from '../model/plan.ts'

/** The point of a plan, such as the JSON report of `drift`. */
export function planPoint(file: string, plan: Plan): HistoryPoint {
  const { changed, unmanaged, blocked, sites_failed } = plan.summary
  const at = plan.against?.created ?? plan.created
  return { at, file, kind: 'plan', drifted: changed, unmanaged, failed: blocked + sites_failed }
}

/** The point of what became of a run. */
export function outcomesPoint(file: string, at: string, summary: Partial<Tally>): HistoryPoint {
  const { failed = 0, diverged = 0, unknown = 0 } = summary
  return { at, file, kind: 'outcomes', failed: failed + diverged + unknown }
}

/** In how many reports something drifted, and how many WLANs of it. */
interface Tale {
  reports: number
  wlans: number
  now: number
}

/** What the reports on one service tell together. */
class Book {
  readonly points: HistoryPoint[] = []
  readonly sites = new Map<string, Tale>()
  readonly fields = new Map<string, Tale>()
  /** The time of the newest plan: what drifts now is what it says. */
  newest = ''

  add(point: HistoryPoint, plan: Plan): void {
    this.points.push(point)
    const isNewest = point.at >= this.newest
    if (isNewest) this.newest = point.at
    const fields = plan.changes.flatMap(({ patch }) =>
      patch.flatMap(({ op, path }) => (op === 'test' ? [] : [path]))
    )
    note(
      this.sites,
      plan.changes.map(({ site }) => site.name),
      isNewest
    )
    note(this.fields, fields, isNewest)
  }
}

function note(tales: Map<string, Tale>, names: readonly string[], isNewest: boolean): void {
  if (isNewest) for (const tale of tales.values()) tale.now = 0
  const seen = new Set<string>()
  for (const name of names) {
    const tale = tales.get(name) ?? { reports: 0, wlans: 0, now: 0 }
    tales.set(name, tale)
    tale.wlans += 1
    if (isNewest) tale.now += 1
    if (!seen.has(name)) tale.reports += 1
    seen.add(name)
  }
}

/**
 * Collects reports in any order, and keeps of each only what is told. The same plan in two files counts
 * once. Where the reports are of several services, the history is that of the newest one.
 */
export class HistoryWriter {
  readonly #books = new Map<string, Book>()
  readonly #plans = new Set<string>()
  readonly #outcomes: HistoryPoint[] = []

  plan(file: string, plan: Plan): void {
    const { base_url, created, digest } = plan
    const key = JSON.stringify([base_url, created, digest])
    if (this.#plans.has(key)) return
    this.#plans.add(key)
    const book = this.#books.get(base_url) ?? new Book()
    this.#books.set(base_url, book)
    book.add(planPoint(file, plan), plan)
  }

  outcomes(point: HistoryPoint): void {
    this.#outcomes.push(point)
  }

  /** `findings`: what is to be said of files that were left out. */
  history(findings: readonly Finding[]): History {
    const books = [...this.#books].sort(([, a], [, b]) => byCodeUnit(b.newest, a.newest))
    const [chosen, ...others] = books
    const left = others.map(([url, { points }]) =>
      finding('HISTORY_OTHER_SERVICE', {}, url, points.length, chosen?.[0] ?? '')
    )
    const points = [...(chosen?.[1].points ?? []), ...this.#outcomes]
    return {
      ...(chosen === undefined ? {} : { baseUrl: chosen[0] }),
      points: points.sort((a, b) => byCodeUnit(a.at, b.at) || byCodeUnit(a.file, b.file)),
      sites: ranked(chosen?.[1].sites),
      fields: ranked(chosen?.[1].fields),
      findings: [...findings, ...left]
    }
  }
}

function ranked(tales: ReadonlyMap<string, Tale> = new Map()): Recurring[] {
  return [...tales]
    .map(([name, tale]) => ({ name, ...tale }))
    .sort((a, b) => b.reports - a.reports || b.wlans - a.wlans || byCodeUnit(a.name, b.name))
}

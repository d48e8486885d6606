import { isError } from '../../core/model/finding.ts'
import { type Outcome, statuses, tally } from '../../core/model/outcome.ts'
import { countUnread, type Plan } from '../../core/model/plan.ts'
import { byCodeUnit, groupBy } from '../../core/values/collections.ts'
import { escapeInside } from '../escape.ts'
import type { ExecutedPlan, FindingsReport, Report } from '../report.ts'

interface Sample {
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

/** A gauge: the state in a run, never a counter over several runs. */
interface Metric {
  readonly name: string
  readonly help: string
  readonly samples: readonly Sample[]
}

/**
 * The maximum number of sites with their own time series, the worst ones, because cardinality costs memory.
 */
const MAX_SITES = 100

/**
 * A report as metrics in the text format of Prometheus, for the textfile collector of its node exporter
 * (prometheus.io/docs/instrumenting/exposition_formats).
 */
export function renderPrometheus(report: Report): string {
  return metricsOf(report).map(formatMetric).join('')
}

function metricsOf(report: Report): readonly Metric[] {
  switch (report.kind) {
    case 'plan':
    case 'drift':
      return [...fleetMetrics(report.plan), ...driftMetrics(report.plan)].filter(isKnown)
    case 'outcomes':
      return [...fleetMetrics(report.plan), ...outcomeMetrics(report.outcomes)].filter(isKnown)
    case 'record':
      return outcomeMetrics(report.runs.flatMap(run => run.changes.map(({ outcome }) => outcome)))
    case 'findings':
      return findingMetrics(report)
  }
}

function fleetMetrics({ summary, created, against }: ExecutedPlan): Metric[] {
  const { sites, sites_failed, wlans, blocked, unmanaged, requests } = summary
  const snapshot = 'Time of the snapshot that the plan was made against, in Unix time.'
  return [
    gauge('sites', 'Sites that the run covered.', sites),
    gauge('sites_failed', 'Sites that could not be read.', sites_failed),
    gauge('wlans_declared', 'WLANs that the files declare.', wlans),
    gauge('wlans_blocked', 'Declared WLANs that cannot be planned.', blocked),
    gauge('wlans_unread', 'Declared WLANs of sites that could not be read.', countUnread(summary)),
    gauge('wlans_unmanaged', 'Live WLANs that are not declared.', unmanaged),
    gauge('requests', 'HTTP requests sent to read the service.', requests),
    gauge('last_run_timestamp_seconds', 'Time of the run, in Unix time.', unixTime(created)),
    ...(against ? [gauge('snapshot_timestamp_seconds', snapshot, unixTime(against.created))] : [])
  ]
}

function driftMetrics(plan: Plan): Metric[] {
  const { changed, unchanged } = plan.summary
  const refusals = (plan.refusals ?? []).filter(isError).length
  const removed = plan.findings.filter(({ code }) => code === 'NO_LONGER_DECLARED').length
  const ofBase = 'Fields, WLANs and sites that only the base declares.'
  return [
    gauge('wlans_in_sync', 'Declared WLANs that match their declaration.', unchanged),
    gauge('wlans_drifted', 'Declared WLANs that differ from their declaration.', changed),
    gauge('refusals', 'Reasons for which `apply` would refuse changes.', refusals),
    {
      name: 'wlanctl_site_wlans_drifted',
      help: `WLANs that differ, by site; the ${MAX_SITES} sites with the most.`,
      samples: worstSites(plan)
    },
    ...(removed === 0 ? [] : [gauge('no_longer_declared', ofBase, removed)])
  ]
}

function worstSites({ changes }: Plan): Sample[] {
  const groups = groupBy(changes, ({ site }) => site.name)
  return [...groups]
    .sort(([a, { length: most }], [b, { length: more }]) => more - most || byCodeUnit(a, b))
    .slice(0, MAX_SITES)
    .map(([site, group]) => ({ labels: { site }, value: group.length }))
}

function outcomeMetrics(outcomes: readonly Outcome[]): Metric[] {
  const counts = tally(outcomes)
  return [
    {
      name: 'wlanctl_outcomes',
      help: 'Outcomes of the changes, by status.',
      samples: statuses.map(status => ({ labels: { status }, value: counts[status] }))
    }
  ]
}

function findingMetrics({ findings }: FindingsReport): Metric[] {
  const samples = (['error', 'warning'] as const).map(level => ({
    labels: { level },
    value: findings.filter(found => found.level === level).length
  }))
  return [{ name: 'wlanctl_findings', help: 'Findings about the input, by level.', samples }]
}

function gauge(name: string, help: string, value: number): Metric {
  return { name: `wlanctl_${name}`, help, samples: [{ value }] }
}

/** False for an invalid time from a file. */
function isKnown({ samples }: Metric): boolean {
  return samples.every(({ value }) => !Number.isNaN(value))
}

function unixTime(created: string): number {
  return Date.parse(created) / 1000
}

function formatMetric({ name, help, samples }: Metric): string {
  const lines = samples.map(({ labels = {}, value }) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${labelValue(text)}"`)
    return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`
  })
  return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join('')}`
}

/** Escapes a label by the rules of reports, then by those of the text format. */
function labelValue(text: string): string {
  return escapeInside(text).replace(/["\\]/g, '\\$&')
}

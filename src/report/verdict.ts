import { byCodeUnit } from '../model/collections.ts'
import type { Part } from '../model/desired.ts'
import { isError } from '../model/finding.ts'
import type { Change, Plan, PlanSummary } from '../model/plan.ts'
import type { Pointer } from '../model/pointer.ts'
import { plural } from '../model/text.ts'
import { fieldsOf } from './field-changes.ts'
import { formatField } from './format-value.ts'
import { type Style, wrap } from './layout.ts'
import type { PlanReport, RenderOptions } from './report.ts'

type Kind = PlanReport['kind']

/** What a plan comes to, in one line. */
export function formatPlanVerdict(kind: Kind, plan: Plan, style: Style): string {
  const left = formatMissing(plan.summary)
  const incomplete = left === undefined ? '' : style.warn(`; incomplete: ${left}`)
  if (plan.summary.changed > 0) return style.strong(differing(kind, plan)) + incomplete
  const good = `${kind === 'drift' ? 'No drift' : 'No changes'}${asDeclared(plan.summary)}`
  const fine = left === undefined && !plan.findings.some(isError)
  return (fine ? style.good : style.warn)(good) + incomplete
}

function asDeclared({ sites, wlans, unchanged }: PlanSummary): string {
  if (sites === 0) return ': this run covers no site'
  if (unchanged < wlans) return ' among the WLANs that could be planned'
  if (wlans === 0) return ': no WLAN is declared'
  return wlans === 1 ? ': the WLAN is as declared' : `: all ${wlans} WLANs are as declared`
}

function differing(kind: Kind, plan: Plan): string {
  const { changed, wlans } = plan.summary
  const harm = hurt(plan)
  if (kind === 'plan') {
    return `Plan: ${plural(changed, 'WLAN')} to change${harm === '' ? '' : ` (${harm})`}`
  }
  const verb = changed === 1 ? 'differs' : 'differ'
  const drift = `Drift: ${changed} of ${plural(wlans, 'WLAN')} ${verb} from the declaration`
  return `${drift}${harm === '' ? '' : ` (to mend: ${harm})`}`
}

/** How many changes hurt somebody, e.g. `1 downgrade, 1 outage, 2 reconnects`. */
function hurt({ changes }: Plan): string {
  const harms = changes.flatMap(({ downgrades, impact }) => [downgrades && 'downgrade', impact])
  const parts = ['downgrade', 'outage', 'reconnect'].flatMap(harm => {
    const n = harms.filter(each => each === harm).length
    return n === 0 ? [] : [plural(n, harm)]
  })
  return parts.join(', ')
}

/** What a plan could not say anything of, in words; undefined where there is nothing of the kind. */
export function formatMissing({ blocked, sites_failed }: PlanSummary): string | undefined {
  const parts = [
    ...(blocked > 0 ? [`${plural(blocked, 'WLAN')} blocked`] : []),
    ...(sites_failed > 0 ? [`${plural(sites_failed, 'site')} not read`] : [])
  ]
  return parts.length === 0 ? undefined : parts.join(', ')
}

/** The sums, which always add up. */
export function formatTotals(summary: PlanSummary): string {
  const { sites, sites_failed, wlans, changed, unchanged, blocked, unmanaged, requests } = summary
  const unread = wlans - changed - unchanged - blocked
  const parts = [
    `${changed} changed`,
    `${unchanged} unchanged`,
    `${blocked} blocked`,
    ...(unread > 0 ? [`${unread} not read`] : [])
  ]
  const failed = sites_failed > 0 ? ` (${sites_failed} not read)` : ''
  const covered = `${plural(wlans, 'WLAN')} on ${plural(sites, 'site')}${failed}`
  return `${covered}: ${parts.join(', ')}; ${unmanaged} unmanaged; ${plural(requests, 'request')}`
}

/** What a plan is only a part of, in words; undefined for one that is whole. */
export function partNote({ shard, continues }: Part): string | undefined {
  if (shard !== undefined) return `Shard ${shard} of the fleet`
  if (continues === undefined) return undefined
  if (continues.length === 0) return 'No site of the fleet: an earlier run has read all of them'
  return `Of the fleet only ${plural(continues.length, 'site')} that an earlier run could not read`
}

/** How old the snapshot is that a plan was made on, in words; undefined where the service was read. */
export function snapshotAge({
  against,
  created
}: Pick<Plan, 'against' | 'created'>): string | undefined {
  if (against === undefined) return undefined
  const span = spanBetween(against.created, created)
  const age = span === undefined ? 'of unknown age' : `${span} old`
  return `${age} (${shownTime(against.created)})`
}

/** The fields of a change by the time since which they are known to differ; the longest known first. */
export interface FieldAge {
  /** Undefined for what differs as of this plan. */
  readonly since?: string
  readonly pointers: readonly Pointer[]
}

export function fieldAges(change: Change): FieldAge[] {
  const { first_seen = {} } = change
  const fresh: Pointer[] = []
  const pointersAt = new Map<string, Pointer[]>()
  for (const { path } of fieldsOf(change)) {
    const since = Object.hasOwn(first_seen, path) ? first_seen[path] : undefined
    const others = since === undefined ? fresh : pointersAt.get(since)
    if (others !== undefined) others.push(path)
    else if (since !== undefined) pointersAt.set(since, [path])
  }
  const known = [...pointersAt]
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([since, pointers]) => ({ since, pointers }))
  return fresh.length === 0 ? known : [...known, { pointers: fresh }]
}

/** A time for people: `2026-11-20 10:00:00 UTC`; any other text is `an invalid time`. */
export function shownTime(time: string): string {
  const milliseconds = Date.parse(time)
  if (Number.isNaN(milliseconds)) return 'an invalid time'
  const [date = '', clock = ''] = new Date(milliseconds).toISOString().split('T')
  return `${date} ${clock.slice(0, 8)} UTC`
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1]
] as const

/** The time between two times in its largest unit: `3 hours`; undefined if one of them is invalid. */
function spanBetween(from: string, to: string): string | undefined {
  const seconds = Math.max(0, (Date.parse(to) - Date.parse(from)) / 1000)
  if (Number.isNaN(seconds)) return undefined
  const [unit, length] = UNITS.find(([, each]) => seconds >= each) ?? UNITS[3]
  return plural(Math.floor(seconds / length), unit)
}

/**
 * Since when the fields of a change are known to differ.
 *
 *     since 2026-11-19 10:00:00 UTC: isolation
 *     first seen now: vlan_id
 */
export function sinceLines(change: Change, { width }: RenderOptions, style: Style): string[] {
  return fieldAges(change).flatMap(({ since, pointers }) => {
    const title = since === undefined ? 'first seen now' : `since ${shownTime(since)}`
    const [first = '', ...others] = pointers.map(formatField)
    const mark = since === undefined ? style.warn : style.faint
    return wrap([`${title}: ${first}`, ...others], ', ', width - 4).map(line => `    ${mark(line)}`)
  })
}

/** What is to be said of the age of what a plan was made on, and held against. */
export function ageNotes(plan: Plan, style: Style): string[] {
  const { since, changes } = plan
  const age = snapshotAge(plan)
  const known = changes.flatMap(fieldAges).filter(aged => aged.since !== undefined)
  const old = known.reduce((sum, { pointers }) => sum + pointers.length, 0)
  return [
    ...(age === undefined ? [] : [style.warn(`On a snapshot ${age}, not on the service`)]),
    ...(since === undefined
      ? []
      : [
          `Since ${shownTime(since.created)}: ${plural(since.new_fields, 'field')} first seen now, ${old} known before`
        ])
  ]
}

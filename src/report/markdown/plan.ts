import { type Finding, isError } from '../../model/finding.ts'
import type { Change, Plan } from '../../model/plan.ts'
import { plural } from '../../model/text.ts'
import { few, thousands } from '../format-value.ts'
import { addressPartsOf } from '../group-findings.ts'
import { styleOf } from '../layout.ts'
import type { PlanReport, RenderOptions } from '../report.ts'
import type { Severity } from '../severity.ts'
import {
  fieldAges,
  formatMissing,
  formatPlanVerdict,
  formatTotals,
  partNote,
  shownTime,
  snapshotAge
} from '../verdict.ts'
import { codeSpan, fieldSpan } from './cells.ts'
import { type ChangeGroup, changesSection, groupChanges, kindsSection } from './changes.ts'
import { findingsSection, notComparedSection, unmanagedSection } from './findings.ts'
import { type AlertLevel, alert, marker, page, paragraphs, type Section } from './page.ts'
import { rolloutLine } from './rollout.ts'

/**
 * A plan as a comment: the verdict; what it does to safety and to the people on the air; the sums, the
 * digest and where to find all of it. Then tables, which may be cut.
 */
export function planMarkdown(
  { kind, plan }: PlanReport,
  options: RenderOptions,
  limit: number
): string {
  const direction = kind === 'plan' ? 'before → after' : 'live → declared'
  return page(
    headOf(kind, plan, options),
    [
      kindsSection(plan),
      changesSection(plan, direction),
      findingsSection(
        plan.findings.filter(found => !isUnresolved(found)),
        1 / 4
      ),
      unmanagedSection(plan),
      notComparedSection(plan),
      unresolvedSection(plan.findings.filter(isUnresolved))
    ],
    limit
  )
}

/** A plan is made where secrets are not at hand on purpose: that they are not is nothing to read first. */
function isUnresolved({ code, level }: Finding): boolean {
  return code === 'SECRET_UNRESOLVED' && level === 'warning'
}

function unresolvedSection(findings: readonly Finding[]): Section {
  const fold = `${thousands(plural(findings.length, 'warning'))} about secrets that are not at hand`
  return { ...findingsSection(findings, 1 / 8, ''), fold }
}

function headOf(kind: PlanReport['kind'], plan: Plan, options: RenderOptions): string {
  const said = thousands(formatPlanVerdict(kind, plan, styleOf({ ...options, colour: false })))
  return [
    `${marker(kind, options.fleet)}\n`,
    paragraphs(
      `### ${signOf(plan)} ${said}`,
      ...partAlert(plan),
      ...ageAlert(plan),
      ...impactAlerts(kind, plan),
      [
        thousands(formatTotals(plan.summary)),
        ...sinceLine(plan),
        ...(kind === 'plan' ? rolloutLine(plan) : [])
      ].join('<br>'),
      originOf(kind, plan)
    )
  ].join('')
}

/** A part may look like a small whole. */
function partAlert(plan: Plan): string[] {
  const part = partNote(plan)
  return part === undefined ? [] : [alert('IMPORTANT', `${part}.`)]
}

/** A plan on a snapshot is only as good as that is new. */
function ageAlert(plan: Plan): string[] {
  const age = snapshotAge(plan)
  if (age === undefined) return []
  return [alert('IMPORTANT', `Planned on a **snapshot** ${codeSpan(age)}, not on the service.`)]
}

/** What of the drift is new, where that is known. */
function sinceLine({ since, changes }: Plan): string[] {
  if (since === undefined) return []
  const known = changes
    .flatMap(fieldAges)
    .reduce((sum, aged) => sum + (aged.since === undefined ? 0 : aged.pointers.length), 0)
  const fresh = thousands(plural(since.new_fields, 'field'))
  const before = thousands(String(known))
  const than = codeSpan(shownTime(since.created))
  return [`Held against ${than}: **${fresh} first seen now**, ${before} known before`]
}

/** Which plan it is, and how all of it is read. */
function originOf(kind: PlanReport['kind'], { digest, base_url, created, tool }: Plan): string {
  const made = `Made ${codeSpan(created)} by ${codeSpan(tool)} for ${codeSpan(base_url)}.`
  const whole =
    kind === 'plan'
      ? 'All of it: `wlanctl show plan.json`, with the plan that this run saved.'
      : 'All of it: `wlanctl show drift.json`, with the JSON report of this run.'
  return `<sub>Digest ${codeSpan(digest)}<br>${made} ${whole}</sub>`
}

function signOf({ changes, findings, summary }: Plan): string {
  if (findings.some(isError) || formatMissing(summary) !== undefined) return '🔴'
  if (changes.length === 0) return '🟢'
  const isHarm = changes.some(({ impact, downgrades }) => impact ?? downgrades)
  return isHarm ? '🟠' : '🔵'
}

/** An alert names so many. */
const NAMED = 5

/** What a reader must not miss, and how loudly it is said. */
type Harm = readonly [Severity, AlertLevel, noun: string, says: string]

const harms: readonly Harm[] = [
  ['downgrade', 'CAUTION', 'security downgrade', 'the network gets less safe'],
  ['outage', 'WARNING', 'outage', 'clients lose this network'],
  ['reconnect', 'NOTE', 'reconnect', 'clients are dropped and come back']
]

/** What the changes do to safety and to the people on the air, worst first, then what is missing. */
function impactAlerts(kind: PlanReport['kind'], plan: Plan): string[] {
  const groups = groupChanges(plan.changes)
  const harmed = harms.flatMap(harm => harmOf(groups, harm, kind === 'drift'))
  const lines = harmed.map(({ line }) => line)
  return [
    ...(harmed.length === 0 ? [] : [alert(harmed[0]?.loudness ?? 'NOTE', lines.join('<br>'))]),
    ...incomplete(plan)
  ]
}

function harmOf(
  groups: readonly ChangeGroup[],
  [concern, loudness, noun, says]: Harm,
  isDrift: boolean
) {
  const hurt = groups.filter(({ changes: [change] }) => does(change, concern))
  if (hurt.length === 0) return []
  const n = hurt.reduce((sum, { changes }) => sum + changes.length, 0)
  const what = `**${thousands(plural(n, noun))}**${isDrift ? ' to mend it' : ''}`
  const named = few(
    hurt.map(group => nameOf(group, concern)),
    NAMED
  )
  return [{ loudness, line: `${what}: ${says}: ${named}` }]
}

/** A downgrade may be an outage or a reconnect as well, and counts as both. */
function does({ downgrades, impact }: Change, concern: Severity): boolean {
  return concern === 'downgrade' ? downgrades !== undefined : impact === concern
}

/** A change by its address, equal ones by how many sites they are on; with what gets less safe. */
function nameOf({ changes }: ChangeGroup, concern: Severity): string {
  const [change] = changes
  const { key } = addressPartsOf(change)
  const where =
    changes.length === 1
      ? codeSpan(change.address)
      : `${codeSpan(key)} on ${thousands(plural(changes.length, 'site'))}`
  const fields = concern === 'downgrade' ? (change.downgrades ?? []).map(fieldSpan) : []
  return fields.length === 0 ? where : `${where} (${few(fields, 3)})`
}

function incomplete({ summary }: Plan): string[] {
  const left = formatMissing(summary)
  if (left === undefined) return []
  const what = `**Incomplete**: ${thousands(left)}.`
  return [alert('IMPORTANT', `${what} The findings say why; nothing is known of these.`)]
}

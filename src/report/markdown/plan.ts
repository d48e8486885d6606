import { type Finding, isError } from '../../model/finding.ts'
import type { Plan } from '../../model/plan.ts'
import { plural } from '../../model/text.ts'
import { agedFields, shownTime, snapshotAge } from '../age.ts'
import { partNote } from '../part.ts'
import type { PlanReport, RenderOptions } from '../report.ts'
import { styleOf } from '../style.ts'
import { accounts, leftOut, verdict } from '../text/verdict.ts'
import { thousands } from '../words.ts'
import { alert, paragraphs } from './alert.ts'
import { notComparedSection, unmanagedSection } from './beside.ts'
import { changesSection } from './changes.ts'
import { code } from './code.ts'
import { findingsSection } from './findings.ts'
import { impactAlerts } from './impact.ts'
import { kindsSection } from './kinds.ts'
import { marker } from './marker.ts'
import { page, type Section } from './page.ts'
import { rolloutLine } from './rollout.ts'

/**
 * A plan as a comment: the verdict; what it does to safety and to the people on the air; the sums, the
 * digest and where to find all of it. Then tables, which may be cut.
 */
export function planMarkdown(
  { kind, plan }: PlanReport,
  manner: RenderOptions,
  limit: number
): string {
  const direction = kind === 'plan' ? 'before → after' : 'live → declared'
  return page(
    headOf(kind, plan, manner),
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

function headOf(kind: PlanReport['kind'], plan: Plan, manner: RenderOptions): string {
  const said = thousands(verdict(kind, plan, styleOf({ ...manner, colour: false })))
  return [
    `${marker(kind, manner.fleet)}\n`,
    paragraphs(
      `### ${signOf(plan)} ${said}`,
      ...partAlert(plan),
      ...ageAlert(plan),
      ...impactAlerts(kind, plan),
      [
        thousands(accounts(plan.summary)),
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
  return [alert('IMPORTANT', `Planned on a **snapshot** ${code(age)}, not on the service.`)]
}

/** What of the drift is new, where that is known. */
function sinceLine({ since, changes }: Plan): string[] {
  if (since === undefined) return []
  const known = changes
    .flatMap(agedFields)
    .reduce((sum, aged) => sum + (aged.since === undefined ? 0 : aged.pointers.length), 0)
  const fresh = thousands(plural(since.new_fields, 'field'))
  const before = thousands(String(known))
  const than = code(shownTime(since.created))
  return [`Held against ${than}: **${fresh} first seen now**, ${before} known before`]
}

/** Which plan it is, and how all of it is read. */
function originOf(kind: PlanReport['kind'], { digest, base_url, created, tool }: Plan): string {
  const made = `Made ${code(created)} by ${code(tool)} for ${code(base_url)}.`
  const whole =
    kind === 'plan'
      ? 'All of it: `wlanctl show plan.json`, with the plan that this run saved.'
      : 'All of it: `wlanctl show drift.json`, with the JSON report of this run.'
  return `<sub>Digest ${code(digest)}<br>${made} ${whole}</sub>`
}

function signOf({ changes, findings, summary }: Plan): string {
  if (findings.some(isError) || leftOut(summary) !== undefined) return '🔴'
  if (changes.length === 0) return '🟢'
  const isHarm = changes.some(({ impact, downgrades }) => impact ?? downgrades)
  return isHarm ? '🟠' : '🔵'
}

import type { Change, PatchOperation, Plan } from '../../model/plan.ts'
import { plural } from '../../model/text.ts'
import { escapeInside } from '../escape.ts'
import { exchangeLine, fieldsOf, isSecretField, secretText } from '../field-changes.ts'
import {
  equalChanges,
  type GroupedFindings,
  groupFindings,
  whereaboutsOf
} from '../group-findings.ts'
import { groupsOf } from '../markdown/changes.ts'
import type { PlanReport, RenderOptions } from '../report.ts'
import { busyWaves } from '../rollout.ts'
import { type Severity, severities, severityOf } from '../severity.ts'
import { shownField } from '../shown.ts'
import { styleOf } from '../style.ts'
import { ageNotes } from '../text/age.ts'
import { changesText } from '../text/changes.ts'
import { notComparedSection, unmanagedSection } from '../text/plan.ts'
import { rolloutLines, rolloutTitle } from '../text/rollout.ts'
import { accounts, verdict } from '../text/verdict.ts'
import { shortened } from '../words.ts'
import { type Annotation, group, type Level } from './command.ts'
import { findingAnnotations, findingsGroup } from './findings.ts'
import { annotationLines } from './limit.ts'
import { annotationLocationOf, named } from './location.ts'

/** An annotation names so many fields. */
const FIELDS = 6

const loudness: Readonly<Record<Severity, Level>> = {
  downgrade: 'warning',
  outage: 'warning',
  reconnect: 'notice',
  none: 'notice'
}

/**
 * A plan in the log of a step: what changes alike on many sites in a fold, the worst first, and the other
 * changes of each site in one; what is wrong, and what changes, at
 * the lines of the files that say so; the verdict last.
 */
export function planGithub({ kind, plan }: PlanReport, manner: RenderOptions): string {
  const style = styleOf(manner)
  return [
    ...changeGroups(plan, manner),
    kind === 'plan' ? rolloutGroup(plan, manner) : '',
    group('Not compared', notComparedSection(plan, style)),
    group(`Unmanaged (${plan.unmanaged.length})`, unmanagedSection(plan, style)),
    findingsGroup(plan.findings, manner),
    annotationLines([
      ...changeAnnotations(kind, plan, manner),
      ...findingAnnotations(plan.findings)
    ]),
    ...ageNotes(plan, style).map(note => `${note}\n`),
    `${accounts(plan.summary)}\n`,
    plan.changes.length === 0 ? '' : `digest ${escapeInside(plan.digest)}\n`,
    `${verdict(kind, plan, style)}\n`
  ].join('')
}

/** In which order the sites are changed, where there are several waves. */
function rolloutGroup(plan: Plan, manner: RenderOptions): string {
  const waves = busyWaves(plan)
  return waves.length < 2 ? '' : group(rolloutTitle(waves), rolloutLines(waves, manner).join('\n'))
}

function changeGroups({ changes, since }: Plan, manner: RenderOptions): string[] {
  const told = (equal: GroupedFindings<Change>) =>
    changesText(equal, manner, styleOf(manner), since !== undefined)
  const groups = equalChanges(changes)
  const many = groups.filter(({ length }) => length > 1).sort((a, b) => rankOf(a) - rankOf(b))
  const single = groups.filter(({ length }) => length === 1)
  return [
    ...many.map(equal => group(manyTitle(equal), told(equal))),
    ...groupFindings(single, ([{ site }]) => site.name).map(ofSite =>
      group(siteTitle(ofSite.flat()), ofSite.map(told).join('\n'))
    )
  ]
}

function manyTitle(equal: GroupedFindings<Change>): string {
  return `${whereaboutsOf(equal[0]).key} on ${plural(equal.length, 'site')}${harmOf(equal)}`
}

function siteTitle(changes: readonly Change[]): string {
  return `${changes[0]?.site.name}: ${plural(changes.length, 'change')}${harmOf(changes)}`
}

/** What the worst of these changes does. */
function harmOf(changes: readonly Change[]): string {
  const worst = severities.find(concern => changes.some(change => severityOf(change) === concern))
  return worst === undefined || worst === 'none' ? '' : `, ${worst}`
}

function rankOf([change]: GroupedFindings<Change>): number {
  return severities.indexOf(severityOf(change))
}

/** Equal changes are one annotation, at the line that declares the first of them; the worst first. */
function changeAnnotations(
  kind: PlanReport['kind'],
  plan: Plan,
  manner: RenderOptions
): Annotation[] {
  const groups = groupsOf(plan.changes).map(({ changes }) => changes)
  const byConcern = severities.flatMap(concern =>
    groups.filter(([change]) => severityOf(change) === concern)
  )
  return byConcern.map(([change, ...others]) => {
    const concern = severityOf(change)
    const sites = [change, ...others].map(({ site }) => site.name)
    const what =
      others.length === 0
        ? change.address
        : `${whereaboutsOf(change).key} on ${named(sites, 'site')}`
    return {
      level: kind === 'drift' ? 'warning' : loudness[concern],
      title: `${what}: ${concern === 'none' ? 'no interruption' : concern}`,
      lines: [...fieldLines(change), ...ownerLines([change, ...others])],
      spot: annotationLocationOf(change.origin, manner.fleet)
    }
  })
}

/** Who answers for these changes, if that is one. */
function ownerLines(changes: readonly Change[]): string[] {
  const owners = new Set(changes.map(({ owner }) => owner))
  const [owner] = owners
  return owners.size > 1 || owner === undefined ? [] : [`owner ${owner}`]
}

function fieldLines(change: Change): string[] {
  const fields = fieldsOf(change)
  const rest = fields.length - FIELDS
  return [
    ...fields.slice(0, FIELDS).map(field => {
      if (isSecretField(field)) return `${fieldName(field)}: ${secretText(field).what}`
      return `${fieldName(field)}: ${exchangeLine(change, field, 60)}`
    }),
    ...(rest > 0 ? [`and ${plural(rest, 'more field')}`] : [])
  ]
}

/** The name of a field, cut so that its values have room on the line of an annotation. */
function fieldName({ path }: PatchOperation): string {
  return shortened(shownField(path), 60)
}

import type { Change, PatchOperation, Plan } from '../../model/plan.ts'
import { plural } from '../../model/text.ts'
import { escapeInside } from '../escape.ts'
import { beforeAfterLine, fieldsOf, isSecretField, secretText } from '../field-changes.ts'
import { formatField, shortened } from '../format-value.ts'
import {
  addressPartsOf,
  type GroupedFindings,
  groupEqualChanges,
  groupFindings
} from '../group-findings.ts'
import { styleOf } from '../layout.ts'
import { groupChanges } from '../markdown/changes.ts'
import type { PlanReport, RenderOptions } from '../report.ts'
import { wavesWithChanges } from '../rollout.ts'
import { type Severity, severities, severityOf } from '../severity.ts'
import { changesText } from '../text/changes.ts'
import { formatNotCompared, formatUnmanaged } from '../text/plan.ts'
import { rolloutLines, rolloutTitle } from '../text/rollout.ts'
import { ageNotes, formatPlanVerdict, formatTotals } from '../verdict.ts'
import {
  type Annotation,
  type AnnotationLevel,
  annotationLines,
  annotationLocationOf,
  findingAnnotations,
  findingsGroup,
  group,
  listNames
} from './annotations.ts'

/** An annotation names so many fields. */
const FIELDS = 6

const loudness: Readonly<Record<Severity, AnnotationLevel>> = {
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
export function planGithub({ kind, plan }: PlanReport, options: RenderOptions): string {
  const style = styleOf(options)
  return [
    ...changeGroups(plan, options),
    kind === 'plan' ? rolloutGroup(plan, options) : '',
    group('Not compared', formatNotCompared(plan, style)),
    group(`Unmanaged (${plan.unmanaged.length})`, formatUnmanaged(plan, style)),
    findingsGroup(plan.findings, options),
    annotationLines([
      ...changeAnnotations(kind, plan, options),
      ...findingAnnotations(plan.findings)
    ]),
    ...ageNotes(plan, style).map(note => `${note}\n`),
    `${formatTotals(plan.summary)}\n`,
    plan.changes.length === 0 ? '' : `digest ${escapeInside(plan.digest)}\n`,
    `${formatPlanVerdict(kind, plan, style)}\n`
  ].join('')
}

/** In which order the sites are changed, where there are several waves. */
function rolloutGroup(plan: Plan, options: RenderOptions): string {
  const waves = wavesWithChanges(plan)
  return waves.length < 2 ? '' : group(rolloutTitle(waves), rolloutLines(waves, options).join('\n'))
}

function changeGroups({ changes, since }: Plan, options: RenderOptions): string[] {
  const told = (equal: GroupedFindings<Change>) =>
    changesText(equal, options, styleOf(options), since !== undefined)
  const groups = groupEqualChanges(changes)
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
  return `${addressPartsOf(equal[0]).key} on ${plural(equal.length, 'site')}${harmOf(equal)}`
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
  options: RenderOptions
): Annotation[] {
  const groups = groupChanges(plan.changes).map(({ changes }) => changes)
  const byConcern = severities.flatMap(concern =>
    groups.filter(([change]) => severityOf(change) === concern)
  )
  return byConcern.map(([change, ...others]) => {
    const concern = severityOf(change)
    const sites = [change, ...others].map(({ site }) => site.name)
    const what =
      others.length === 0
        ? change.address
        : `${addressPartsOf(change).key} on ${listNames(sites, 'site')}`
    return {
      level: kind === 'drift' ? 'warning' : loudness[concern],
      title: `${what}: ${concern === 'none' ? 'no interruption' : concern}`,
      lines: [...fieldLines(change), ...ownerLines([change, ...others])],
      spot: annotationLocationOf(change.origin, options.fleet)
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
      return `${fieldName(field)}: ${beforeAfterLine(change, field, 60)}`
    }),
    ...(rest > 0 ? [`and ${plural(rest, 'more field')}`] : [])
  ]
}

/** The name of a field, cut so that its values have room on the line of an annotation. */
function fieldName({ path }: PatchOperation): string {
  return shortened(formatField(path), 60)
}

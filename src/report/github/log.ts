import type { Plan } from '../../core/model/plan.ts'
import { formatNumber, plural } from '../../core/values/text.ts'
import { escapeInside } from '../escape.ts'
import { fieldLine } from '../overview/changes.ts'
import { findingTitle } from '../overview/findings.ts'
import type { ChangeGroup, FieldRow, NetworkState, Overview } from '../overview/overview.ts'
import { overviewOf } from '../overview/overview-of.ts'
import { statusOfState } from '../overview/states.ts'
import { textOf } from '../render/document.ts'
import { Terminal } from '../render/terminal.ts'
import {
  formatByKind,
  type OutcomesReport,
  type PlanReport,
  type RecordReport,
  type RenderOptions
} from '../report.ts'
import { findingBlocks } from '../text/findings.ts'
import { outcomesText } from '../text/outcomes.ts'
import { footLines, stateSections, verdictLines } from '../text/plan.ts'
import { refusalGroups, splitFindings } from '../verdict.ts'
import {
  type Annotation,
  type AnnotationLevel,
  annotationLines,
  type Commands,
  findingAnnotations,
  findingsGithub,
  findingsGroup,
  group,
  listNames,
  logOf,
  MAX_FIELDS
} from './annotations.ts'

/**
 * A report for the log of a step on GitHub: the text in folds, annotations at the lines of the files, and the
 * verdict at the end. Untrusted text never begins a line or a command.
 */
export const renderGithub = formatByKind({
  plan: planGithub,
  outcomes: outcomesGithub,
  findings: findingsGithub,
  record: recordGithub
})

/** A plan: a fold for the changes of each state and for each section, and annotations where they are declared. */
function planGithub(report: PlanReport, options: RenderOptions): string {
  const { kind, plan, command } = report
  const { weakened, dangers, others } = splitFindings(plan, command)
  const listed = { ...report, findings: [...dangers, ...others] }
  const { refusals = [] } = plan
  const terminal = new Terminal(options)
  const overview = overviewOf(report, options)
  const details = { verbose: true, ...(kind === 'drift' && { asOf: plan.created }) }
  const findings = (title: string, found: Plan['findings']) =>
    group(
      `${title} (${formatNumber(found.length)})`,
      findingBlocks(found, options, terminal.style).join('\n')
    )
  return logOf([
    findings(findingTitle('weakened'), weakened),
    ...stateSections(kind, overview, terminal, details).map(folded),
    ...sectionGroups(overview, terminal),
    findingsGroup(listed, options),
    ...refusalGroups(plan).map(each => findings(findingTitle(each.status, command), each.findings)),
    annotationLines([
      ...overview.changes.map(each => changeAnnotation(kind, each)),
      ...findingAnnotations({
        ...listed,
        findings: [
          ...refusals.filter(({ code }) => code !== 'SECRETS_MISSING'),
          ...weakened,
          ...listed.findings
        ]
      })
    ]),
    plan.changes.length === 0 ? '' : `digest ${escapeInside(plan.digest)}\n`,
    ...[...footLines(overview, terminal), ...verdictLines(overview, terminal)].map(
      line => `${line}\n`
    )
  ])
}

/** Lines in a fold, whose title is the first of them. */
function folded([title = '', ...lines]: readonly string[]): Commands {
  return group(title.replace(COLOUR, ''), lines.join('\n'))
}

const COLOUR = /\u001b\[\d+m/g

function sectionGroups({ sections }: Overview, terminal: Terminal): Commands[] {
  return sections.map(section => folded(terminal.section(section)))
}

/** The states whose changes need attention before they are approved. */
const severe: ReadonlySet<NetworkState> = new Set(['off', 'open', 'less-secure', 'refused'])

/** An annotation for equal changes, at the place of the worst value. */
function changeAnnotation(kind: PlanReport['kind'], change: ChangeGroup): Annotation {
  const { state, title, networks, key, impact, effect, notes, fields, owners } = change
  const [first] = networks
  const subject =
    networks.length === 1
      ? (first?.address ?? '')
      : `${key} on ${listNames(
          networks.map(({ site }) => site),
          'site'
        )}`
  const isWarning = kind === 'drift' || severe.has(state) || impact === 'outage'
  const worst = fields.find(({ isDowngrade }) => isDowngrade) ?? fields[0]
  const location = worst?.place ?? first?.origin
  return {
    level: isWarning ? 'warning' : 'notice',
    title: `${subject}: ${effect ?? textOf(title)}`,
    lines: [
      ...(effect === undefined ? [] : [textOf(title)]),
      ...notes,
      ...fieldLines(fields),
      ...(owners.length === 1 ? [`owner ${owners[0]}`] : [])
    ],
    ...(location && { location })
  }
}

function fieldLines(fields: readonly FieldRow[]): string[] {
  const rest = fields.length - MAX_FIELDS
  return [
    ...fields.slice(0, MAX_FIELDS).map(fieldLine),
    ...(rest > 0 ? [`and ${plural(rest, 'more field')}`] : [])
  ]
}

/** The annotation level of an outcome; none for a success. */
const resultLevels: Readonly<Partial<Record<NetworkState, AnnotationLevel>>> = {
  unknown: 'error',
  diverged: 'error',
  failed: 'error',
  stale: 'warning',
  reverted: 'warning',
  skipped: 'warning',
  waiting: 'notice'
}

/** The outcomes of a run: all in a fold, those that need attention as annotations. */
function outcomesGithub(report: OutcomesReport, options: RenderOptions): string {
  const { plan, outcomes, failedWave } = report
  const listed = { kind: report.kind, findings: plan.findings }
  const overview = overviewOf(report, options)
  const failure: Annotation[] =
    failedWave === undefined ? [] : [{ level: 'error', title: 'Rollout', lines: [failedWave] }]
  return logOf([
    group(
      `Outcomes (${formatNumber(outcomes.length)})`,
      outcomes.length === 0 ? '' : outcomesText(report, options)
    ),
    findingsGroup(listed, options),
    annotationLines([...failure, ...resultAnnotations(overview), ...findingAnnotations(listed)]),
    ...verdictLines(overview, new Terminal(options)).map(line => `${line}\n`)
  ])
}

/** The runs of a record, each in a fold, and annotations of the outcomes that need attention. */
function recordGithub(report: RecordReport, options: RenderOptions): string {
  const terminal = new Terminal(options)
  const overview = overviewOf(report, options)
  return logOf([
    ...sectionGroups(overview, terminal),
    annotationLines(resultAnnotations(overview)),
    ...verdictLines(overview, terminal).map(line => `${line}\n`)
  ])
}

/** An annotation for equal results; one with side effects needs attention, too. */
function resultAnnotations({ changes }: Overview): Annotation[] {
  return changes.flatMap(({ state, networks, results = [], hasSideEffects }): Annotation[] => {
    const level = resultLevels[state] ?? (hasSideEffects ? 'warning' : undefined)
    if (level === undefined) return []
    const location = networks[0]?.origin
    const addresses = networks.map(({ address }) => address)
    return [
      {
        level,
        title: `${listNames(addresses, 'WLAN')}: ${statusOfState(state)}`,
        lines: results.slice(0, MAX_FIELDS + 1).map(textOf),
        ...(location && { location })
      }
    ]
  })
}

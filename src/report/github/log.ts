import { formatNumber, plural } from '../../core/values/text.ts'
import { fieldLine } from '../overview/changes.ts'
import { countOf } from '../overview/findings.ts'
import type { ChangeGroup, FieldRow, NetworkState, Overview } from '../overview/overview.ts'
import { overviewOf } from '../overview/overview-of.ts'
import { statusOfState } from '../overview/states.ts'
import { textOf } from '../render/document.ts'
import type { RenderOptions, Report } from '../report.ts'
import { partsOf } from '../text/parts.ts'
import {
  type Annotation,
  type AnnotationLevel,
  annotationLines,
  type Commands,
  findingAnnotations,
  group,
  listNames,
  logOf,
  MAX_FIELDS
} from './annotations.ts'

/**
 * A report for the log of a step on GitHub: the parts of the text in folds, annotations at the lines of the files, and the
 * verdict at the end. Untrusted text never begins a line or a command.
 */
export function renderGithub(report: Report, options: RenderOptions): string {
  const overview = overviewOf(report, options)
  const { kind, isRun, changes, failedWave } = overview
  const { sections, outcomes, findings, refusals, foot, verdict } = partsOf(overview, options, true)
  const count = changes.reduce((sum, { networks }) => sum + networks.length, 0)
  const failure: Annotation[] =
    failedWave === undefined ? [] : [{ level: 'error', title: 'Rollout', lines: [failedWave] }]
  return logOf([
    ...sections.map(folded),
    fold(`Outcomes (${formatNumber(count)})`, outcomes),
    fold(`Findings (${formatNumber(countOf(overview.findings))})`, findings),
    ...refusals.map(folded),
    annotationLines([
      ...failure,
      ...changes.flatMap(each => (isRun ? resultAnnotation(each) : changeAnnotation(kind, each))),
      ...findingAnnotations(overview)
    ]),
    ...[...foot, ...verdict].map(line => `${line}\n`)
  ])
}

function fold(title: string, lines: readonly string[]): Commands {
  return group(title, lines.join('\n'))
}

/** Lines in a fold, whose title is the first of them. */
function folded([title = '', ...lines]: readonly string[]): Commands {
  return fold(title.replace(COLOUR, ''), lines)
}

const COLOUR = /\u001b\[\d+m/g

/** The states whose changes need attention before they are approved. */
const severe: ReadonlySet<NetworkState> = new Set(['off', 'open', 'less-secure', 'refused'])

/** An annotation for equal changes, at the place of the worst value. */
function changeAnnotation(kind: Overview['kind'], change: ChangeGroup): Annotation {
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

/** An annotation for equal results that need attention; one with side effects does, too. */
function resultAnnotation(group: ChangeGroup): Annotation[] {
  const { state, networks, results = [], hasSideEffects } = group
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
}

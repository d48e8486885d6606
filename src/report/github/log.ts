import type { Location } from '../../core/model/finding.ts'
import { compact, present } from '../../core/values/collections.ts'
import { formatLocation, formatNumber, plural, truncate } from '../../core/values/text.ts'
import { escapeData, escapeLines, escapeProperty } from '../escape.ts'
import { fieldLine } from '../overview/changes.ts'
import { apart, countOf, listedFindings } from '../overview/findings.ts'
import type { ChangeGroup, FindingGroup, Overview, Problem } from '../overview/overview.ts'
import { stateTones, statusOfState } from '../overview/states.ts'
import { textOf } from '../render/document.ts'
import type { RenderOptions } from '../report.ts'
import { partsOf } from '../text/text.ts'

/**
 * An overview for the log of a step on GitHub: the parts of the text in folds, annotations at the lines of the files, and the
 * verdict at the end. Untrusted text never begins a line or a command.
 */
export function overviewLog(overview: Overview, options: RenderOptions): string {
  const { kind, isRun, changes, failedWave, first } = overview
  const isLive = kind === 'audit' || kind === 'diff'
  const { sections, outcomes, findings, refusals, foot, verdict } = partsOf(overview, options, true)
  const count = changes.reduce((sum, { networks }) => sum + networks.length, 0)
  return [
    ...sections.map(folded),
    fold(`Outcomes (${formatNumber(count)})`, outcomes),
    fold(`Findings (${formatNumber(countOf(overview.findings))})`, findings),
    ...refusals.map(folded),
    ...annotationLines([
      ...present<Annotation>(
        failedWave && { level: 'error', title: 'Rollout', lines: [failedWave] }
      ),
      ...(isLive
        ? first.map(problemAnnotation)
        : changes.flatMap(each => (isRun ? resultAnnotation(each) : changeAnnotation(kind, each)))),
      ...findingAnnotations(overview)
    ]),
    ...[...foot, ...verdict].map(line => `${escapeLines(line)}\n`)
  ].join('')
}

/** Lines in a fold; nothing without lines. */
function fold(title: string, lines: readonly string[]): string {
  const body = escapeLines(lines.join('\n').trimEnd())
  return body === '' ? '' : `::group::${escapeData(title)}\n${body}\n::endgroup::\n`
}

/** Lines in a fold, whose title is the first of them. */
function folded([title = '', ...lines]: readonly string[]): string {
  return fold(title.replace(COLOUR, ''), lines)
}

const COLOUR = /\u001b\[\d+m/g

function changeAnnotation(kind: Overview['kind'], change: ChangeGroup): Annotation {
  const { state, title, networks, impact, effect, notes, fields } = change
  const [first] = networks
  const where = listNames(
    networks.map(({ site }) => site),
    'site'
  )
  const isWarning =
    kind === 'drift' || (stateTones[state] !== 'note' && state !== 'skipped') || impact === 'outage'
  const subject = `${textOf(title)} at ${where}`
  const isInTitle = kind !== 'drift' && effect !== undefined
  const worst = fields.find(({ isDowngrade }) => isDowngrade) ?? fields[0]
  const location = worst?.place ?? first?.origin
  const rest = fields.length - MAX_FIELDS
  return {
    level: isWarning ? 'warning' : 'notice',
    title: isInTitle ? `${subject}: ${effect}` : subject,
    lines: present(
      !isInTitle && effect,
      ...notes,
      ...fields.slice(0, MAX_FIELDS).map(fieldLine),
      rest > 0 && `and ${plural(rest, 'more field')}`
    ),
    ...compact({ location })
  }
}

/** Of live networks without a declaration: what is worst, since no line of a file is to blame. */
function problemAnnotation({ text, sites, effect, command }: Problem): Annotation {
  const lines = present(effect && textOf(effect), listNames(sites, 'site'), command)
  return { level: 'warning', title: textOf(text), lines }
}

const resultLevels = { bad: 'error', warn: 'warning', note: 'notice', good: undefined } as const

function resultAnnotation(group: ChangeGroup): Annotation[] {
  const { state, networks, results = [], hasSideEffects } = group
  const level = resultLevels[stateTones[state]] ?? (hasSideEffects ? 'warning' : undefined)
  if (level === undefined) return []
  const addresses = networks.map(({ address }) => address)
  return [
    {
      level,
      title: `${listNames(addresses, 'WLAN')}: ${statusOfState(state)}`,
      lines: results.slice(0, MAX_FIELDS + 1).map(textOf),
      ...compact({ location: networks[0]?.origin })
    }
  ]
}

/** Longer lines of an annotation are truncated; the log shows them completely. */
const MAX_LINE_LENGTH = 200

type AnnotationLevel = 'error' | 'warning' | 'notice'

interface Annotation {
  readonly level: AnnotationLevel
  readonly title: string
  /** The lines of the message; `annotationCommand` escapes them. */
  readonly lines: readonly string[]
  readonly location?: Location
}

/**
 * A workflow command of GitHub (docs.github.com, "Workflow commands for GitHub Actions") on one line.
 * The runner accepts commands only at the beginning of a line.
 *
 *     ::error file=hq.yaml,line=12,col=5,title=WLAN_NOT_FOUND::no live WLAN has the SSID "Lobyb"
 */
function annotationCommand({ level, title, lines, location }: Annotation): string {
  const properties = present(
    location &&
      `file=${escapeProperty(location.file)},line=${location.line},col=${location.column}`,
    `title=${escapeProperty(title)}`
  ).join(',')
  const message = lines.map(line => escapeData(truncate(line, MAX_LINE_LENGTH))).join('%0A')
  return `::${level} ${properties}::${message}\n`
}

/** GitHub shows at most 10 annotations of a level for each step, and silently drops the others. */
const MAX_ANNOTATIONS = 10

const levels: readonly AnnotationLevel[] = ['error', 'warning', 'notice']

function annotationLines(annotations: readonly Annotation[]): string[] {
  const shown = levels.flatMap(level =>
    limited(annotations.filter(annotation => annotation.level === level))
  )
  return shown.map(annotationCommand)
}

function limited(annotations: readonly Annotation[]): readonly Annotation[] {
  const [first] = annotations
  if (first === undefined || annotations.length <= MAX_ANNOTATIONS) return annotations
  const shown = annotations.slice(0, MAX_ANNOTATIONS - 1)
  const rest = plural(annotations.length - shown.length, `more ${first.level}`)
  const last = {
    level: first.level,
    title: rest,
    lines: ['see the log of this step for all of them']
  }
  return [...shown, last]
}

const MAX_NAMES = 3

function listNames(names: readonly string[], noun: string): string {
  const [name = ''] = names
  if (names.length <= 1) return name
  const rest = names.length > MAX_NAMES ? ', …' : ''
  return `${plural(names.length, noun)} (${names.slice(0, MAX_NAMES).join(', ')}${rest})`
}

function findingAnnotations(overview: Overview): Annotation[] {
  const refusals = overview.findings.filter(({ status }) => apart.includes(status))
  return [...refusals, ...listedFindings(overview)]
    .filter(({ code }) => code !== 'SECRETS_MISSING')
    .map(annotationOf)
}

function annotationOf(group: FindingGroup): Annotation {
  const { level, code, message, hint, path, addresses, places } = group
  const [place] = places
  const about = path ?? listNames(addresses, addresses[0]?.includes('/') ? 'WLAN' : 'site')
  return {
    level: level === 'info' ? 'notice' : level,
    title: code,
    lines: present(message, hint, about, place?.revision !== undefined && formatLocation(place)),
    // A place in another revision is not a line of the checked out files.
    ...(place === undefined || place.revision !== undefined ? {} : { location: place })
  }
}

const MAX_FIELDS = 6

import { type Finding, isError, type Location } from '../../model/finding.ts'
import { plural } from '../../model/text.ts'
import { escapeData, escapeProperty } from '../escape.ts'
import { shortened } from '../format-value.ts'
import type { GroupedFindings } from '../group-findings.ts'
import { styleOf } from '../layout.ts'
import type { FindingsReport, RenderOptions } from '../report.ts'
import {
  findingBlocks,
  formatFindingsVerdict,
  groupEqualFindings,
  maskIds
} from '../text/findings.ts'

/** More than this of one line is in the way of the code beside it; the log has all of it. */
const LONGEST = 200

/** How loud an annotation is, as GitHub names it. */
export type AnnotationLevel = 'error' | 'warning' | 'notice'

/** A place that an annotation stands at, as GitHub counts: from 1. */
interface AnnotationLocation {
  readonly file: string
  readonly line: number
  readonly column?: number
}

/** What is said of a line of a file, or of the run. */
export interface Annotation {
  readonly level: AnnotationLevel
  readonly title: string
  /** The lines of the message; text from outside is escaped here and nowhere else. */
  readonly lines: readonly string[]
  readonly location?: AnnotationLocation
}

/**
 * A workflow command of GitHub (docs.github.com, "Workflow commands for GitHub Actions"). The runner
 * takes a command from the beginning of a line only, and everything in this one is on one line.
 *
 *     ::error file=hq.yaml,line=12,col=5,title=WLAN_NOT_FOUND::no live WLAN has the SSID "Lobyb"
 */
function annotationCommand({ level, title, lines, location: spot }: Annotation): string {
  const at = spot && [
    `file=${escapeProperty(spot.file)}`,
    `line=${spot.line}`,
    ...(spot.column === undefined ? [] : [`col=${spot.column}`])
  ]
  const properties = [...(at ?? []), `title=${escapeProperty(title)}`].join(',')
  return `::${level} ${properties}::${lines.map(line => escapeData(shortened(line, LONGEST))).join('%0A')}\n`
}

/** Lines of a log under a title, folded; without lines there is no group. */
export function group(title: string, lines: string): string {
  return lines === '' ? '' : `::group::${escapeData(title)}\n${lines.trimEnd()}\n::endgroup::\n`
}

/** GitHub shows so many annotations of a level for each step, and drops the others without a word. */
const SHOWN = 10

const levels: readonly AnnotationLevel[] = ['error', 'warning', 'notice']

/** The annotations, of each level the first ones; where there are more, the last one counts them. */
export function annotationLines(annotations: readonly Annotation[]): string {
  return levels
    .flatMap(level => limited(annotations.filter(annotation => annotation.level === level)))
    .map(annotationCommand)
    .join('')
}

function limited(annotations: readonly Annotation[]): readonly Annotation[] {
  const [first] = annotations
  if (first === undefined || annotations.length <= SHOWN) return annotations
  const shown = annotations.slice(0, SHOWN - 1)
  const rest = plural(annotations.length - shown.length, `more ${first.level}`)
  const last = { level: first.level, title: rest, lines: ['the log of this step has all of them'] }
  return [...shown, last]
}

/** A title names so many of what it goes for. */
const NAMED = 3

/** Where a WLAN is declared, from the working directory, as GitHub looks for files. */
export function annotationLocationOf(
  { file, line, column }: Location,
  fleet: string | undefined
): AnnotationLocation {
  const folder = fleet === undefined || fleet === '.' ? '' : `${fleet}/`
  return { file: `${folder}${file}`, line, column }
}

/** One name; of several how many there are of what, and the first ones. */
export function listNames(names: readonly string[], noun: string): string {
  const [name = ''] = names
  if (names.length <= 1) return name
  const rest = names.length > NAMED ? ', …' : ''
  return `${plural(names.length, noun)} (${names.slice(0, NAMED).join(', ')}${rest})`
}

/** The findings of the files: all of them in the log, the first ones at their lines, the verdict last. */
export function findingsGithub(report: FindingsReport, options: RenderOptions): string {
  return [
    findingsGroup(report.findings, options),
    annotationLines(findingAnnotations(report.findings)),
    `${formatFindingsVerdict(report, styleOf(options))}\n`
  ].join('')
}

/** All findings as text, in a fold of the log. */
export function findingsGroup(findings: readonly Finding[], options: RenderOptions): string {
  const blocks = findingBlocks(findings, options, styleOf(options))
  return group(`Findings (${findings.length})`, blocks.join('\n'))
}

/** An annotation for each finding, one for those that say the same. */
export function findingAnnotations(findings: readonly Finding[]): Annotation[] {
  return groupEqualFindings(findings).map(annotationOf)
}

function annotationOf(found: GroupedFindings<Finding>): Annotation {
  const [{ code, message, hint, place, path, owner }] = found
  const addresses = found.flatMap(({ address }) => address ?? [])
  const about = path ?? listNames(addresses, code === 'SITE_NOT_READ' ? 'site' : 'WLAN')
  return {
    level: isError(found[0]) ? 'error' : 'warning',
    title: code,
    lines: [
      found.length > 1 && code === 'SITE_NOT_READ' ? maskIds(message) : message,
      ...(hint === undefined ? [] : [hint]),
      ...(about === '' ? [] : [about]),
      ...(owner === undefined ? [] : [`owner ${owner}`])
    ],
    ...(place === undefined ? {} : { location: place })
  }
}

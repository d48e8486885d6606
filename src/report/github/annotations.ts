import type { Finding } from '../../core/model/finding.ts'
import { compact } from '../../core/values/collections.ts'
import { formatLocation, formatNumber, plural, truncate } from '../../core/values/text.ts'
import { escapeData, escapeLines, escapeProperty } from '../escape.ts'
import {
  addressesOf,
  codeOf,
  type GroupedFindings,
  groupEqualFindings,
  groupHint,
  groupMessage,
  isAboutSite
} from '../group-findings.ts'
import { styleOf } from '../layout.ts'
import { type LintListing, listedFindings } from '../lint-findings.ts'
import { Terminal } from '../render/terminal.ts'
import type { FindingsReport, RenderOptions } from '../report.ts'
import { lintedBlocks } from '../text/findings.ts'
import { validationNotes } from '../validation-notes.ts'
import { findingsVerdict } from '../verdict.ts'

/** Longer lines of an annotation are truncated; the log shows them completely. */
const MAX_LINE_LENGTH = 200

/** The levels of annotations on GitHub. */
export type AnnotationLevel = 'error' | 'warning' | 'notice'

/** The place of an annotation in a file. Lines and columns count from 1. */
interface AnnotationLocation {
  readonly file: string
  readonly line: number
  readonly column?: number
}

/** An annotation of a line of a file, or of the run. */
export interface Annotation {
  readonly level: AnnotationLevel
  readonly title: string
  /** The lines of the message; `annotationCommand` escapes them. */
  readonly lines: readonly string[]
  readonly location?: AnnotationLocation
}

/**
 * A workflow command of GitHub (docs.github.com, "Workflow commands for GitHub Actions") on one line.
 * The runner accepts commands only at the beginning of a line.
 *
 *     ::error file=hq.yaml,line=12,col=5,title=WLAN_NOT_FOUND::no live WLAN has the SSID "Lobyb"
 */
function annotationCommand({ level, title, lines, location }: Annotation): string {
  const at = location && [
    `file=${escapeProperty(location.file)}`,
    `line=${location.line}`,
    ...(location.column === undefined ? [] : [`col=${location.column}`])
  ]
  const properties = [...(at ?? []), `title=${escapeProperty(title)}`].join(',')
  return `::${level} ${properties}::${lines.map(line => escapeData(truncate(line, MAX_LINE_LENGTH))).join('%0A')}\n`
}

/** A part of a log with workflow commands of wlanctl. */
export class Commands {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** The parts of a log, in which only those with commands have any. */
export function logOf(parts: readonly (string | Commands)[]): string {
  return parts.map(part => (part instanceof Commands ? part.text : escapeLines(part))).join('')
}

/** Lines of a log in a fold with a title; empty without lines. */
export function group(title: string, lines: string): Commands {
  const body = escapeLines(lines.trimEnd())
  return new Commands(lines === '' ? '' : `::group::${escapeData(title)}\n${body}\n::endgroup::\n`)
}

/** GitHub shows at most 10 annotations of a level for each step, and silently drops the others. */
const MAX_ANNOTATIONS = 10

const levels: readonly AnnotationLevel[] = ['error', 'warning', 'notice']

/** The first annotations of each level; if there are more, the last one counts them. */
export function annotationLines(annotations: readonly Annotation[]): Commands {
  const shown = levels.flatMap(level =>
    limited(annotations.filter(annotation => annotation.level === level))
  )
  return new Commands(shown.map(annotationCommand).join(''))
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

/** A title lists at most this many names. */
const MAX_NAMES = 3

/** A single name, or the number of names and the first ones. */
export function listNames(names: readonly string[], noun: string): string {
  const [name = ''] = names
  if (names.length <= 1) return name
  const rest = names.length > MAX_NAMES ? ', …' : ''
  return `${plural(names.length, noun)} (${names.slice(0, MAX_NAMES).join(', ')}${rest})`
}

/** The findings of the files: all in a fold, the first ones as annotations, the verdict at the end. */
export function findingsGithub(report: FindingsReport, options: RenderOptions): string {
  return logOf([
    findingsGroup(report, options),
    annotationLines(findingAnnotations(report)),
    ...validationNotes(report).map(note => `${note}\n`),
    `${new Terminal(options).inline(findingsVerdict(report).text)}\n`
  ])
}

/** All findings as text in a fold of the log. */
export function findingsGroup(report: ListedReport, options: RenderOptions): Commands {
  const { kind, findings, lintLevel } = report
  const blocks = lintedBlocks(
    { kind, findings, ...compact({ lintLevel }) },
    options,
    styleOf(options)
  )
  return group(`Findings (${formatNumber(findings.length)})`, blocks.join('\n'))
}

/** A report with findings. */
type ListedReport = LintListing & Pick<FindingsReport, 'findings'>

/**
 * An annotation for each group of equal findings. Existing findings of the linter have no line in the files.
 */
export function findingAnnotations({ findings, ...listing }: ListedReport): Annotation[] {
  return groupEqualFindings(listedFindings(findings, listing)).map(annotationOf)
}

function annotationOf(found: GroupedFindings<Finding>): Annotation {
  const [{ level, place, path, owner }] = found
  const hint = groupHint(found)
  const about = path ?? listNames(addressesOf(found), isAboutSite(found[0]) ? 'site' : 'WLAN')
  return {
    level: level === 'info' ? 'notice' : level,
    title: codeOf(found[0]),
    lines: [
      groupMessage(found),
      ...(hint === undefined ? [] : [hint]),
      ...(about === '' ? [] : [about]),
      ...(place?.revision === undefined ? [] : [formatLocation(place)]),
      ...(owner === undefined ? [] : [`owner ${owner}`])
    ],
    // A place in another revision is not a line of the checked out files.
    ...(place === undefined || place.revision !== undefined ? {} : { location: place })
  }
}

/** An annotation lists at most this many fields. */
export const MAX_FIELDS = 6

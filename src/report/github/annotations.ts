import { formatLocation, plural, truncate } from '../../core/values/text.ts'
import { escapeData, escapeLines, escapeProperty } from '../escape.ts'
import { apart, listedFindings } from '../overview/findings.ts'
import type { FindingGroup, Overview } from '../overview/overview.ts'

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

/** The findings of an overview that a terminal lists, and the refusals: an annotation each. */
export function findingAnnotations(overview: Overview): Annotation[] {
  const refusals = overview.findings.filter(({ status }) => apart.includes(status))
  return [...refusals, ...listedFindings(overview)]
    .filter(({ code }) => code !== 'SECRETS_MISSING')
    .map(annotationOf)
}

function annotationOf({
  level,
  code,
  message,
  hint,
  path,
  addresses,
  noun,
  places,
  owners
}: FindingGroup): Annotation {
  const [place] = places
  const about = path ?? listNames(addresses, noun)
  return {
    level: level === 'info' ? 'notice' : level,
    title: code,
    lines: [
      message,
      ...(hint === undefined ? [] : [hint]),
      ...(about === '' ? [] : [about]),
      ...(place?.revision === undefined ? [] : [formatLocation(place)]),
      ...owners.slice(0, 1).map(owner => `owner ${owner}`)
    ],
    // A place in another revision is not a line of the checked out files.
    ...(place === undefined || place.revision !== undefined ? {} : { location: place })
  }
}

/** An annotation lists at most this many fields. */
export const MAX_FIELDS = 6

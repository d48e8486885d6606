import { escapeData, escapeProperty } from '../escape.ts'
import { shortened } from '../words.ts'

/** More than this of one line is in the way of the code beside it; the log has all of it. */
const LONGEST = 200

/** How loud an annotation is, as GitHub names it. */
export type Level = 'error' | 'warning' | 'notice'

/** A place that an annotation stands at, as GitHub counts: from 1. */
export interface AnnotationLocation {
  readonly file: string
  readonly line: number
  readonly column?: number
}

/** What is said of a line of a file, or of the run. */
export interface Annotation {
  readonly level: Level
  readonly title: string
  /** The lines of the message; text from outside is escaped here and nowhere else. */
  readonly lines: readonly string[]
  readonly spot?: AnnotationLocation
}

/**
 * A workflow command of GitHub (docs.github.com, "Workflow commands for GitHub Actions"). The runner
 * takes a command from the beginning of a line only, and everything in this one is on one line.
 *
 *     ::error file=hq.yaml,line=12,col=5,title=WLAN_NOT_FOUND::no live WLAN has the SSID "Lobyb"
 */
export function annotationCommand({ level, title, lines, spot }: Annotation): string {
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

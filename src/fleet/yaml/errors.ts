import { type Finding, finding, type Location } from '../../core/model/finding.ts'
import type { Source } from '../files/source.ts'
import { limits } from '../limits.ts'
import { type LibraryError, type Mistake, mistakeOf } from './mistakes.ts'

/** The maximum number of library errors to examine: later errors mostly follow from earlier ones. */
const MAX_EXAMINED = 5 * limits.faults

/** Collects YAML errors. Messages do not quote the source, which may contain a secret. */
export class YamlErrors {
  readonly #source: Source
  readonly #findings: Finding[]
  readonly #lines = new Set<number>()
  /** The last line with an error from the library. */
  #line = { start: 0, end: -1 }
  /** The number of examined errors from the library; to examine one takes the time to read its line. */
  #examined = 0
  #broken = false
  #isIndentBad = false
  #unreadable = false

  constructor(source: Source, findings: Finding[]) {
    this.#source = source
    this.#findings = findings
  }

  /** True if further parsing would be dangerous or useless. */
  get unreadable(): boolean {
    return this.#unreadable
  }

  /** True if the file is valid YAML so far. */
  get none(): boolean {
    return !this.#broken && !this.#unreadable
  }

  /** Only the first error in each line is examined: a line of brackets has millions. */
  syntax(error: LibraryError): void {
    const { text } = this.#source
    const { offset } = error
    if (this.#unreadable || (offset >= this.#line.start && offset <= this.#line.end)) return
    const end = text.indexOf('\n', offset)
    this.#line = { start: offset, end: end === -1 ? text.length : end }
    this.#examined += 1
    this.mistake(mistakeOf(text, error))
    this.#unreadable ||= this.#examined >= MAX_EXAMINED
  }

  /** Reports one mistake in a line, and one wrong indentation in a file: later ones mostly follow from it. */
  mistake({ offset, problem }: Mistake): void {
    this.#broken = true
    if (problem === 'BAD_INDENT') {
      if (this.#isIndentBad) return
      this.#isIndentBad = true
      const bad = badIndentOf(this.#source.text, offset)
      if (bad !== undefined) {
        const place = this.#place(bad.offset)
        this.#lines.add(place.place.line)
        this.#add(finding('YAML_INDENT', place, bad.spaces, bad.wanted))
        return
      }
    }
    const where = this.#place(offset)
    if (this.#lines.has(where.place.line)) return
    this.#lines.add(where.place.line)
    this.#add(finding('YAML_SYNTAX', where, problem))
  }

  unsupported(offset: number, what: 'tag' | 'directive'): void {
    this.#add(finding('YAML_UNSUPPORTED', this.#place(offset), what))
  }

  limit(offset: number, what: 'depth' | 'items' | 'keys' | 'nodes' | 'tokens'): void {
    if (this.#unreadable) return
    this.#findings.push(finding('YAML_TOO_LARGE', this.#place(offset), what, limits[what]))
    this.#unreadable = true
  }

  empty(): void {
    this.#findings.push(finding('FILE_EMPTY', this.#place(0)))
  }

  secondDocument(offset: number): void {
    this.#findings.push(finding('YAML_SEVERAL_DOCUMENTS', this.#place(offset)))
    this.#unreadable = true
  }

  #add(fault: Finding): void {
    if (this.#unreadable) return
    this.#findings.push(fault)
    this.#unreadable ||= this.#findings.length >= limits.faults
  }

  #place(offset: number): { readonly place: Location } {
    return { place: this.#source.place(Math.min(offset, this.#source.text.length)) }
  }
}

/** A line that is indented wrongly, and how far the lines that it may belong to are indented. */
interface BadIndent {
  /** The offset of its first character that is not a space. */
  readonly offset: number
  readonly spaces: number
  /** One or two places in ascending order; lines start at 1. */
  readonly wanted: readonly { readonly spaces: number; readonly line: number }[]
}

interface Line {
  readonly start: number
  readonly spaces: number
  readonly isItem: boolean
  /** True if the line ends in the colon of a key, so that deeper lines may follow. */
  readonly isParent: boolean
  /** The column of the first key of an item. */
  readonly keyAt?: number | undefined
  /** Counted from 1. */
  readonly line: number
}

/**
 * The line to edit where a parser found that the line at `offset` does not fit to those above; undefined if no line
 * above can be its neighbor. A neighbor above is wrong if no other line of the file is indented like it, and other
 * lines are indented like the one at `offset`.
 */
function badIndentOf(text: string, offset: number): BadIndent | undefined {
  const lines = linesOf(text)
  const found = lines.findLast(({ start }) => start <= offset)
  if (found === undefined) return undefined
  const levels = levelsAbove(lines, found)
  const wanted = nearest(levels, found.spaces)
  const count = (of: Line) => lines.filter(({ spaces }) => spaces === of.spaces).length
  const odd = wanted.find(
    level =>
      level.keyAt === undefined &&
      count(level) === 1 &&
      !(level.isParent && level.spaces < found.spaces)
  )
  if (odd !== undefined && count(found) > 1) return badIndent(odd, [found])
  return wanted.length === 0 ? undefined : badIndent(found, wanted)
}

function badIndent({ start, spaces }: Line, wanted: readonly Line[]): BadIndent {
  return {
    offset: start + spaces,
    spaces,
    wanted: wanted.map(each => ({ spaces: each.spaces, line: each.line }))
  }
}

function linesOf(text: string): Line[] {
  const lines: Line[] = []
  let start = 0
  for (const [index, content] of text.split('\n').entries()) {
    const spaces = content.search(/[^ ]/)
    const isContent = spaces !== -1 && content[spaces] !== '#' && content[spaces] !== '\r'
    const dash = /^ *-( +(?=[^ #-])|\r?$)/.exec(content)
    const keyAt = dash?.[1]?.startsWith(' ') ? dash[0].length : undefined
    const isItem = dash !== null
    const isParent = content.trimEnd().endsWith(':')
    if (isContent) lines.push({ start, spaces, isItem, isParent, keyAt, line: index + 1 })
    start += content.length + 1
  }
  return lines
}

/** The last line at each level of the keys, or of the items, that enclose or precede a line, from the outermost. */
function levelsAbove(lines: readonly Line[], below: Line): Line[] {
  const levels: Line[] = []
  for (const line of lines) {
    if (line.start >= below.start) break
    while ((levels.at(-1)?.spaces ?? -1) >= line.spaces) levels.pop()
    levels.push(line)
    if (line.keyAt !== undefined) levels.push({ ...line, isItem: false, spaces: line.keyAt })
  }
  return levels.filter(({ isItem }) => isItem === below.isItem)
}

function nearest(levels: readonly Line[], spaces: number): Line[] {
  const [less, more] = [
    levels.findLast(level => level.spaces < spaces),
    levels.find(level => level.spaces > spaces)
  ]
  return [less, more].filter(level => level !== undefined)
}

import { type Finding, finding, type Location } from '../../core/model/finding.ts'
import type { Source } from '../files/source.ts'
import { limits } from '../limits.ts'
import { badIndentOf } from './indentation.ts'
import { type LibraryError, type Mistake, mistakeOf } from './mistakes.ts'

/** The maximum number of library errors to examine: later errors mostly follow from earlier ones. */
const MAX_EXAMINED = 5 * limits.faults

/** Collects the YAML errors of a file. Messages do not quote the source, which may contain a secret. */
export class YamlErrors {
  readonly #source: Source
  readonly #findings: Finding[]
  /** The lines with a mistake. */
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

  /**
   * Reports the mistake behind an error from the library. Only the first error in each line is examined: a
   * line of brackets has millions.
   */
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

  /**
   * Reports only the first mistake in each line, and the first incorrect indentation of a file, because later ones
   * mostly follow from it.
   */
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

  tag(offset: number): void {
    this.#add(finding('YAML_TAG', this.#place(offset)))
  }

  directive(offset: number): void {
    this.#add(finding('YAML_DIRECTIVE', this.#place(offset)))
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

  /** Ignores errors after `limits.faults`, because later errors mostly follow from earlier ones. */
  #add(fault: Finding): void {
    if (this.#unreadable) return
    this.#findings.push(fault)
    this.#unreadable ||= this.#findings.length >= limits.faults
  }

  #place(offset: number): { readonly place: Location } {
    return { place: this.#source.place(Math.min(offset, this.#source.text.length)) }
  }
}

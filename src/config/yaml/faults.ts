import type { ErrorCode } from 'yaml'
import { type Finding, finding, type Where } from '../../model/finding.ts'
import type { Source } from '../files/source.ts'
import { limits } from '../limits.ts'

/** What is wrong with the YAML of one file, as it is read. None of it quotes the source. */
export class YamlErrors {
  readonly #source: Source
  readonly #findings: Finding[]
  #broken = false
  #unreadable = false

  constructor(source: Source, findings: Finding[]) {
    this.#source = source
    this.#findings = findings
  }

  /** True once reading on would be dangerous or pointless. */
  get unreadable(): boolean {
    return this.#unreadable
  }

  /** True if the file is valid YAML so far. */
  get none(): boolean {
    return !this.#broken && !this.#unreadable
  }

  syntax(offset: number, code: ErrorCode): void {
    this.#broken = true
    this.#add(finding('YAML_SYNTAX', this.#place(offset), code))
  }

  tag(offset: number): void {
    this.#add(finding('YAML_TAG', this.#place(offset)))
  }

  directive(offset: number): void {
    this.#add(finding('YAML_DIRECTIVE', this.#place(offset)))
  }

  limit(offset: number, what: 'depth' | 'nodes' | 'tokens'): void {
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

  /** After so many faults the rest is mostly noise. */
  #add(fault: Finding): void {
    if (this.#unreadable) return
    this.#findings.push(fault)
    this.#unreadable ||= this.#findings.length >= limits.faults
  }

  #place(offset: number): Where {
    return { place: this.#source.place(Math.min(offset, this.#source.text.length)) }
  }
}

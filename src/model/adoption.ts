import type { Pointer } from './pointer.ts'
import type { TextEdit } from './text.ts'

/** What `adopt` writes into the files of a fleet, and what not. */
export interface Adoption {
  /** The files that change, by name. */
  readonly files: readonly EditedFile[]
  /** By address and pointer. */
  readonly adopted: readonly AdoptedField[]
  readonly left: readonly LeftField[]
}

export interface EditedFile {
  /** Relative to the working directory. */
  readonly file: string
  readonly before: string
  readonly edits: readonly TextEdit[]
  /** Each within one line: what may hold a secret in clear, and is not shown. */
  readonly hidden: readonly HiddenPart[]
}

/** A part of a text. */
export type LineRange = Pick<TextEdit, 'start' | 'end'>

/** A part of a file that is not shown. */
export interface HiddenPart extends LineRange {
  /** It is a comment, which no field can turn into a secret. */
  readonly comment?: true
}

/** A field that differed, and whose live value goes into the files. */
export interface AdoptedField {
  readonly address: string
  readonly pointer: Pointer
  /** Where it is written, in words: `the block of hq/guest`, `variable guest_vlan of hq`. */
  readonly layer: string
  /** What is live, and is declared from now on, is less safe than what was declared. */
  readonly lessSafe?: true
  /** WLANs that get it, too, since they read it at the same place. */
  readonly touched: readonly string[]
}

/** A field that differs and is not adopted. */
export interface LeftField {
  readonly address: string
  readonly pointer: Pointer
  readonly reason: string
}

import type { Pointer } from '../values/pointer.ts'
import type { TextEdit } from '../values/text.ts'

export interface Adoption {
  readonly files: readonly EditedFile[]
  /** Sorted by address and pointer. */
  readonly adopted: readonly AdoptedField[]
  readonly left: readonly LeftField[]
}

export interface EditedFile {
  /** Relative to the working directory. */
  readonly file: string
  readonly before: string
  readonly edits: readonly TextEdit[]
  /** Ranges that may contain a plaintext secret and are not shown; each is within one line. */
  readonly hidden: readonly HiddenPart[]
}

export type LineRange = Pick<TextEdit, 'start' | 'end'>

export interface HiddenPart extends LineRange {
  readonly comment?: true
}

/** A differing field whose live value is written into the files. */
export interface AdoptedField {
  readonly address: string
  readonly pointer: Pointer
  /** The place in words: `the block of hq/guest`, `variable guest_vlan of hq`. */
  readonly layer: string
  /** The adopted live value is less secure than the declared one. */
  readonly lessSafe?: true
}

/** A differing field that is not adopted. */
export interface LeftField {
  readonly address: string
  readonly pointer: Pointer
  readonly reason: string
}

import type { Pointer } from '../values/pointer.ts'
import type { Value } from '../values/value.ts'
import type { EditedFile } from './adoption.ts'
import type { FindingLevel } from './finding.ts'
import type { Impact } from './impact.ts'

/** The edits of `fix`, and the findings that it does not fix. */
export interface FixResult {
  /** The changed files, by name. */
  readonly files: readonly EditedFile[]
  readonly fixes: readonly Fix[]
  /** Those with a fix that is not made. */
  readonly left: readonly LeftFinding[]
}

/** One edit of the files, and the findings of a rule that it resolves. */
export interface Fix {
  readonly rule: string
  readonly level: FindingLevel
  readonly edits: readonly FixEdit[]
  /** The place in words: `profile guest`, `the block of hq/guest`. */
  readonly layers: readonly string[]
  /** The WLANs with the finding, sorted. */
  readonly addresses: readonly string[]
  /** Other WLANs that read the same place, sorted. */
  readonly touched: readonly string[]
  /** The networks stay as they are, and no less of them is watched. */
  readonly safe: boolean
  /** Why it is not safe. */
  readonly reason?: string
  /** The worst impact on the clients of a network, if it is not safe. */
  readonly impact?: Impact
}

export interface FixEdit {
  readonly pointer: Pointer
  /** Undefined removes the declaration. */
  readonly value: Value | undefined
}

/** A finding with a fix that is not made. */
export interface LeftFinding {
  readonly rule: string
  readonly address: string
  readonly reason: string
  /** True if `--unsafe` makes the fix. */
  readonly unsafe?: true
  readonly impact?: Impact
}

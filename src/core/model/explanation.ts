import type { Pointer } from '../values/pointer.ts'
import type { Value } from '../values/value.ts'
import type { ValueOrigin } from './desired.ts'
import type { FindingLevel, Location } from './finding.ts'

/** A rule of the linter as `explain` shows it: its purpose, its evidence, and its reliability. */
export interface RuleExplanation {
  readonly id: string
  readonly severity: FindingLevel
  readonly title: string
  readonly why: string
  /** The condition in words, with the names of fields in backticks. */
  readonly condition: string
  readonly advice: string
  readonly source: string
  /** The cases in which the rule reports a false positive, and how likely they are. */
  readonly falseAlarms: string
  /** The fields that the rule reads; a message shows those with a known value. */
  readonly fields: readonly Pointer[]
  readonly scope: 'WLAN' | 'change' | 'site' | 'fleet'
}

/** A field of a WLAN as `explain` shows it: the facts from the schema and from the rules of the linter. */
export interface FieldExplanation {
  /** `auth.psk`; `a[]` is an element of a list, `a.{key}` an entry of a map with free keys. */
  readonly field: string
  readonly description: string
  /** The type with its range, in words. */
  readonly type: string
  /** The value that the service uses if the field is absent; undefined if it is not documented. */
  readonly defaultValue: unknown
  /** The effects of a change on clients, each once with its directions; empty if there are none. */
  readonly impact: readonly string[]
  readonly guard: boolean
  readonly secret: boolean
  readonly readOnly: boolean
  /** Further facts, each with a name. */
  readonly notes: readonly (readonly [name: string, text: string])[]
  readonly rules: readonly Pick<RuleExplanation, 'id' | 'severity' | 'title'>[]
}

/** The values of a declared WLAN with their origins. */
export interface WlanExplanation {
  readonly address: string
  /** The place of the WLAN's declaration. */
  readonly place: Location
  /** A field that an override unsets has no value. */
  readonly fields: readonly (ValueOrigin & { readonly value?: Value })[]
}

export interface FindingExplanation {
  readonly code: string
  readonly level: 'error' | 'warning'
  /** A message as a terminal shows it, with its hint on lines of their own. */
  readonly sample: string
  /** Absent where the hint says it. */
  readonly fix?: string
}

/** A word of reports, or an exit code, and what it means. */
export interface TermExplanation {
  /** The word first, then others for the same. */
  readonly names: readonly string[]
  readonly meaning: string
}

export type Explanation =
  | { readonly kind: 'term'; readonly term: TermExplanation }
  | { readonly kind: 'finding'; readonly finding: FindingExplanation }
  | { readonly kind: 'rule'; readonly rule: RuleExplanation }
  | { readonly kind: 'field'; readonly field: FieldExplanation }
  | { readonly kind: 'rules'; readonly rules: readonly RuleExplanation[] }
  | { readonly kind: 'wlan'; readonly wlan: WlanExplanation }

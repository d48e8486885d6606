import type { Location } from '../../core/model/finding.ts'
import { formatNumber } from '../../core/values/text.ts'

/**
 * A part of a line. No part is escaped: each renderer escapes all text by its own rules, so any part may hold
 * text of others.
 *
 * | kind     | is                                               | terminal | Markdown      | page          |
 * |----------|--------------------------------------------------|----------|---------------|---------------|
 * | a string | a sentence of the program, or a part of one      | plain    | escaped text  | plain         |
 * | `name`   | a name that others gave: site, network, owner    | plain    | code span     | plain         |
 * | `code`   | a value, a field, a command, an address          | plain    | code span     | `code`        |
 * | `strong` |                                                  | bold     | bold          | `strong`      |
 * | `muted`  | a second fact: an effect, a place, an owner      | faint    | `sub`         | grey          |
 * | `danger` | what weakens security or cuts people off         | red      | bold          | danger colour |
 * | `link`   | text that leads to a line of a file or a section | plain    | link or plain | link          |
 * | `change` | a value before and after                         | `a → b`  | code spans    | two values    |
 */
export type Inline =
  | string
  | { readonly kind: 'name' | 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'muted' | 'danger'; readonly text: Text }
  | { readonly kind: 'link'; readonly text: Text; readonly to: LinkTarget }
  | {
      readonly kind: 'change'
      /** As shown: strings in quotes, secrets masked, `(unset)` for no value. */
      readonly before: string
      readonly after: string
      /** Marks the new value: it weakens security, or switches the network off. */
      readonly isDanger?: true
    }

/** One line of text, without line breaks. */
export type Text = readonly Inline[]

/** A name that others gave. */
export function name(text: string): Inline {
  return { kind: 'name', text }
}

/** A value, a field or a time. */
export function code(text: string): Inline {
  return { kind: 'code', text }
}

export function strong(...text: Text): Inline {
  return { kind: 'strong', text }
}

export function muted(...text: Text): Inline {
  return { kind: 'muted', text }
}

export function danger(...text: Text): Inline {
  return { kind: 'danger', text }
}

/** The first texts with commas between them, and the number of the others. */
export function listText(texts: readonly Text[], most = texts.length): Text {
  const rest = texts.length - most
  const shown = texts.slice(0, most).flatMap((text, at) => (at === 0 ? text : [', ', ...text]))
  return rest > 0 ? [...shown, ` and ${formatNumber(rest)} more`] : shown
}

/** The line of a file, or the `id` of a section of the same document. */
export type LinkTarget = { readonly place: Location } | { readonly section: string }

/** The weight of a callout or a section; it decides the colour. */
export const tones = ['bad', 'warn', 'note', 'good'] as const
export type Tone = (typeof tones)[number]

export type Block =
  | { readonly kind: 'paragraph'; readonly text: Text }
  /** Something wrong. */
  | { readonly kind: 'callout'; readonly text: Text }
  | Table

export interface Table {
  readonly kind: 'table'
  /** One for each cell of a row; an empty text is a column without a title. */
  readonly columns: readonly string[]
  readonly rows: readonly TableRow[]
  /** True if the rows are unclear without the names of the columns; else a terminal omits them. */
  readonly isNamed?: true
}

export interface TableRow {
  /** Each cell is one or more lines. */
  readonly cells: readonly (readonly Text[])[]
  /** The colour of the first cell on a terminal. */
  readonly tone?: Tone
  /** The number of things that the row stands for, for the count of rows that do not fit. Default: 1. */
  readonly weight?: number
}

export interface Section {
  /** Unique in its document: letters, digits and `-`. */
  readonly id: string
  readonly title: string
  /** The number of things that the section lists, shown after its title; absent for none. */
  readonly count?: number
  readonly tone?: Tone
  /** True for what a reader asks for: closed on a page and in a comment. */
  readonly isFolded?: true
  /** True for a section that the bar of a page has no room for. */
  readonly isUnlisted?: true
  /** True for what a terminal shows with `--verbose` only. */
  readonly isDetail?: true
  /** The line in place of such a section. */
  readonly whenHidden?: string
  /** The noun of what a table of the section lists, for `and 3 more rows`. */
  readonly noun: string
  readonly blocks: readonly Block[]
}

/** A text without its markup, not escaped. */
export function textOf(text: Text): string {
  return text.map(inlineText).join('')
}

function inlineText(part: Inline): string {
  if (typeof part === 'string') return part
  switch (part.kind) {
    case 'name':
    case 'code':
      return part.text
    case 'strong':
    case 'muted':
    case 'danger':
    case 'link':
      return textOf(part.text)
    case 'change':
      return `${part.before} → ${part.after}`
  }
}

/** Longer paths are not linked, nor are paths that cannot be part of an address. */
const MAX_PATH_LENGTH = 300
const UNLINKED = /^\/|(?:^|\/)\.\.(?:\/|$)|\p{Surrogate}/u

/**
 * The address of a line of a file below `source`, the address of the working directory's files; undefined if there is none, as
 * for a place in another revision.
 *
 *     https://github.com/acme/wifi/blob/SHA/sites/hq.yaml#L12
 */
export function placeAddress(
  { file, line, revision }: Pick<Location, 'file' | 'line' | 'revision'>,
  source: string | undefined
): string | undefined {
  const isKnown = source !== undefined && revision === undefined
  if (!isKnown || file.length > MAX_PATH_LENGTH || UNLINKED.test(file)) return undefined
  const path = file.split('/').map(encodeURIComponent).join('/')
  const encoded = path.replace(/[!'()*]/g, mark => `%${mark.charCodeAt(0).toString(16)}`)
  return `${source}/${encoded}#L${line}`
}

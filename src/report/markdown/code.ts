import type { Pointer } from '../../model/pointer.ts'
import { steps } from '../../model/pointer.ts'
import { escapeCode } from '../escape.ts'

/** More than this of one text is in the way of the others; the full report has all of it. */
const LONGEST = 200

/**
 * Text from outside in a span of code: the only place for it in Markdown. There, neither Markdown nor
 * HTML means anything, nobody is mentioned, and nothing becomes a link or an image. The span holds in
 * a cell of a table, too, where a pipe would end it (GitHub Flavored Markdown, example 200).
 */
export function code(text: string): string {
  // Escaping makes nothing shorter: what is cut off in any case need not be escaped.
  const inside = shortened(escapeCode(text.slice(0, LONGEST + 2))).replaceAll('|', '\\|')
  if (inside === '') return '_empty_'
  const fence = '`'.repeat(longestRun(inside) + 1)
  // Readers take one blank away from both ends, unless there is nothing but blanks.
  const pad = /^`|`$|^ .*[^ ].* $/.test(inside) ? ' ' : ''
  return fence + pad + inside + pad + fence
}

/** A pointer as network engineers write it: `/auth/psk` is `auth.psk`. */
export function fieldCode(pointer: Pointer): string {
  return code(steps(pointer).join('.'))
}

/** The first few of many pieces of Markdown, and how many there are beside them. */
export function few(pieces: readonly string[], most: number, noun = ''): string {
  const first = pieces.slice(0, most).join(', ')
  const rest = pieces.length - most
  if (rest <= 0) return first
  return `${first} and ${thousands(String(rest))} more${noun === '' ? '' : ` ${noun}`}`
}

/** A sentence of ours with its large numbers set apart: `2987 sites` is `2,987 sites`. */
export function thousands(sentence: string): string {
  return sentence.replace(/\d{4,}/g, digits => digits.replace(/\B(?=(?:\d{3})+$)/g, ','))
}

function shortened(text: string): string {
  if (text.length <= LONGEST) return text
  return `${text.slice(0, LONGEST).replace(/[\ud800-\udbff]$/, '')}…`
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 0)
}

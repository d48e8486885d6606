import type { Pointer } from '../../model/pointer.ts'
import { steps } from '../../model/pointer.ts'
import { escapeCode } from '../escape.ts'
import { shortened } from '../words.ts'

/** More than this of one text is in the way of the others; the full report has all of it. */
const LONGEST = 200

/**
 * Text from outside in a span of code: the only place for it in Markdown. There, neither Markdown nor
 * HTML means anything, nobody is mentioned, and nothing becomes a link or an image. The span holds in
 * a cell of a table, too, where a pipe would end it (GitHub Flavored Markdown, example 200).
 */
export function code(text: string): string {
  // Escaping makes nothing shorter: what is cut off in any case need not be escaped.
  const inside = shortened(escapeCode(text.slice(0, LONGEST + 2)), LONGEST).replaceAll('|', '\\|')
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

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 0)
}

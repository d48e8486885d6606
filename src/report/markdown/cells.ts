import { type Pointer, steps } from '../../model/pointer.ts'
import { plural } from '../../model/text.ts'
import { escapeCode } from '../escape.ts'
import { few, shortened, thousands } from '../format-value.ts'
import type { AddressParts } from '../group-findings.ts'

/** More than this of one text is in the way of the others; the full report has all of it. */
const LONGEST = 200

/**
 * Text from outside in a span of code: the only place for it in Markdown. There, neither Markdown nor
 * HTML means anything, nobody is mentioned, and nothing becomes a link or an image. The span holds in
 * a cell of a table, too, where a pipe would end it (GitHub Flavored Markdown, example 200).
 */
export function codeSpan(text: string): string {
  // Escaping makes nothing shorter: what is cut off in any case need not be escaped.
  const inside = shortened(escapeCode(text.slice(0, LONGEST + 2)), LONGEST).replaceAll('|', '\\|')
  if (inside === '') return '_empty_'
  const fence = '`'.repeat(longestRun(inside) + 1)
  // Readers take one blank away from both ends, unless there is nothing but blanks.
  const pad = /^`|`$|^ .*[^ ].* $/.test(inside) ? ' ' : ''
  return fence + pad + inside + pad + fence
}

/** A pointer as network engineers write it: `/auth/psk` is `auth.psk`. */
export function fieldSpan(pointer: Pointer): string {
  return codeSpan(steps(pointer).join('.'))
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 0)
}

/** A list in a fold names so many; that is enough to see which they are. */
const NAMED = 20

/** The site, or how many they are with their names in a fold. */
export function siteCell(places: readonly AddressParts[], note = ''): string {
  return manyCell(
    places.map(({ site }) => site),
    'site',
    note
  )
}

/** The handle of a WLAN, if it is known. */
export function wlanCell({ key }: AddressParts): string {
  return key === '' ? '' : codeSpan(key)
}

/** One name, or how many there are of what, and their names in a fold. */
export function manyCell(names: readonly string[], noun: string, note = ''): string {
  const [name = '', ...others] = names
  if (others.length === 0) return codeSpan(name) + note
  const summary = `<b>${thousands(plural(names.length, noun))}</b>${note}`
  return fold(summary, few(names.map(codeSpan), NAMED))
}

/** Markdown of one line in a fold, which stands in a cell; it may be there unfolded. */
export function fold(summary: string, inside: string, open = false): string {
  return `<details${open ? ' open' : ''}><summary>${summary}</summary>${inside}</details>`
}

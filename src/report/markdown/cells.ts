import { type Pointer, steps } from '../../model/pointer.ts'
import { listFirst, plural, truncate } from '../../model/text.ts'
import { escapeCode } from '../escape.ts'
import { thousands } from '../format-value.ts'
import type { AddressParts } from '../group-findings.ts'

/** Longer texts are truncated; the full report has all of them. */
const LONGEST = 200

/**
 * Text from outside as a code span, the only place for it in Markdown: inside, Markdown, HTML, mentions,
 * links and images have no effect. A pipe is escaped, since it would end the span in a table cell (GitHub
 * Flavored Markdown, example 200).
 */
export function codeSpan(text: string): string {
  // Escaping makes no text shorter: truncate first, so that a huge text costs little.
  const inside = truncate(escapeCode(text.slice(0, LONGEST + 2)), LONGEST).replaceAll('|', '\\|')
  if (inside === '') return '_empty_'
  const fence = '`'.repeat(longestRun(inside) + 1)
  // Markdown strips one blank from both ends, unless the span is all blanks.
  const pad = /^`|`$|^ .*[^ ].* $/.test(inside) ? ' ' : ''
  return fence + pad + inside + pad + fence
}

/** A pointer as a field name in a code span. */
export function fieldSpan(pointer: Pointer): string {
  return codeSpan(steps(pointer).join('.'))
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 0)
}

/** The most names in a fold. */
const MAX_NAMES = 20

/** The name of the site, or the number of sites with a fold of their names. */
export function siteCell(places: readonly AddressParts[], note = ''): string {
  return manyCell(
    places.map(({ site }) => site),
    'site',
    note
  )
}

/** The key of a WLAN; empty if it is unknown. */
export function wlanCell({ key }: AddressParts): string {
  return key === '' ? '' : codeSpan(key)
}

/** One name, or the number of names with a fold of them. */
export function manyCell(names: readonly string[], noun: string, note = ''): string {
  const [name = '', ...others] = names
  if (others.length === 0) return codeSpan(name) + note
  const summary = `<b>${thousands(plural(names.length, noun))}</b>${note}`
  return fold(summary, listFirst(names.map(codeSpan), MAX_NAMES))
}

/** Markdown of one line in a fold for a table cell. */
export function fold(summary: string, inside: string, open = false): string {
  return `<details${open ? ' open' : ''}><summary>${summary}</summary>${inside}</details>`
}

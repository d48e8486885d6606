import { plural } from '../../model/text.ts'
import type { Whereabouts } from '../group-findings.ts'
import { few, thousands } from '../words.ts'
import { code } from './code.ts'

/** A list in a fold names so many; that is enough to see which they are. */
const NAMED = 20

/** The site, or how many they are with their names in a fold. */
export function siteCell(places: readonly Whereabouts[], note = ''): string {
  return manyCell(
    places.map(({ site }) => site),
    'site',
    note
  )
}

/** The handle of a WLAN, if it is known. */
export function wlanCell({ key }: Whereabouts): string {
  return key === '' ? '' : code(key)
}

/** One name, or how many there are of what, and their names in a fold. */
export function manyCell(names: readonly string[], noun: string, note = ''): string {
  const [name = '', ...others] = names
  if (others.length === 0) return code(name) + note
  const summary = `<b>${thousands(plural(names.length, noun))}</b>${note}`
  return fold(summary, few(names.map(code), NAMED))
}

/** Markdown of one line in a fold, which stands in a cell; it may be there unfolded. */
export function fold(summary: string, inside: string, open = false): string {
  return `<details${open ? ' open' : ''}><summary>${summary}</summary>${inside}</details>`
}

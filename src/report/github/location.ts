import type { Location } from '../../model/finding.ts'
import { plural } from '../../model/text.ts'
import type { AnnotationLocation } from './command.ts'

/** A title names so many of what it goes for. */
const NAMED = 3

/** Where a WLAN is declared, from the working directory, as GitHub looks for files. */
export function annotationLocationOf(
  { file, line, column }: Location,
  fleet: string | undefined
): AnnotationLocation {
  const folder = fleet === undefined || fleet === '.' ? '' : `${fleet}/`
  return { file: `${folder}${file}`, line, column }
}

/** One name; of several how many there are of what, and the first ones. */
export function named(names: readonly string[], noun: string): string {
  const [name = ''] = names
  if (names.length <= 1) return name
  const rest = names.length > NAMED ? ', …' : ''
  return `${plural(names.length, noun)} (${names.slice(0, NAMED).join(', ')}${rest})`
}

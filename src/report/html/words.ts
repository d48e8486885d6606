import { count as counted } from '../../model/identity.ts'
import { thousands } from '../markdown/code.ts'

/** `n` of something with its noun, large numbers set apart: `2,987 sites`. */
export function count(n: number, noun: string): string {
  return thousands(counted(n, noun))
}

/** The first few of many, and how many there are beside them. */
export function few(texts: readonly string[], most: number): string {
  const rest = texts.length - most
  return texts.slice(0, most).join(', ') + (rest > 0 ? ` and ${number(rest)} more` : '')
}

export function number(n: number): string {
  return thousands(String(n))
}

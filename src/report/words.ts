import { formatNumber } from '../model/text.ts'

/** The first few of many, and how many there are beside them. */
export function few(texts: readonly string[], most: number, noun = ''): string {
  const first = texts.slice(0, most).join(', ')
  const rest = texts.length - most
  if (rest <= 0) return first
  return `${first} and ${formatNumber(rest)} more${noun === '' ? '' : ` ${noun}`}`
}

/** A sentence of ours with its large numbers set apart: `2987 sites` is `2,987 sites`. */
export function thousands(sentence: string): string {
  return sentence.replace(/\d{4,}/g, formatNumber)
}

/** A text that is longer than this, cut, and never in the middle of a character. */
export function shortened(text: string, longest: number): string {
  if (text.length <= longest) return text
  return `${text.slice(0, longest).replace(/[\ud800-\udbff]$/, '')}…`
}

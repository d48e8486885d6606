/** A count with its noun in the right number: `1 change`, `2 changes`. */
export function plural(n: number, noun: string): string {
  return `${n} ${n === 1 ? noun : `${noun}s`}`
}

/** A text of ours with its first letter in upper case. */
export function capitalised(text: string): string {
  return text.replace(/^[a-z]/, first => first.toUpperCase())
}

/** A number, or its digits, with a comma between thousands: `1,200`. */
export function formatNumber(number: number | string): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** The first `most` texts, and the number of the others: `a, b and 1,200 more`, with a noun `… more sites`. */
export function listFirst(texts: readonly string[], most: number, noun = ''): string {
  const first = texts.slice(0, most).join(', ')
  const rest = texts.length - most
  if (rest <= 0) return first
  return `${first} and ${formatNumber(rest)} more${noun === '' ? '' : ` ${noun}`}`
}

/** A text of at most `longest` UTF-16 code units and an ellipsis; no character is split. */
export function truncate(text: string, longest: number): string {
  if (text.length <= longest) return text
  return `${text.slice(0, longest).replace(/[\ud800-\udbff]$/, '')}…`
}

/** Text from outside in JSON quotes, truncated. Escapes for a terminal or a page are the report's. */
export function quote(text: string, longest = 200): string {
  return text.length <= longest
    ? JSON.stringify(text)
    : `${JSON.stringify(truncate(text, longest).slice(0, -1))}…`
}

/** Replaces a range of a text; an empty range inserts. */
export interface TextEdit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The text after all edits; every byte outside of them stays. Throws if two of them overlap. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let from = 0
  const pieces: string[] = []
  for (const edit of sortedEdits(edits)) {
    if (edit.start < from) throw new Error('two edits of a text overlap')
    pieces.push(text.slice(from, edit.start), edit.text)
    from = edit.end
  }
  return [...pieces, text.slice(from)].join('')
}

/** Sorted by range; edits of the same range keep their order. */
export function sortedEdits(edits: readonly TextEdit[]): TextEdit[] {
  return [...edits].sort((a, b) => a.start - b.start || a.end - b.end)
}

/** A count with its noun in singular or plural: `1 change`, `2,000 changes`. */
export function plural(n: number, noun: string): string {
  return `${formatNumber(n)} ${n === 1 ? noun : `${noun}s`}`
}

export function capitalised(text: string): string {
  return text.replace(/^[a-z]/, first => first.toUpperCase())
}

/** A number, or its digits, with commas between thousands: `1,200`. */
export function formatNumber(number: number | string): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** The first `most` strings, and the number of the others: `a, b and 1,200 more`; with a noun `… more sites`. */
export function listFirst(texts: readonly string[], most: number, noun = ''): string {
  const first = texts.slice(0, most).join(', ')
  const rest = texts.length - most
  if (rest <= 0) return first
  return `${first} and ${formatNumber(rest)} more${noun === '' ? '' : ` ${noun}`}`
}

/** The text of a file without its byte order mark, which PowerShell writes. */
export function withoutByteOrderMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

/** Truncates a text to `longest` UTF-16 code units and an ellipsis, without splitting a character. */
export function truncate(text: string, longest: number): string {
  if (text.length <= longest) return text
  return `${text.slice(0, longest).replace(/[\ud800-\udbff]$/, '')}…`
}

/** Truncates an untrusted string and puts it in JSON quotes. The report escapes it for a terminal or a page. */
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

/** `file:line:column`, with `revision:` before it if there is one; not escaped. */
export function formatLocation({ revision, file, line, column }: FilePlace): string {
  return `${revision === undefined ? '' : `${revision}:`}${file}:${line}:${column}`
}

interface FilePlace {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly revision?: string
}

export function quoteForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

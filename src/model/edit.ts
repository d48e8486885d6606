/** A stretch of a text, and what stands there afterwards. Where it is empty, something is put in. */
export interface TextEdit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The text with all edits made; every byte outside of them stays. Throws if two of them overlap. */
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

/** By place; of those at one place in the order in which they were asked for. */
export function sortedEdits(edits: readonly TextEdit[]): TextEdit[] {
  return [...edits].sort((a, b) => a.start - b.start || a.end - b.end)
}

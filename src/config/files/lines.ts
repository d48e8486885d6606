/** Characters from one mark to the next. */
const STRIDE = 1024

/**
 * Tells in which line and column of a text an offset is. It keeps a mark for every thousand characters
 * and not one for every line, of which a file may have millions.
 */
export class LineIndex {
  readonly #text: string
  /** At each mark: the lines that end before it, and where its line begins. */
  readonly #lines: Uint32Array
  readonly #starts: Uint32Array

  constructor(text: string) {
    this.#text = text
    const marks = Math.floor(text.length / STRIDE) + 1
    this.#lines = new Uint32Array(marks)
    this.#starts = new Uint32Array(marks)
    let [line, start, mark] = [0, 0, 0]
    for (let end = text.indexOf('\n'); mark < marks; end = text.indexOf('\n', end + 1)) {
      for (; mark < marks && (end === -1 || mark * STRIDE <= end); mark += 1) {
        this.#lines[mark] = line
        this.#starts[mark] = start
      }
      line += 1
      start = end + 1
    }
  }

  /** Both counted from 1. */
  at(offset: number): { readonly line: number; readonly column: number } {
    const mark = Math.min(Math.floor(Math.max(offset, 0) / STRIDE), this.#lines.length - 1)
    let line = this.#lines[mark] ?? 0
    let start = this.#starts[mark] ?? 0
    const from = mark * STRIDE
    // A line may go on for millions of characters: what is behind the offset is not looked at.
    const before = this.#text.slice(from, offset)
    for (let end = before.indexOf('\n'); end !== -1; end = before.indexOf('\n', end + 1)) {
      line += 1
      start = from + end + 1
    }
    return { line: line + 1, column: offset - start + 1 }
  }
}

import { Writable } from 'node:stream'

/** A terminal of this width that interprets the control sequences of wlanctl. */
export class Screen extends Writable {
  readonly isTTY = true
  /** Everything that was written. */
  readonly written: string[] = []
  columns: number
  readonly #rows: string[][] = [[]]
  #row = 0
  #column = 0

  constructor(columns: number) {
    super()
    this.columns = columns
  }

  /** Everything that was written, as one text. */
  get text(): string {
    return this.written.join('')
  }

  /** The current content, without trailing spaces and empty lines. */
  get lines(): string[] {
    return this.#rows.map(cells =>
      Array.from(cells, cell => cell ?? ' ')
        .join('')
        .trimEnd()
    )
  }

  /** Makes it narrower: long lines are wrapped, and the cursor stays after the last character. */
  narrow(columns: number): void {
    this.columns = columns
    const rows = this.#rows.flatMap(row => broken(row, columns))
    this.#rows.splice(0, this.#rows.length, ...rows)
    this.#row = rows.length - 1
    this.#column = rows.at(-1)?.length ?? 0
    this.emit('resize')
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    const text = chunk.toString()
    this.written.push(text)
    for (const [piece] of text.matchAll(/\x1b\[\d*[AJK]|[\s\S]/gu)) this.#put(piece)
    done()
  }

  #put(piece: string): void {
    const row = this.#cells
    if (piece === '\r') this.#column = 0
    else if (piece === '\n') this.#down()
    else if (piece === '\x1b[K') row.length = Math.min(row.length, this.#column)
    else if (piece === '\x1b[J') {
      row.length = Math.min(row.length, this.#column)
      this.#rows.length = this.#row + 1
    } else if (piece.startsWith('\x1b[')) this.#row -= Number(piece.slice(2, -1))
    else this.#type(piece)
  }

  #type(letter: string): void {
    if (this.#column === this.columns) this.#down()
    const row = this.#cells
    row[this.#column] = letter
    this.#column += 1
  }

  #down(): void {
    this.#row += 1
    this.#column = 0
  }

  /** The position of the row with the cursor. */
  get #cells(): string[] {
    const row = this.#rows[this.#row] ?? []
    this.#rows[this.#row] = row
    return row
  }
}

function broken(row: readonly string[], columns: number): string[][] {
  const rows = []
  for (let at = 0; at < Math.max(row.length, 1); at += columns)
    rows.push(row.slice(at, at + columns))
  return rows
}

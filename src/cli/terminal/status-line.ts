import { reasonOf } from '../../core/model/failure.ts'
import { escapeLines, escapeText } from '../../report/escape.ts'
import { columnsOf, type Io, type Terminal, writeLine } from './io.ts'

export function isDrawable({ stderr, env }: Pick<Io, 'stderr' | 'env'>): boolean {
  return stderr.isTTY === true && env['TERM'] !== 'dumb'
}

const drawn = new WeakMap<Terminal, StatusLine>()

/** Prints a line on stderr, above the status line if there is one; a failed write is ignored. */
export function writeAboveStatus(io: Pick<Io, 'stderr'>, line: string): void {
  const status = drawn.get(io.stderr)
  if (status === undefined) writeLine(io, line).catch(() => undefined)
  else status.writeAbove(line)
}

/** The last line of a terminal, shorter than its width so that it never wraps, and redrawn on a resize. */
export class StatusLine {
  readonly #terminal: Terminal
  readonly #textIn: (columns: number) => string
  readonly #onResize = () => this.#redraw()
  #shown = ''

  /** `textIn` returns the text for a number of columns. */
  constructor(terminal: Terminal, textIn: (columns: number) => string) {
    this.#terminal = terminal
    this.#textIn = textIn
    terminal.on('resize', this.#onResize)
    drawn.set(terminal, this)
  }

  /** Overwrites the line without erasing it first, which would flicker. */
  draw(): void {
    const text = escapeLines(this.#textIn(this.#columns - 1))
    if (text === this.#shown) return
    this.#terminal.write(`\r${text}\x1b[K`)
    this.#shown = text
  }

  writeAbove(line: string): void {
    const text = escapeLines(line)
    this.#terminal.write(this.#shown === '' ? `${text}\n` : `\r\x1b[K${text}\n${this.#shown}`)
  }

  /** Erases the line, or draws it a last time, and leaves it. */
  end(stays: boolean): void {
    this.#terminal.off('resize', this.#onResize)
    drawn.delete(this.#terminal)
    if (stays) {
      this.draw()
      this.#terminal.write('\n')
    } else this.#erase()
  }

  #redraw(): void {
    if (this.#shown === '') return
    this.#erase()
    this.draw()
  }

  #erase(): void {
    if (this.#shown === '') return
    const above = Math.ceil(this.#shown.length / this.#columns) - 1
    this.#terminal.write(`\r${above > 0 ? `\x1b[${above}A` : ''}\x1b[J`)
    this.#shown = ''
  }

  get #columns(): number {
    return columnsOf(this.#terminal)
  }
}

/**
 * Wraps functions that only observe a run, such as drawing its progress: their errors must not abort an
 * apply. The first error is printed as `${name} failed`; the run continues, with `fallback` as the result.
 */
export function safeObserver(name: string, io: Pick<Io, 'stderr'>) {
  let isPrinted = false
  return <Args extends unknown[], Result>(observe: (...args: Args) => Result, fallback: Result) =>
    (...args: Args): Result => {
      try {
        return observe(...args)
      } catch (error) {
        if (!isPrinted) {
          isPrinted = true
          const warning = `wlanctl: warning: ${name} failed: ${escapeText(reasonOf(error))}`
          writeLine(io, `${warning}; the run continues`).catch(() => undefined)
        }
        return fallback
      }
    }
}

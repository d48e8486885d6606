import { reasonOf } from '../model/failure.ts'
import { escapeText } from '../report/escape.ts'
import { type Io, type Terminal, writeLine } from './io.ts'

const COLUMNS = 80

/** True if lines can be drawn anew there: a terminal that knows how. */
export function isDrawable({ stderr, env }: Pick<Io, 'stderr' | 'env'>): boolean {
  return stderr.isTTY === true && env['TERM'] !== 'dumb'
}

/** The lines that are drawn at this moment: a terminal has one. */
const drawn = new WeakMap<Terminal, StatusLine>()

/** Says a line beside the results, above what is drawn on the terminal; that it is lost hurts nobody. */
export function writeAboveStatus(io: Pick<Io, 'stderr'>, line: string): void {
  const status = drawn.get(io.stderr)
  if (status === undefined) writeLine(io, line).catch(() => undefined)
  else status.say(line)
}

/**
 * The last line of a terminal, drawn anew as a run goes on. It never fills the line, so that it never wraps;
 * where the terminal gets narrower it is drawn anew at once.
 */
export class StatusLine {
  readonly #terminal: Terminal
  readonly #textIn: (columns: number) => string
  readonly #onResize = () => this.#redraw()
  /** What stands there. */
  #shown = ''

  /** `textIn` gives the text in at most so many columns. */
  constructor(terminal: Terminal, textIn: (columns: number) => string) {
    this.#terminal = terminal
    this.#textIn = textIn
    terminal.on('resize', this.#onResize)
    drawn.set(terminal, this)
  }

  /** Writes over what stands there, without erasing it first, so that nothing flickers. */
  draw(): void {
    const text = this.#textIn(this.#columns - 1)
    if (text === this.#shown) return
    this.#terminal.write(`\r${text}\x1b[K`)
    this.#shown = text
  }

  /** Adds a line above it. */
  say(text: string): void {
    this.#terminal.write(this.#shown === '' ? `${text}\n` : `\r\x1b[K${text}\n${this.#shown}`)
  }

  /** Takes it away, and leaves nothing of it. */
  end(): void {
    this.#terminal.off('resize', this.#onResize)
    drawn.delete(this.#terminal)
    this.#erase()
  }

  #redraw(): void {
    if (this.#shown === '') return
    this.#erase()
    this.draw()
  }

  /** A terminal that got narrower has broken the line. */
  #erase(): void {
    if (this.#shown === '') return
    const above = Math.ceil(this.#shown.length / this.#columns) - 1
    this.#terminal.write(`\r${above > 0 ? `\x1b[${above}A` : ''}\x1b[J`)
    this.#shown = ''
  }

  get #columns(): number {
    return this.#terminal.columns || COLUMNS
  }
}

/** Makes a function that never throws of one that only watches a run, such as drawing its progress. */
export type Watching = <Args extends unknown[], Result>(
  watch: (...args: Args) => Result,
  otherwise: Result
) => (...args: Args) => Result

/**
 * Drawing, waiting notices and the like must not end a run in the middle of an apply: the first error
 * that one of these functions throws is printed on stderr, with `what` failed, and the run goes on.
 */
export function watching(what: string, io: Pick<Io, 'stderr'>): Watching {
  let isPrinted = false
  return (watch, otherwise) =>
    (...args) => {
      try {
        return watch(...args)
      } catch (error) {
        if (!isPrinted) {
          isPrinted = true
          const warning = `wlanctl: warning: ${what} failed: ${escapeText(reasonOf(error))}`
          writeLine(io, `${warning}; the run goes on`).catch(() => undefined)
        }
        return otherwise
      }
    }
}

import type { Readable, Writable } from 'node:stream'
import type { CiHooks } from '../../ci/judge.ts'
import { exit, Failure } from '../../core/model/failure.ts'
import type { Environment } from '../../core/values/environment.ts'
import { escapeLines } from '../../report/escape.ts'
import { wrapLines } from '../../report/layout.ts'

export { quoteForShell } from '../../core/values/text.ts'

export interface Io {
  readonly argv: readonly string[]
  readonly env: Environment
  readonly cwd: string
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Terminal
  /** For everything else. */
  readonly stderr: Terminal
  readonly now: () => Date
  /** The version of Node that runs the program, e.g. `v24.1.0`. */
  readonly node: string
  /** Aborted by the first SIGINT or SIGTERM: nothing new starts. */
  readonly interrupted: AbortSignal
  /** Aborted when requests in progress must stop, too. */
  readonly abortSignal: AbortSignal
  /** What `ci` decides within the command that it runs. */
  readonly ci?: CiHooks
  /** Sends a signal to a process group by the id of its leader; does nothing if the group has ended. */
  readonly signalGroup: (leader: number, signal: NodeJS.Signals) => void
  /** The unit of the pauses between requests to a forge, in milliseconds; default: 1000. */
  readonly forgePause?: number
}

export function isTerminal({ stdin, stderr }: Pick<Io, 'stdin' | 'stderr'>): boolean {
  return stdin.isTTY === true && stderr.isTTY === true
}

export type Terminal = Writable & { readonly isTTY?: boolean; readonly columns?: number }

/** The width of a terminal; 80 where it is unknown: a pseudo-terminal without a size has 0 columns. */
export function columnsOf({ columns }: Terminal): number {
  return columns === undefined || columns === 0 ? 80 : columns
}

/** Throws a `Failure` if writing fails, e.g. on a full disk, unless the reader closed the pipe. */
export async function write(io: Io, text: string): Promise<void> {
  const error = await writeTo(io.stdout, text)
  if (error && error.code !== 'EPIPE') throw unwritten(error)
}

/** Writes a result that exists only once: a closed pipe is an error, too. */
export async function writeOnce(io: Io, text: string): Promise<void> {
  const error = await writeTo(io.stdout, text)
  if (error) throw unwritten(error)
}

/** Writes text for a reader, on a terminal broken between words, as `write` does. */
export function writeLines(io: Io, text: string): Promise<void> {
  return write(io, linesFor(io.stdout, text))
}

/** Writes lines to stderr, on a terminal broken between words; a failed write is ignored. */
export async function writeLine({ stderr }: Pick<Io, 'stderr'>, lines: string): Promise<void> {
  await writeTo(stderr, `${linesFor(stderr, lines)}\n`)
}

/** Text as a stream shows it: escaped, and on a terminal broken between words. */
export function linesFor(stream: Terminal, text: string): string {
  const width = stream.isTTY === true ? columnsOf(stream) : Number.POSITIVE_INFINITY
  return wrapLines(escapeLines(text), width)
}

function unwritten(error: Error): Failure {
  return new Failure(exit.failed, `the output could not be written: ${error.message}`)
}

function writeTo(stream: Writable, text: string): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise(resolve => {
    stream.write(text, error => resolve(error ?? undefined))
  })
}

import type { Readable, Writable } from 'node:stream'
import { exit, Failure } from '../model/failure.ts'

/** The edges of a run: all that it has of the world around it. */
export interface Io {
  /** The words after the program's name. */
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly stdin: Readable & { readonly isTTY?: boolean }
  /** Results. */
  readonly stdout: Terminal
  /** Everything else. */
  readonly stderr: Terminal
  readonly now: () => Date
  /** The version of Node that runs the program, e.g. `v24.1.0`. */
  readonly node: string
  /** Aborted when somebody wants the run to end: nothing new is started then. */
  readonly interrupted: AbortSignal
  /** Aborted when the time to finish what is under way is over. */
  readonly cut: AbortSignal
  /** Signals a child process that leads a group, and all that it started; one that has ended is no error. */
  readonly signalGroup: (leader: number, signal: NodeJS.Signals) => void
}

/** A stream that may be a terminal. */
export type Terminal = Writable & { readonly isTTY?: boolean; readonly columns?: number }

/**
 * Writes a result and waits until it is written. Output that is lost is an error (a full disk),
 * unless its reader went away (`wlanctl plan | head`): then nobody misses it.
 */
export async function write(io: Io, text: string): Promise<void> {
  const error = await writeTo(io.stdout, text)
  if (error && error.code !== 'EPIPE') throw unwritten(error)
}

/** Writes a result that nobody can get again: that its reader went away is an error, too. */
export async function writeOnce(io: Io, text: string): Promise<void> {
  const error = await writeTo(io.stdout, text)
  if (error) throw unwritten(error)
}

/** Writes a line beside the results; that it is lost hurts nobody. */
export async function writeLine(io: Pick<Io, 'stderr'>, line: string): Promise<void> {
  await writeTo(io.stderr, `${line}\n`)
}

function unwritten(error: Error): Failure {
  return new Failure(exit.failed, `the output could not be written: ${error.message}`)
}

function writeTo(stream: Writable, text: string): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise(resolve => {
    stream.write(text, error => resolve(error ?? undefined))
  })
}

/** A word of a line that somebody may paste into a shell: in quotes where it would be more than a word. */
export function quotedForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

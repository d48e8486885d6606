import type { Command } from 'commander'
import type { ExitCode } from '../core/model/failure.ts'
import type { Io } from './terminal/io.ts'

/** The services for a command in addition to its arguments. */
export interface Context {
  readonly io: Io
  /** Wraps an action: the process exits with the returned exit code. */
  readonly ends: <Args extends unknown[]>(
    action: (...args: Args) => Promise<ExitCode>
  ) => (...args: Args) => Promise<void>
  /** The program with the commands among these words defined, for completion. */
  readonly loadProgram: (words: readonly string[]) => Promise<Command>
  /** Runs the program in this process, as `demo` does. */
  readonly run: (io: Io) => Promise<ExitCode>
}

import type { Command } from 'commander'
import type { ExitCode } from '../model/failure.ts'
import type { Io } from './io.ts'

/** What the file of a command exports. */
export interface CommandFile {
  /** Adds arguments, options, an example and the action. */
  define(command: Command, context: Context): void
}

/** What a command gets besides its arguments. */
export interface Context {
  readonly io: Io
  /** Wraps an action: the program ends with the exit code it returns. */
  readonly ends: <Args extends unknown[]>(
    action: (...args: Args) => Promise<ExitCode>
  ) => (...args: Args) => Promise<void>
  /** The program with every command defined, e.g. for completion. */
  readonly loadProgram: () => Promise<Command>
  /** Runs the program in this process, as `demo` does. */
  readonly run: (io: Io) => Promise<ExitCode>
}

declare const WLANCTL_VERSION: string

/** The program, as plans and requests name it; the version is the package's, put in by the build. */
export const tool = {
  version: WLANCTL_VERSION,
  name: `wlanctl/${WLANCTL_VERSION}`
}

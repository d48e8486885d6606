import { CommanderError } from 'commander'
import { type ExitCode, exit, Failure } from '../model/failure.ts'
import { escapeText } from '../report/escape.ts'
import type { Context } from './context.ts'
import { type Io, write, writeLine } from './io.ts'
import { commandNames, createProgram, isCommand } from './program.ts'

/**
 * Runs the program once and returns its exit code; never throws. The one place that turns an error into
 * text: a `Failure` into its message and hint, any other error into a bug report with its stack.
 */
export async function run(io: Io): Promise<ExitCode> {
  try {
    return await runCommand(io)
  } catch (error) {
    return await reportError(error, io).catch(() => exit.failed)
  }
}

/** Loads the command that the arguments name, and runs it. */
async function runCommand(io: Io): Promise<ExitCode> {
  let code: ExitCode = exit.done
  const context: Context = {
    io,
    ends:
      action =>
      async (...args) => {
        code = await action(...args)
      },
    run,
    loadProgram: () => createProgram(context, commandNames, () => undefined)
  }
  const called = io.argv.filter(isCommand).slice(0, 1)
  const help: string[] = []
  const program = await createProgram(context, called, text => help.push(text))
  try {
    await program.parseAsync(withoutHelpOfUnknown(io.argv), { from: 'user' })
  } finally {
    if (help.length > 0) await write(io, help.join(''))
  }
  return code
}

/** Turns `help foo` into `foo` where there is no such command: commander then reports the error. */
function withoutHelpOfUnknown(argv: readonly string[]): readonly string[] {
  const [first, second = '-'] = argv
  const isKnown = second.startsWith('-') || isCommand(second)
  return first !== 'help' || isKnown ? argv : argv.slice(1)
}

async function reportError(error: unknown, io: Io): Promise<ExitCode> {
  // Commander has already printed its message.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exit.done : exit.wrongInput
  if (io.interrupted.aborted) {
    await writeLine(io, 'wlanctl: interrupted')
    return exit.interrupted
  }
  if (error instanceof Failure) {
    const hint = error.hint === undefined ? '' : `\n  ${escapeText(error.hint)}`
    await writeLine(io, `wlanctl: ${escapeText(error.message)}${hint}`)
    return error.exitCode
  }
  await writeLine(io, 'wlanctl: this is a bug in wlanctl; please report it with these lines:')
  await writeLine(io, formatBug(error))
  return exit.failed
}

/** The error on one line, as it may hold text from outside, and its stack. */
function formatBug(error: unknown): string {
  const { stack = '' } = error instanceof Error ? error : {}
  const frames = stack.split('\n').filter(line => line.startsWith('    at '))
  return [String(error), ...frames].map(escapeText).join('\n')
}

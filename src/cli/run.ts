import { CommanderError } from 'commander'
import { type ExitCode, exit, Failure } from '../model/failure.ts'
import { escapeText } from '../report/escape.ts'
import { type Io, writeLine } from './io.ts'
import { parse } from './program.ts'

/**
 * Runs the program once and gives its exit code; never throws. The one place where a failure
 * becomes text: an expected one as message and hint, any other as a bug of ours, with its stack.
 */
export async function run(io: Io): Promise<ExitCode> {
  try {
    return await parse(io, run)
  } catch (error) {
    return await explain(error, io).catch(() => exit.failed)
  }
}

async function explain(error: unknown, io: Io): Promise<ExitCode> {
  // Commander has said what was wrong with the words of the call.
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
  await writeLine(io, shownBug(error))
  return exit.failed
}

/** What was thrown on one line, as there may be text from outside in it, and where. */
function shownBug(error: unknown): string {
  const { stack = '' } = error instanceof Error ? error : {}
  const frames = stack.split('\n').filter(line => line.startsWith('    at '))
  return [String(error), ...frames].map(escapeText).join('\n')
}

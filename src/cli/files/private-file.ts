import { resolve } from 'node:path'
import { exit, Failure } from '../../model/failure.ts'
import { readRegularFile } from '../../secrets/regular-file.ts'
import { quotedForShell } from '../shell-quote.ts'
import { unreadReason } from './files.ts'

/** No server takes longer headers; a longer file is another one. */
const MOST_BYTES = 16 * 1024

/**
 * Reads a file that only its owner can read: with a token, or with a session. Links are followed,
 * as those who mount secrets make them; the rules are for what is behind them. Throws a `Failure`
 * (exit 3) for anything else, which says what the file is for and shows nothing of it.
 */
export async function readPrivateFile(file: string, what: string, cwd: string): Promise<string> {
  const wrong = (problem: string, hint?: string) =>
    new Failure(exit.wrongInput, `${what} ${file} ${problem}`, hint)
  const reading = readRegularFile(resolve(cwd, file), { most: MOST_BYTES })
  if ('bytes' in reading) {
    if ((reading.mode & 0o077) === 0) return reading.bytes.toString('utf8')
    throw wrong('can be read by others', `run: chmod 600 ${quotedForShell(file)}`)
  }
  if (reading.problem === 'size') throw wrong(`is larger than ${MOST_BYTES / 1024} KiB`)
  throw wrong(
    reading.problem === 'kind'
      ? `is ${reading.kind}, not a regular file`
      : `cannot be read: ${unreadReason(reading)}`
  )
}

import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { exit, Failure, reasonOf } from '../../model/failure.ts'
import { quotedForShell } from '../words/shell.ts'

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
  // Opening a pipe would wait for its other end, and a terminal could become that of the run.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY
  const handle = await open(resolve(cwd, file), flags).catch(error => {
    throw wrong(`cannot be read: ${reasonOf(error)}`)
  })
  try {
    const stat = await handle.stat()
    if (!stat.isFile()) throw wrong('is no regular file')
    if ((stat.mode & 0o077) !== 0) {
      throw wrong('can be read by others', `run: chmod 600 ${quotedForShell(file)}`)
    }
    const text = await readUpTo(handle, MOST_BYTES)
    if (text === undefined) throw wrong(`is larger than ${MOST_BYTES / 1024} KiB`)
    return text
  } finally {
    await handle.close()
  }
}

/** The text of a file, however large it says it is; undefined if there are more bytes than these. */
async function readUpTo(handle: FileHandle, most: number): Promise<string | undefined> {
  const bytes = Buffer.alloc(most + 1)
  let length = 0
  while (length < bytes.length) {
    const { bytesRead } = await handle.read(bytes, length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return length > most ? undefined : bytes.toString('utf8', 0, length)
}

import { constants, writeSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { exit, Failure, reasonOf, wrongInput } from '../../core/model/failure.ts'
import type { RecordedRun } from '../../core/model/record.ts'
import { fileLimits, tooLarge } from '../../core/model/saved-file-limits.ts'
import { formatNumber } from '../../core/values/text.ts'
import { isRecord, parseSaved, type SavedForm } from '../../files/saved-file.ts'
import { parseRecord } from '../../run/record/read.ts'
import type { RecordFile } from '../../run/record/recorder.ts'
import type { Io } from '../terminal/io.ts'
import { checkTarget, readInput } from './files.ts'

/** Lets the event loop process signals; throws after an interrupt. Call it between long units of work. */
export async function checkpoint({ interrupted }: Pick<Io, 'interrupted'>): Promise<void> {
  await setImmediate()
  if (interrupted.aborted) throw new Failure(exit.interrupted, 'interrupted')
}

export async function readSaved(file: string, io: Io, form: SavedForm): Promise<unknown> {
  const text = await readInput(file, io.cwd, form.limit)
  await checkpoint(io)
  const { value } = parseSaved(text, file, form)
  await checkpoint(io)
  return value
}

export async function readRecord(file: string, io: Io): Promise<RecordedRun[]> {
  const text = await readInput(file, io.cwd, fileLimits.record)
  return parseRecord(text, file, () => checkpoint(io))
}

/** The number of bytes that identify a record. */
const HEAD = 200

/**
 * Opens a record to append to, or creates it with mode 600. Rejects links, files that are not regular, and
 * files with other content (exit 3). Completes a line that an earlier run left unfinished. `bytes` is about
 * the size that the run appends: a record that would then be too large to read back is rejected, too.
 */
export async function openRecord(file: string, cwd: string, bytes = 0): Promise<RecordFile> {
  await checkTarget(file, cwd)
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants
  const flags = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK
  const unwritten = (error: unknown) =>
    new Failure(exit.failed, `${file} could not be written: ${reasonOf(error)}; nothing was sent`)
  const handle = await open(resolve(cwd, file), flags, 0o600).catch(error => {
    throw unwritten(error)
  })
  try {
    await prepare(handle, file, bytes)
  } catch (error) {
    await handle.close()
    throw error instanceof Failure ? error : unwritten(error)
  }
  return {
    append: text => append(handle, text),
    flush: () => handle.datasync(),
    close: () => handle.close()
  }
}

/** Checks the existing content first: a rejected file keeps its content and mode. */
async function prepare(handle: FileHandle, file: string, bytes: number): Promise<void> {
  const stat = await handle.stat()
  if (!stat.isFile()) throw wrongInput(`${file} is not a regular file`)
  const head = await textAt(handle, 0, HEAD)
  if (stat.size > 0 && !isRecord(head)) {
    throw wrongInput(`${file} is not a record, and is not written`, 'name a file of its own')
  }
  const problem = await appendProblem(handle, stat.size, bytes)
  if (problem !== undefined) {
    throw wrongInput(
      `${file} could not be read back after this run: ${problem}; nothing was sent`,
      'name a new file, or make a large run in parts: `--shard I/N`'
    )
  }
  if ((stat.mode & 0o777) !== 0o600) await handle.chmod(0o600)
  if (stat.size > 0 && (await textAt(handle, stat.size - 1, 1)) !== '\n') append(handle, '\n')
}

const MIN_BEGIN_LENGTH = 100

/** The limit of a record that a run with this many bytes would exceed, for a message. */
async function appendProblem(
  handle: FileHandle,
  size: number,
  bytes: number
): Promise<string | undefined> {
  const { record } = fileLimits
  if (size + bytes > record.bytes) return tooLarge(size + bytes, record)
  if (size < record.runs * MIN_BEGIN_LENGTH) return undefined
  const begins = (await textAt(handle, 0, size)).match(/^\{"format":/gm) ?? []
  if (begins.length < record.runs) return undefined
  return `it has ${formatNumber(begins.length)} runs, the limit of a record`
}

async function textAt(handle: FileHandle, position: number, length: number): Promise<string> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position)
  return buffer.toString('utf8', 0, bytesRead)
}

function append({ fd }: FileHandle, text: string): void {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
}

import { constants, writeSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { isRecord } from '../../apply/record/read.ts'
import type { RecordSink } from '../../apply/record/write.ts'
import { exit, Failure, reasonOf } from '../../model/failure.ts'
import { checkTarget } from './files.ts'

/** An open record; what is appended to it is at its end, whoever else appends. */
export interface RecordFile extends RecordSink {
  close(): Promise<void>
}

/** So many bytes tell a record from other files. */
const HEAD = 200

/**
 * Opens a record to append to, and makes it if it is not there; for its owner only (mode 600). Links
 * and whatever is no regular file are refused, and so is a file that holds something else (exit 3). A
 * line that an earlier run could not finish is closed.
 */
export async function openRecord(file: string, cwd: string): Promise<RecordFile> {
  await checkTarget(file, cwd)
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants
  const flags = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK
  const unwritten = (error: unknown) =>
    new Failure(exit.failed, `${file} could not be written: ${reasonOf(error)}; nothing was sent`)
  const handle = await open(resolve(cwd, file), flags, 0o600).catch(error => {
    throw unwritten(error)
  })
  try {
    await prepare(handle, file)
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

/** Looks at what is there first: a file that is refused stays as it was, its mode included. */
async function prepare(handle: FileHandle, file: string): Promise<void> {
  const stat = await handle.stat()
  if (!stat.isFile()) throw new Failure(exit.wrongInput, `${file} is not a regular file`)
  const head = await textAt(handle, 0, HEAD)
  if (stat.size > 0 && !isRecord(head)) {
    throw new Failure(
      exit.wrongInput,
      `${file} holds something else than a record, and is not written`,
      'name a file of its own'
    )
  }
  if ((stat.mode & 0o777) !== 0o600) await handle.chmod(0o600)
  if (stat.size > 0 && (await textAt(handle, stat.size - 1, 1)) !== '\n') append(handle, '\n')
}

async function textAt(handle: FileHandle, position: number, length: number): Promise<string> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position)
  return buffer.toString('utf8', 0, bytesRead)
}

/** One write takes all of it, unless the disk is full: then the next one says so. */
function append({ fd }: FileHandle, text: string): void {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
}

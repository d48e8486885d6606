import { randomUUID } from 'node:crypto'
import { lstat, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { exit, Failure, reasonOf } from '../model/failure.ts'

/**
 * Writes a file as a whole or not at all: to a temporary file beside it, flushed, then renamed, for
 * its owner only (mode 600). Refuses to write through a link, or over anything but a regular file.
 */
export async function writeWhole(file: string, text: string, cwd: string): Promise<void> {
  const path = resolve(cwd, file)
  const present = await lstat(path).catch(() => undefined)
  if (present !== undefined && !present.isFile()) {
    throw new Failure(
      exit.wrongInput,
      `${file} is ${present.isSymbolicLink() ? 'a link' : 'no regular file'}, and is not written`,
      'name a file of its own'
    )
  }
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`)
  try {
    const handle = await open(temporary, 'wx', 0o600)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw new Failure(exit.failed, `${file} could not be written: ${reasonOf(error)}`)
  }
}

import { access, constants, lstat, mkdtemp, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { exit, Failure, reasonOf } from '../model/failure.ts'

/**
 * Throws a `Failure` if a file cannot be written, as far as that can be told before: for runs that do
 * something first that cannot be undone. Links, and whatever is no regular file, are refused (exit 3).
 */
export async function checkTarget(file: string, cwd: string): Promise<void> {
  const path = resolve(cwd, file)
  const present = await lstat(path).catch(() => undefined)
  if (present !== undefined && !present.isFile()) {
    throw new Failure(
      exit.wrongInput,
      `${file} is ${present.isSymbolicLink() ? 'a link' : 'no regular file'}, and is not written`,
      'name a file of its own'
    )
  }
  await access(dirname(path), constants.W_OK).catch(error => {
    throw unwritten(file, error)
  })
}

/**
 * Writes a file as a whole or not at all: in a temporary folder beside it, flushed, then renamed, for
 * its owner only (mode 600). Refuses what `checkTarget` refuses.
 */
export async function writeWhole(file: string, text: string, cwd: string): Promise<void> {
  await checkTarget(file, cwd)
  const path = resolve(cwd, file)
  const folder = await mkdtemp(`${path}.`).catch(error => {
    throw unwritten(file, error)
  })
  try {
    const temporary = join(folder, basename(path))
    const handle = await open(temporary, 'wx', 0o600)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, path)
  } catch (error) {
    throw unwritten(file, error)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function unwritten(file: string, error: unknown): Failure {
  return new Failure(exit.failed, `${file} could not be written: ${reasonOf(error)}`)
}

import { randomUUID } from 'node:crypto'
import { access, constants, lstat, mkdir, open, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { exit, Failure, reasonOf, wrongInput } from '../../core/model/failure.ts'
import { type FileLimit, tooLarge } from '../../core/model/saved-file-limits.ts'
import { listFirst, withoutByteOrderMark } from '../../core/values/text.ts'
import { type FileReading, readRegularFile } from '../../fleet/secrets/regular-file.ts'
import { quoteForShell } from '../terminal/io.ts'

/** Throws a `Failure` early if a file cannot be written; links and irregular files are rejected (exit 3). */
export async function checkTarget(file: string, cwd: string): Promise<void> {
  await isPresent(file, cwd)
  await checkFolder(file, cwd)
}

/** As `checkTarget`, before a run has done anything: a folder that cannot be written is wrong input (exit 3). */
export async function checkOutput(file: string, cwd: string): Promise<void> {
  await isPresent(file, cwd)
  const folder = dirname(resolve(cwd, file))
  const info = await stat(folder).catch(wrongFolder)
  if (!info.isDirectory()) wrongFolder('it is not a folder')
  await access(folder, constants.W_OK).catch(wrongFolder)

  function wrongFolder(problem: unknown): never {
    throw wrongInput(
      `${file} cannot be written to ${dirname(file)}: ${systemReason(problem)}`,
      'nothing was read or sent: name a file in a folder that exists'
    )
  }
}

export function isCheckout(directory: string): Promise<boolean> {
  return access(resolve(directory, '.git')).then(
    () => true,
    () => false
  )
}

/** True for a regular file, false for a missing one; throws a `Failure` (exit 3) for any other kind. */
export async function isPresent(file: string, cwd: string): Promise<boolean> {
  const present = await lstat(resolve(cwd, file)).catch(() => undefined)
  if (present === undefined || present.isFile()) return present !== undefined
  throw wrongInput(
    `${file} is ${present.isSymbolicLink() ? 'a link' : 'not a regular file'}, and is not written`,
    'name a file of its own'
  )
}

async function checkFolder(file: string, cwd: string): Promise<void> {
  await access(dirname(resolve(cwd, file)), constants.W_OK).catch(error => {
    throw unwritten(file, error)
  })
}

/**
 * Throws a `Failure` if a file cannot be written, or exists (exit 3) and is not to be replaced.
 * `replace` is that of `--force`; undefined for a command without it.
 */
export async function checkNew(
  files: readonly string[],
  cwd: string,
  replace?: boolean
): Promise<void> {
  const byFolder = new Map(files.map(file => [dirname(file), file]))
  for (const file of byFolder.values()) await checkFolder(file, cwd)
  const present: string[] = []
  for (const file of files) if (await isPresent(file, cwd)) present.push(file)
  if (replace) return
  const [first, ...others] = present
  if (first === undefined) return
  const all = `${listFirst(present, 3)} already ${others.length === 0 ? 'exists' : 'exist'}`
  const them = others.length === 0 ? 'it' : 'them'
  throw wrongInput(
    all,
    replace === undefined ? 'name another file' : `\`--force\` replaces ${them}`
  )
}

/**
 * Creates a folder with this mode, and the folders above it; returns the new ones, the innermost first. Throws a `Failure`,
 * and leaves none, on error. Node's recursive `mkdir` never returns on a file system (`/proc`) without the parent.
 */
export function makeFolder(folder: string, cwd: string, mode?: number): Promise<readonly string[]> {
  return makeBelow(resolve(cwd, folder), mode).catch(error => {
    throw unwritten(folder, error)
  })
}

async function makeBelow(path: string, mode?: number): Promise<readonly string[]> {
  if ((await stat(path).catch(() => undefined))?.isDirectory()) return []
  const above = dirname(path) === path ? [] : await makeBelow(dirname(path))
  await mkdir(path, mode).catch(async error => {
    await removeEmpty(above)
    throw error
  })
  return [path, ...above]
}

export async function removeEmpty(folders: readonly string[]): Promise<void> {
  for (const folder of folders) await rmdir(folder).catch(() => undefined)
}

/** A new file whose place and disk space are reserved. */
export interface Reserved {
  fill(text: string): Promise<void>
  /** Releases the reservation; call it in every case. */
  release(): Promise<void>
}

/** The path of a new file for a text that is then renamed: hidden, so that no fleet reads it after a kill. */
export function temporaryFileIn(folder: string): string {
  return join(folder, `.wlanctl-tmp-${randomUUID()}`)
}

/**
 * Writes a temporary file, flushes and renames it; only the owner reads it unless `mode` differs.
 */
export async function writeFileAtomic(
  file: string,
  text: string,
  cwd: string,
  mode = 0o600
): Promise<void> {
  const reserved = await reserve(file, cwd, 0, mode)
  try {
    await reserved.fill(text)
  } finally {
    await reserved.release()
  }
}

/** Reserves `bytes` for a later write. Throws a `Failure` if the folder is read-only or the disk is full. */
export async function reserve(
  file: string,
  cwd: string,
  bytes: number,
  mode = 0o600
): Promise<Reserved> {
  await checkTarget(file, cwd)
  const path = resolve(cwd, file)
  const fail = (error: unknown) => {
    throw unwritten(file, error)
  }
  const temporary = temporaryFileIn(dirname(path))
  const release = () => rm(temporary, { force: true })
  const fill = async (text: string) => {
    await put(temporary, text, mode).catch(fail)
    await checkTarget(file, cwd)
    await rename(temporary, path).catch(fail)
  }
  try {
    if (bytes > 0) await put(temporary, '\0'.repeat(bytes), mode)
  } catch (error) {
    await release()
    fail(error)
  }
  return { fill, release }
}

async function put(file: string, text: string, mode: number): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW
  const handle = await open(file, flags, mode)
  try {
    await handle.writeFile(text)
    await handle.truncate(Buffer.byteLength(text))
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * The text without byte order mark. Throws a `Failure` (exit 3) if the file cannot be read, exceeds
 * the limit, or is not regular.
 */
export async function readInput(file: string, cwd: string, limit: FileLimit): Promise<string> {
  const reading = readRegularFile(resolve(cwd, file), { most: limit.bytes })
  if ('bytes' in reading) return withoutByteOrderMark(reading.bytes.toString('utf8'))
  if (reading.problem === 'size') {
    throw wrongInput(`${file}: ${tooLarge(reading.size, limit)}`)
  }
  throw wrongInput(`${file} cannot be read: ${unreadReason(reading)}`)
}

/** The reason why a file was not read, to follow `cannot be read: `. */
export function unreadReason(reading: Exclude<FileReading, { bytes: Buffer }>): string {
  if (reading.problem === 'kind') return `it is ${reading.kind}, not a regular file`
  return reading.problem === 'size' ? 'it is too large' : systemReason(reading.error)
}

/** Why the system did not open a file or a folder, in words for behind `cannot be read: `. */
export function systemReason(error: unknown): string {
  const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT'
  return isAbsent ? 'it does not exist' : reasonOf(error)
}

function unwritten(file: string, error: unknown): Failure {
  return new Failure(exit.failed, `${file} could not be written: ${reasonOf(error)}`)
}

/** No server accepts longer headers, so a longer file is not a token. */
const MAX_TOKEN_FILE_BYTES = 16 * 1024

/**
 * Reads a file with a token that only its owner can read. Links are followed, because mounted
 * secrets are links; the rules apply to their targets. Throws a `Failure` (exit 3) for anything else, whose
 * message never contains text of the file.
 */
export async function readPrivateFile(file: string, what: string, cwd: string): Promise<string> {
  const wrong = (problem: string, hint?: string) => wrongInput(`${what} ${file} ${problem}`, hint)
  const reading = readRegularFile(resolve(cwd, file), { most: MAX_TOKEN_FILE_BYTES })
  if ('bytes' in reading) {
    if ((reading.mode & 0o077) === 0) return reading.bytes.toString('utf8')
    throw wrong('can be read by others', `run: chmod 600 ${quoteForShell(file)}`)
  }
  if (reading.problem === 'size') throw wrong(`is larger than ${MAX_TOKEN_FILE_BYTES / 1024} KiB`)
  throw wrong(
    reading.problem === 'kind'
      ? `is ${reading.kind}, not a regular file`
      : `cannot be read: ${unreadReason(reading)}`
  )
}

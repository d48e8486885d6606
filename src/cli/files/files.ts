import { access, constants, lstat, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { exit, Failure, reasonOf } from '../../model/failure.ts'
import { type FileLimit, tooLarge } from '../../model/file-limits.ts'
import { plural } from '../../model/text.ts'
import { type FileReading, readRegularFile } from '../../secrets/regular-file.ts'
import { quoteForShell } from '../io.ts'
import { removeLeftovers, temporaryBeside } from './leftovers.ts'

/**
 * Throws a `Failure` if a file cannot be written, as far as that can be checked before: for runs that do
 * something first that cannot be undone. Links, and whatever is no regular file, are refused (exit 3).
 */
export async function checkTarget(file: string, cwd: string): Promise<void> {
  await isPresent(file, cwd)
  await checkFolder(file, cwd)
}

/** True for the root of a checkout of Git. */
export function isCheckout(directory: string): Promise<boolean> {
  return access(resolve(directory, '.git')).then(
    () => true,
    () => false
  )
}

/** True for a regular file; throws a `Failure` (exit 3) for whatever else there is. */
export async function isPresent(file: string, cwd: string): Promise<boolean> {
  const present = await lstat(resolve(cwd, file)).catch(() => undefined)
  if (present === undefined || present.isFile()) return present !== undefined
  throw new Failure(
    exit.wrongInput,
    `${file} is ${present.isSymbolicLink() ? 'a link' : 'not a regular file'}, and is not written`,
    'name a file of its own'
  )
}

async function checkFolder(file: string, cwd: string): Promise<void> {
  await access(dirname(resolve(cwd, file)), constants.W_OK).catch(error => {
    throw unwritten(file, error)
  })
}

/** Throws a `Failure` (exit 3) if there is a file already: for content that cannot be recreated. */
export async function checkAbsent(file: string, cwd: string, hint: string): Promise<void> {
  const present = await lstat(resolve(cwd, file)).catch(() => undefined)
  if (present?.isFile()) throw new Failure(exit.wrongInput, `${file} already exists`, hint)
}

/**
 * Throws a `Failure` if one of the files cannot be written, or (exit 3, unless it is to be replaced) is
 * there already: before the first of them is written.
 */
export async function checkNew(
  files: readonly string[],
  replace: boolean,
  cwd: string
): Promise<void> {
  const byFolder = new Map(files.map(file => [dirname(file), file]))
  for (const file of byFolder.values()) await checkFolder(file, cwd)
  const present: string[] = []
  for (const file of files) if (await isPresent(file, cwd)) present.push(file)
  if (replace) return
  const [first, ...others] = present
  if (first === undefined) return
  const all =
    others.length === 0
      ? `${first} already exists`
      : `${first} and ${plural(others.length, 'other file')} already exist`
  const hint = `\`--force\` replaces ${others.length === 0 ? 'it' : 'them'}`
  throw new Failure(exit.wrongInput, all, hint)
}

/**
 * Makes a folder, of this mode, and those that it is in. Throws a `Failure` if that cannot be. Node's own way to make
 * several at once never ends on a file system (`/proc`) where the parent does not exist.
 */
export async function makeFolder(folder: string, cwd: string, mode?: number): Promise<void> {
  await makeBelow(resolve(cwd, folder), mode).catch(error => {
    throw unwritten(folder, error)
  })
}

async function makeBelow(path: string, mode?: number): Promise<void> {
  if ((await stat(path).catch(() => undefined))?.isDirectory()) return
  if (dirname(path) !== path) await makeBelow(dirname(path))
  await mkdir(path, mode)
}

/** A file that is not there yet, and whose place and space are. */
export interface Reserved {
  /** Makes it the file, with this text: as a whole or not at all. */
  fill(text: string): Promise<void>
  /** Gives up what is still reserved; to be called in every case. */
  release(): Promise<void>
}

/**
 * Writes a file atomically: in a temporary folder next to it, flushed, then renamed, for
 * its owner only unless the mode says otherwise. Refuses what `checkTarget` refuses.
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

/**
 * Reserves `bytes` for a file that is written later. A folder that
 * takes no files and a disk that is full make themselves known here, with a `Failure`.
 */
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
  await removeLeftovers(dirname(path))
  const { folder, file: temporary } = await temporaryBeside(dirname(path)).catch(fail)
  const release = () => rm(folder, { recursive: true, force: true })
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

/** Lays a text over what a file of ours holds, so that space it has is not given up first. */
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
 * The text of a file that the user names, within the limit of the largest kind of file it may be. Throws a
 * `Failure` (exit 3) if it cannot be read, is over that limit, or is not a regular file.
 */
export async function readInput(
  file: string,
  cwd: string,
  ...limits: readonly [FileLimit, ...FileLimit[]]
): Promise<string> {
  const limit = limits.reduce((a, b) => (b.bytes > a.bytes ? b : a))
  const reading = readRegularFile(resolve(cwd, file), { most: limit.bytes })
  if ('bytes' in reading) return reading.bytes.toString('utf8')
  if (reading.problem === 'size') {
    throw new Failure(exit.wrongInput, `${file}: ${tooLarge(reading.size, limit)}`)
  }
  throw new Failure(exit.wrongInput, `${file} cannot be read: ${unreadReason(reading)}`)
}

/** Why a file was not read, in words for behind `cannot be read: `. */
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

/** No server takes longer headers; a longer file is another one. */
const MOST_BYTES = 16 * 1024

/**
 * Reads a file that only its owner can read: with a token, or with a session. Links are followed,
 * as those who mount secrets make them; the rules are for what is behind them. Throws a `Failure`
 * (exit 3) for anything else, whose message never contains text of the file.
 */
export async function readPrivateFile(file: string, what: string, cwd: string): Promise<string> {
  const wrong = (problem: string, hint?: string) =>
    new Failure(exit.wrongInput, `${what} ${file} ${problem}`, hint)
  const reading = readRegularFile(resolve(cwd, file), { most: MOST_BYTES })
  if ('bytes' in reading) {
    if ((reading.mode & 0o077) === 0) return reading.bytes.toString('utf8')
    throw wrong('can be read by others', `run: chmod 600 ${quoteForShell(file)}`)
  }
  if (reading.problem === 'size') throw wrong(`is larger than ${MOST_BYTES / 1024} KiB`)
  throw wrong(
    reading.problem === 'kind'
      ? `is ${reading.kind}, not a regular file`
      : `cannot be read: ${unreadReason(reading)}`
  )
}

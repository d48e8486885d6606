import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs'
import { isAbsolute, relative, sep } from 'node:path'

export type FileReading = { readonly bytes: Buffer; readonly mode: number } | Unreadable

export type Unreadable =
  /** Not a regular file; `kind` names it, such as `a pipe`. */
  | { readonly problem: 'kind'; readonly kind: string }
  /** Larger than the limit; `size` is in bytes. */
  | { readonly problem: 'size'; readonly size: number }
  | { readonly problem: 'system'; readonly error: unknown }

interface ReadOptions {
  /** The limit in bytes. A file that is larger, or grows beyond the limit during the read, is rejected. */
  readonly most: number
  /** False to refuse a path that is a symbolic link. */
  readonly links?: boolean
}

/** Bytes per read. */
const CHUNK = 1024 * 1024

/**
 * Reads a regular file. It never blocks on other files, such as a pipe without a writer, an endless device or
 * a terminal. All files that users or fleets name are read by this function.
 */
export function readRegularFile(path: string, { most, links = true }: ReadOptions): FileReading {
  let handle: number | undefined
  try {
    // Opening a device can have side effects, so the kind is checked before the file is opened, and again
    // afterwards.
    const kind = kindOf(statSync(path))
    if (kind !== undefined) return { problem: 'kind', kind }
    const { O_RDONLY, O_NONBLOCK, O_NOCTTY, O_NOFOLLOW } = constants
    handle = openSync(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | (links ? 0 : O_NOFOLLOW))
    const stat = fstatSync(handle)
    const opened = kindOf(stat)
    if (opened !== undefined) return { problem: 'kind', kind: opened }
    if (stat.size > most) return { problem: 'size', size: stat.size }
    const bytes = readUpTo(handle, most + 1, stat.size)
    if (bytes.length > most) return { problem: 'size', size: bytes.length }
    return { bytes, mode: stat.mode }
  } catch (error) {
    return { problem: 'system', error }
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}

/** The kind of a file that is not regular; undefined for a regular one. */
export function kindOf(stat: Stats): string | undefined {
  if (stat.isFile()) return undefined
  if (stat.isDirectory()) return 'a directory'
  if (stat.isFIFO()) return 'a pipe'
  if (stat.isSocket()) return 'a socket'
  if (stat.isSymbolicLink()) return 'a link'
  return 'a device'
}

/** True if a path is a folder or in it; both are real paths, because a link may lead out. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** Reads to the end or to the limit: files of `/proc` report a size of 0, and other files may grow. */
function readUpTo(handle: number, most: number, size: number): Buffer {
  let bytes = Buffer.allocUnsafe(Math.min(most, size + 1))
  let length = 0
  while (length < most) {
    if (length === bytes.length) {
      bytes = Buffer.concat([bytes], Math.min(most, Math.max(CHUNK, 2 * length)))
    }
    const read = readSync(handle, bytes, length, bytes.length - length, null)
    if (read === 0) break
    length += read
  }
  return bytes.subarray(0, length)
}

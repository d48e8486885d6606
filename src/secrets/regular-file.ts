import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs'

/** What a file holds, or why it cannot be said. */
export type FileReading =
  | { readonly bytes: Buffer; readonly mode: number }
  /** `kind`, such as `a pipe`, is what it is instead of a regular file. */
  | { readonly problem: 'kind'; readonly kind: string }
  /** It is larger than it may be; of so many bytes. */
  | { readonly problem: 'size'; readonly size: number }
  | { readonly problem: 'system'; readonly error: unknown }

interface ReadOptions {
  /** Bytes; a file that holds more, or grows beyond it while it is read, is not read. */
  readonly most: number
  /** False where the path itself may be no link. */
  readonly links?: boolean
}

/** Bytes that are read at once. */
const CHUNK = 1024 * 1024

/**
 * Reads a regular file, and never waits for anything else: a pipe whose other end nobody opens, a device
 * that never ends, a terminal. Every file that a user or a fleet names is read by this.
 */
export function readRegularFile(path: string, { most, links = true }: ReadOptions): FileReading {
  let handle: number | undefined
  try {
    // Opening a device can have an effect of its own: its kind is looked at before, and again behind.
    const kind = kindOf(statSync(path))
    if (kind !== undefined) return { problem: 'kind', kind }
    const { O_RDONLY, O_NONBLOCK, O_NOCTTY, O_NOFOLLOW } = constants
    handle = openSync(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | (links ? 0 : O_NOFOLLOW))
    const stat = fstatSync(handle)
    const opened = kindOf(stat)
    if (opened !== undefined) return { problem: 'kind', kind: opened }
    if (stat.size > most) return { problem: 'size', size: stat.size }
    const bytes = readUpTo(handle, most + 1)
    if (bytes.length > most) return { problem: 'size', size: bytes.length }
    return { bytes, mode: stat.mode }
  } catch (error) {
    return { problem: 'system', error }
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}

/** What something is instead of a regular file; undefined for one. */
export function kindOf(stat: Stats): string | undefined {
  if (stat.isFile()) return undefined
  if (stat.isDirectory()) return 'a directory'
  if (stat.isFIFO()) return 'a pipe'
  if (stat.isSocket()) return 'a socket'
  if (stat.isSymbolicLink()) return 'a link'
  return 'a device'
}

/** Files of `/proc` say that they hold nothing, and others grow: what is read decides. */
function readUpTo(handle: number, most: number): Buffer {
  const parts: Buffer[] = []
  let length = 0
  while (length < most) {
    const part = Buffer.allocUnsafe(Math.min(CHUNK, most - length))
    const read = readSync(handle, part, 0, part.length, null)
    if (read === 0) break
    parts.push(part.subarray(0, read))
    length += read
  }
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)
}

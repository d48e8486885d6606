import { isUtf8 } from 'node:buffer'
import { realpathSync } from 'node:fs'
import { isAbsolute, join, relative, sep } from 'node:path'
import { readRegularFile } from './regular-file.ts'
import type { Reading } from './source.ts'

/** Bytes of a secret file; more is no secret. */
const MAX_BYTES = 64 * 1024

/** The secret in a file below the secrets directory, without one newline at its end. */
export function readSecretFile(name: string, directory: string | undefined): Reading {
  const invalid = fileNameProblem(name)
  if (invalid !== undefined) return { invalid }
  if (directory === undefined) return { missing: 'the run names no secrets directory' }
  const path = realPath(join(directory, name))
  if (path === undefined) return { missing: 'the file is not there' }
  if (!isInside(path, realPath(directory) ?? directory)) {
    return { invalid: 'the file is a link that leads out of the secrets directory' }
  }
  return contentOf(path)
}

/** Says why a name may not be read; undefined if it may. */
export function fileNameProblem(name: string): string | undefined {
  if (name === '' || name.includes('\0')) return 'this is no file name'
  if (isAbsolute(name) || name.includes('\\') || /^[A-Za-z]:/.test(name)) {
    return 'the file must be named relative to the secrets directory'
  }
  const dotted = name.split('/').some(part => part === '..' || part === '.' || part === '')
  return dotted ? 'the file must be named without `.`, `..` and empty parts' : undefined
}

function contentOf(path: string): Reading {
  const reading = readRegularFile(path, { most: MAX_BYTES, links: false })
  if ('bytes' in reading) return secretIn(reading.bytes)
  if (reading.problem === 'size') return { invalid: 'the file is larger than 64 KiB' }
  if (reading.problem === 'system') return { missing: 'the file cannot be read' }
  return { invalid: `this is ${reading.kind}, not a regular file` }
}

function secretIn(bytes: Buffer): Reading {
  if (!isUtf8(bytes)) return { invalid: 'the file is not UTF-8' }
  const value = bytes.toString('utf8').replace(/\r?\n$/, '')
  return value === '' ? { missing: 'the file is empty' } : { value }
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

function isInside(path: string, directory: string): boolean {
  const way = relative(directory, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

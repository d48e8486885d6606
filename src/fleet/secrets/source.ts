import { isUtf8 } from 'node:buffer'
import { realpathSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { runDefaults } from '../../core/model/defaults.ts'
import { getOrInsert } from '../../core/values/collections.ts'
import type { Environment } from '../../core/values/environment.ts'
import { Secret } from '../../core/values/secret.ts'
import { isInside, readRegularFile } from './regular-file.ts'
import { envNameProblem } from './variable-names.ts'

export type DeclaredReference = { readonly $env: string } | { readonly $file: string }

/**
 * The result of resolving a reference.
 *
 * | status       | meaning                                                                   |
 * |--------------|---------------------------------------------------------------------------|
 * | `resolved`   | the value of the secret is known                                          |
 * | `unresolved` | the variable is not set, or the file does not exist                       |
 * | `untried`    | this run reads no secrets                                                 |
 * | `invalid`    | the reference is not allowed                                              |
 */
type Resolution =
  | { readonly status: 'resolved' | 'untried'; readonly secret: Secret }
  | { readonly status: 'unresolved'; readonly secret: Secret; readonly reason: string }
  | { readonly status: 'invalid'; readonly reason: string }

export interface SecretSource {
  /** Applies the same rules without reading secrets, for sites that the run excludes. */
  readonly checking: SecretSource
  /** `start`: the text of the reference before its first site variable, if it has one. */
  resolve(reference: DeclaredReference, start?: string): Resolution
}

export interface SecretOptions {
  readonly secretsDir?: string
  readonly secretPrefix: string
  readonly secretsFile?: string
}

export interface SecretLocations {
  readonly env: Environment
  /** The required prefix of variable names, so that a fleet cannot read other secrets of the job. */
  readonly prefix: string
  /** The directory of `$file` references; undefined if the run has none. */
  readonly directory?: string | undefined
  /** The secrets by the names of their variables, for those that the environment lacks. */
  readonly fromFile?: ReadonlyMap<string, Secret> | undefined
}

/** Reads each name once: from the environment, then from the secrets file, and from the secrets directory. */
export function secretSource(options: SecretLocations): SecretSource {
  const known = new Map<string, Resolution>()
  return checkedSource(options.prefix, reference => {
    const name = JSON.stringify(reference)
    return getOrInsert(known, name, () => resolveReference(reference, options))
  })
}

/** Checks references without reading secrets, for commands such as `validate`. */
export function referencesOnly(prefix: string = runDefaults.secretPrefix): SecretSource {
  return checkedSource(prefix, reference => {
    return { status: 'untried', secret: new Secret(reference, undefined) }
  })
}

function checkedSource(
  prefix: string,
  resolve: (reference: DeclaredReference) => Resolution
): SecretSource {
  return {
    get checking() {
      return referencesOnly(prefix)
    },
    resolve(reference, start) {
      const reason =
        '$file' in reference
          ? fileNameProblem(reference.$file)
          : envNameProblem(reference.$env, prefix, start)
      return reason === undefined ? resolve(reference) : { status: 'invalid', reason }
    }
  }
}

function resolveReference(reference: DeclaredReference, options: SecretLocations): Resolution {
  if ('$file' in reference) {
    return resolutionOf(reference, readSecretFile(reference.$file, options.directory))
  }
  const { env, fromFile } = options
  const name = reference.$env
  const value = Object.hasOwn(env, name) ? env[name] : undefined
  if (value !== undefined && value !== '') return resolutionOf(reference, { value })
  const missing = `the variable is ${value === undefined ? 'not set' : 'empty'}`
  if (fromFile === undefined) return resolutionOf(reference, { missing })
  const secret = fromFile.get(name)
  if (secret?.known) return { status: 'resolved', secret }
  const inFile = `${secret ? 'empty' : 'not'} in the secrets file`
  return resolutionOf(reference, { missing: `${missing}, and ${inFile}` })
}

function resolutionOf(reference: DeclaredReference, reading: Reading): Resolution {
  if ('invalid' in reading) return { status: 'invalid', reason: reading.invalid }
  if ('value' in reading) {
    return { status: 'resolved', secret: new Secret(reference, reading.value) }
  }
  const secret = new Secret(reference, undefined)
  return { status: 'unresolved', secret, reason: reading.missing }
}

/** The result of reading a variable or file. Outside of `secrets/` a value is always a `Secret`. */
type Reading =
  | { readonly value: string }
  | { readonly missing: string }
  | { readonly invalid: string }

export const MAX_SECRET_BYTES = 64 * 1024

/** The secret in a file of the secrets directory, without one trailing newline. */
function readSecretFile(name: string, directory: string | undefined): Reading {
  if (directory === undefined)
    return { missing: 'the run has no secrets directory; set it with `--secrets-dir DIR`' }
  const path = realPath(join(directory, name))
  if (path === undefined) return { missing: 'the file does not exist' }
  if (!isInside(path, realPath(directory) ?? directory)) {
    return { invalid: 'the file is a link that leads out of the secrets directory' }
  }
  return contentOf(path)
}

function fileNameProblem(name: string): string | undefined {
  if (name === '' || name.includes('\0')) return 'invalid file name'
  if (isAbsolute(name) || name.includes('\\') || /^[A-Za-z]:/.test(name)) {
    return 'expected a path relative to the secrets directory'
  }
  const dotted = name.split('/').some(part => part === '..' || part === '.' || part === '')
  return dotted ? 'expected a path without `.`, `..` and empty parts' : undefined
}

/** Puts `_` for all but `A-Za-z0-9_-`: without separator and dot it stays in its directory. */
export function fileNamePart(value: string): string {
  return value.replace(/[^A-Za-z0-9_-]/gu, '_')
}

function contentOf(path: string): Reading {
  const reading = readRegularFile(path, { most: MAX_SECRET_BYTES, links: false })
  if ('bytes' in reading) return secretIn(reading.bytes)
  if (reading.problem === 'size') return { invalid: 'the file is larger than 64 KiB' }
  if (reading.problem === 'system') return { missing: 'the file cannot be read' }
  return { invalid: `expected a regular file, got ${reading.kind}` }
}

function secretIn(bytes: Buffer): Reading {
  if (!isUtf8(bytes)) return { invalid: 'the file is not valid UTF-8' }
  const text = bytes.toString('utf8')
  if (text.startsWith('\uFEFF')) return { invalid: 'the file starts with a byte order mark' }
  const value = text.replace(/\r?\n$/, '')
  return value === '' ? { missing: 'the file is empty' } : { value }
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

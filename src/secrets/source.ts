import { Secret } from '../model/secret.ts'
import {
  type EnvOptions,
  envNameProblem,
  fileNameProblem,
  type Reading,
  readEnv,
  readSecretFile
} from './references.ts'

/** The secret references that a fleet may contain. */
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
export type Resolution =
  | { readonly status: 'resolved' | 'untried'; readonly secret: Secret }
  | { readonly status: 'unresolved'; readonly secret: Secret; readonly reason: string }
  | { readonly status: 'invalid'; readonly reason: string }

/** Resolves the secret references of a run. */
export interface SecretSource {
  /** Applies the same rules without reading secrets, for sites that the run excludes. */
  readonly checking: SecretSource
  /** `start`: the text of the reference before its first site variable, if it has one. */
  resolve(reference: DeclaredReference, start?: string): Resolution
  /**
   * Gets the values of these variables if the environment lacks them, in one call before the first `resolve`.
   * Rejects with a `Failure`. Absent if the environment is the only source.
   */
  readonly fetch?: (names: readonly string[]) => Promise<void>
}

/** The sources of secrets; never set by a file of the fleet. */
export interface SecretOptions {
  readonly secretsDir?: string
  readonly secretPrefix: string
  /** The command that returns the values of variables, as words. */
  readonly secretsCommand?: readonly [program: string, ...args: string[]]
}

/** The default prefix of secret variables. */
export const DEFAULT_PREFIX = 'WLAN_SECRET_'

export interface SecretLocations extends EnvOptions {
  /** The directory of `$file` references; undefined if the run has none. */
  readonly directory?: string | undefined
  /** Returns the values that it knows for variables that the environment lacks. */
  readonly ask?: (names: readonly string[]) => Promise<ReadonlyMap<string, string>>
}

/**
 * Reads secrets from the environment, then from `ask`, and from the secrets directory. Each name is read
 * once.
 */
export function secretSource(options: SecretLocations): SecretSource {
  const { prefix, ask } = options
  const known = new Map<string, Resolution>()
  return {
    checking: referencesOnly(prefix),
    ...(ask && {
      async fetch(names) {
        const missing = names.filter(name => 'missing' in readEnv(name, options))
        const answers = missing.length === 0 ? new Map() : await ask(missing)
        for (const name of missing) {
          const reference = { $env: name }
          const resolution = resolutionOf(reference, readAnswer(answers.get(name)))
          known.set(JSON.stringify(reference), resolution)
        }
      }
    }),
    resolve(reference, start) {
      const reason = problemOf(reference, start, prefix)
      if (reason !== undefined) return { status: 'invalid', reason }
      const name = JSON.stringify(reference)
      const resolution = known.get(name) ?? resolveReference(reference, options)
      known.set(name, resolution)
      return resolution
    }
  }
}

/** Checks references without reading secrets, for commands such as `validate`. */
export function referencesOnly(prefix = DEFAULT_PREFIX): SecretSource {
  return {
    get checking() {
      return this
    },
    resolve(reference, start) {
      const reason = problemOf(reference, start, prefix)
      if (reason !== undefined) return { status: 'invalid', reason }
      return { status: 'untried', secret: new Secret(reference, undefined) }
    }
  }
}

/** The reason why a reference is not allowed; undefined if it is. */
function problemOf(
  reference: DeclaredReference,
  start: string | undefined,
  prefix: string
): string | undefined {
  if ('$file' in reference) return fileNameProblem(reference.$file)
  return envNameProblem(reference.$env, prefix, start)
}

function resolveReference(reference: DeclaredReference, options: SecretLocations): Resolution {
  const reading =
    '$env' in reference
      ? readEnv(reference.$env, options)
      : readSecretFile(reference.$file, options.directory)
  return resolutionOf(reference, reading)
}

/** Converts a value from the secrets command; undefined means that it has none either. */
function readAnswer(value: string | undefined): Reading {
  if (value) return { value }
  const answered = value === undefined ? 'no value' : 'an empty value'
  return { missing: `the variable is not set, and the secrets command has ${answered}` }
}

function resolutionOf(reference: DeclaredReference, reading: Reading): Resolution {
  if ('invalid' in reading) return { status: 'invalid', reason: reading.invalid }
  if ('value' in reading) {
    return { status: 'resolved', secret: new Secret(reference, reading.value) }
  }
  const secret = new Secret(reference, undefined)
  return { status: 'unresolved', secret, reason: reading.missing }
}

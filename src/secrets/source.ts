import { Secret } from '../model/secret.ts'
import { type EnvOptions, envNameProblem, readEnv } from './env.ts'
import { fileNameProblem, readSecretFile } from './file.ts'

/** The references that a fleet may hold. */
export type DeclaredReference = { readonly $env: string } | { readonly $file: string }

/**
 * What became of a reference.
 *
 * | status       | meaning                                                                   |
 * |--------------|---------------------------------------------------------------------------|
 * | `resolved`   | the secret is at hand                                                     |
 * | `unresolved` | the variable is not set, or the file is not there                         |
 * | `untried`    | this run reads no secrets                                                 |
 * | `invalid`    | the reference may not be followed, whatever is behind it                  |
 */
export type Resolution =
  | { readonly status: 'resolved' | 'untried'; readonly secret: Secret }
  | { readonly status: 'unresolved'; readonly secret: Secret; readonly reason: string }
  | { readonly status: 'invalid'; readonly reason: string }

/** Where the secrets of a run come from. */
export interface SecretSource {
  /** The same rules for references, and nothing read: for what a run leaves out. */
  readonly checking: SecretSource
  resolve(reference: DeclaredReference): Resolution
}

/** What reading one name gave; the value does not leave this room but in a `Secret`. */
export type Reading =
  | { readonly value: string }
  | { readonly missing: string }
  | { readonly invalid: string }

/** The prefix that the names of secret variables have to have, unless the run says otherwise. */
export const DEFAULT_PREFIX = 'WLAN_SECRET_'

export interface SecretOptions extends EnvOptions {
  /** Where `$file` looks; undefined where the run names no directory. */
  readonly directory?: string | undefined
}

/** Reads secrets from the environment and the secrets directory, each name once. */
export function secretSource(options: SecretOptions): SecretSource {
  const known = new Map<string, Resolution>()
  return {
    checking: referencesOnly(options.prefix),
    resolve(reference) {
      const name = JSON.stringify(reference)
      const resolution = known.get(name) ?? follow(reference, options)
      known.set(name, resolution)
      return resolution
    }
  }
}

/** Reads no secret, and checks the references: for runs that have none, such as `validate`. */
export function referencesOnly(prefix = DEFAULT_PREFIX): SecretSource {
  return {
    get checking() {
      return this
    },
    resolve(reference) {
      const reason =
        '$env' in reference
          ? envNameProblem(reference.$env, prefix)
          : fileNameProblem(reference.$file)
      if (reason !== undefined) return { status: 'invalid', reason }
      return { status: 'untried', secret: new Secret(reference, undefined) }
    }
  }
}

function follow(reference: DeclaredReference, options: SecretOptions): Resolution {
  const reading =
    '$env' in reference
      ? readEnv(reference.$env, options)
      : readSecretFile(reference.$file, options.directory)
  if ('invalid' in reading) return { status: 'invalid', reason: reading.invalid }
  if ('value' in reading) {
    return { status: 'resolved', secret: new Secret(reference, reading.value) }
  }
  const secret = new Secret(reference, undefined)
  return { status: 'unresolved', secret, reason: reading.missing }
}

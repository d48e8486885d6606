import type { Reading } from './source.ts'

export interface EnvOptions {
  /** The environment of the run. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** What the names must begin with, so that a fleet cannot read other secrets of the job. */
  readonly prefix: string
}

/** The secret in an environment variable. An empty variable counts as unset. */
export function readEnv(name: string, { env, prefix }: EnvOptions): Reading {
  const invalid = envNameProblem(name, prefix)
  if (invalid !== undefined) return { invalid }
  const value = Object.hasOwn(env, name) ? env[name] : undefined
  if (value === undefined) return { missing: 'the variable is not set' }
  return value === '' ? { missing: 'the variable is empty' } : { value }
}

/** Says why a name may not be read; undefined if it may. */
export function envNameProblem(name: string, prefix: string): string | undefined {
  if (!name.startsWith(prefix) || name === prefix) {
    return `the name of the variable must begin with ${prefix}`
  }
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return undefined
  return 'the name of a variable has only letters, digits and underscores'
}

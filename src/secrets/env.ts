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
  const problem = prefixProblem(prefix)
  if (problem !== undefined) return problem
  // On Windows the names of variables are the same in any case.
  if (/^WLANCTL_/i.test(name)) return OWN_VARIABLES
  if (!name.startsWith(prefix) || name === prefix) {
    return `the name of the variable must begin with ${prefix}`
  }
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return undefined
  return 'the name of a variable has only letters, digits and underscores'
}

/** Says why no secret may be read with this prefix; undefined if some may. */
export function prefixProblem(prefix: string): string | undefined {
  if (prefix === '') {
    return 'an empty prefix would let a fleet read every variable, the API token included'
  }
  return /^WLANCTL_/i.test(prefix) ? OWN_VARIABLES : undefined
}

const OWN_VARIABLES =
  "variables that begin with WLANCTL_ are wlanctl's own: the API token is one of them"

/**
 * The reason why a variable must not be read; undefined if it may be read. `start` is the part of the name
 * before its first site variable: it must contain the prefix, so that no site variable can supply it.
 */
export function envNameProblem(name: string, prefix: string, start = name): string | undefined {
  const problem = prefixProblem(prefix)
  if (problem !== undefined) return problem
  // On Windows, names of variables are case-insensitive.
  if (/^WLANCTL_/i.test(name)) return OWN_VARIABLES
  if (!name.startsWith(prefix) || name === prefix) {
    return `expected a variable name that starts with ${prefix} (--secret-prefix)`
  }
  if (!start.startsWith(prefix)) {
    return `expected ${prefix} before the first site variable of the name`
  }
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return undefined
  return 'expected a variable name of letters, digits and underscores'
}

/** A site variable as a part of `$env`: upper case, with `_` for all characters except `A-Z0-9_`. */
export function envNamePart(value: string): string {
  return value.toUpperCase().replace(/[^A-Z0-9_]/gu, '_')
}

/** The reason why a prefix is not allowed; undefined if it is. */
export function prefixProblem(prefix: string): string | undefined {
  if (prefix === '') {
    return 'an empty prefix would let a fleet read every variable, the API token included'
  }
  return /^WLANCTL_/i.test(prefix) ? OWN_VARIABLES : undefined
}

const OWN_VARIABLES =
  'variables that start with WLANCTL_ are reserved for wlanctl: one of them is the API token'

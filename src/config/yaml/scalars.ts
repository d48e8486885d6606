import { isScalar, type ParsedNode } from 'yaml'

/** Keys that would reach into the prototype of an object. */
const FORBIDDEN: ReadonlySet<unknown> = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * What is wrong with a key; undefined if nothing is.
 *
 * A number may be a key if it is written as it is read (`24`, not `0x18` or `1e2`): some of the
 * service's objects have numbers as names, such as bands and VLANs.
 */
export function keyProblem(value: unknown, key: ParsedNode) {
  if (typeof value === 'number') {
    const written = isScalar(key) ? key.source : undefined
    return written === undefined || written === String(value) ? undefined : 'KEY_NOT_TEXT'
  }
  if (typeof value !== 'string') return 'KEY_NOT_TEXT'
  if (value === '<<') return 'YAML_MERGE_KEY'
  return FORBIDDEN.has(value) ? 'KEY_FORBIDDEN' : undefined
}

/** What a number loses when it is read; undefined if nothing. `written` is as it is in the file. */
export function numberProblem(value: number, written: string) {
  if (!Number.isFinite(value)) return 'NUMBER_TOO_LARGE'
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return 'NUMBER_TOO_LARGE'
  return hasLeadingZero(written) ? 'NUMBER_LEADING_ZERO' : undefined
}

/** True for `012`, which other readers take for octal; not for `0`, `0.5`, `0x1F` and `0o17`. */
function hasLeadingZero(written: string): boolean {
  const start = written.startsWith('-') || written.startsWith('+') ? 1 : 0
  if (written[start] !== '0') return false
  const next = written[start + 1]
  return next !== undefined && next >= '0' && next <= '9'
}

/** Keys that would reach into the prototype of an object. */
const FORBIDDEN: ReadonlySet<unknown> = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * What is wrong with a key; undefined if nothing is.
 *
 * A number may be a key if it is written as it is read (`24`, not `0x18` or `1e2`): some of the
 * service's objects have numbers as names, such as bands and VLANs.
 */
export function keyProblem(value: unknown, written: string | undefined) {
  if (typeof value === 'number') {
    return written === undefined || written === String(value) ? undefined : 'KEY_NOT_TEXT'
  }
  if (typeof value !== 'string') return 'KEY_NOT_TEXT'
  if (value === '<<') return 'YAML_MERGE_KEY'
  return FORBIDDEN.has(value) ? 'KEY_FORBIDDEN' : undefined
}

/** With these begins what may be something other than a text. */
const MAYBE_NOT_TEXT = new Set([...'~nNtTfF+-.0123456789'].map(first => first.charCodeAt(0)))

/** All that the core schema takes for something else; the empty text does not come here. */
const NOT_TEXT =
  /^(?:~|[Nn]ull|NULL|[Tt]rue|TRUE|[Ff]alse|FALSE|0o[0-7]+|0x[0-9a-fA-F]+|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)|[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)$/

/** Numbers as people write them, and none that loses anything. */
const NUMBER = /^-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,9})?$/

/**
 * What a text without quotes stands for, in one line and in the core schema; undefined where that takes
 * more than a look.
 */
export function plainScalar(text: string): string | number | boolean | null | undefined {
  if (!MAYBE_NOT_TEXT.has(text.charCodeAt(0))) return text
  switch (text) {
    case 'true':
      return true
    case 'false':
      return false
    case 'null':
      return null
  }
  if (NUMBER.test(text)) return Number(text) || 0
  return NOT_TEXT.test(text) ? undefined : text
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

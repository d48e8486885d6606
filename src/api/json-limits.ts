import { invalidContent, invalidResponse } from './error.ts'

/** What JSON makes of one answer takes far more room than its bytes: so many values at most. */
export const MOST_VALUES = 500_000

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Decodes JSON in UTF-8. Throws a `Fault` if it is none, or holds more values than `MOST_VALUES`; the
 * parser's own message would quote the answer.
 */
export function parseJson(bytes: Uint8Array | undefined): unknown {
  // A value takes two bytes at least: nearly every answer is too short to hold too many.
  const mayBeTooMany = bytes !== undefined && bytes.length > 2 * MOST_VALUES
  if (mayBeTooMany && countValues(bytes) > MOST_VALUES) {
    throw invalidContent(`more than ${MOST_VALUES} values`)
  }
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    throw invalidResponse('not valid JSON in UTF-8')
  }
}

const [QUOTE, BACKSLASH, COMMA, LIST, OBJECT] = Buffer.from('"\\,[{')

/** How many values JSON holds: its lists, its objects, and what commas separate in them. */
export function countValues(bytes: Uint8Array): number {
  let count = 1
  let inString = false
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === QUOTE) inString = !inString
    else if (!inString) count += byte === COMMA || byte === LIST || byte === OBJECT ? 1 : 0
    else if (byte === BACKSLASH) at += 1
  }
  return count
}

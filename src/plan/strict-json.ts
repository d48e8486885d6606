/** How much a text of JSON holds, as far as its signs tell; of a text that is none it is a bound, too. */
export interface JsonSize {
  /** Members and elements, lists and objects once more, and the whole itself. */
  readonly values: number
  /** Keys of objects, however often each is there. */
  readonly keys: number
  /** Different beginnings of objects by their keys, up to one more than `MOST_SHAPES`. */
  readonly shapes: number
  /** Keys of the object that has the most. */
  readonly width: number
  /** How deep lists and objects are nested. */
  readonly depth: number
}

/** V8 keeps a hidden class for each beginning: a million of them take 1.5 s and 200 MB. */
export const MOST_SHAPES = 100_000

/** Below this depth nothing is told apart: such a text is refused for its depth. */
const SHAPED = 256

/** Of the objects that are open, by depth: the keys so far. Each begins anew with its object. */
const shapeAt = new Int32Array(SHAPED)
const keysAt = new Int32Array(SHAPED)

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a

/** Chosen anew in each run, so that no file can hold many shapes that count as one. */
const FACTOR = 1 + 2 * Math.floor(Math.random() * 2 ** 30)

/** Measures a text in one pass, before anything is made of it. */
export function sizeOfJson(text: string): JsonSize {
  let [commas, opened, keys, open, depth, width, hash] = [0, 0, 0, 0, 0, 0, 0]
  const shapes = new Set<number>()
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      hash = 0
      for (at += 1; at < text.length; at++) {
        const inner = text.charCodeAt(at)
        if (inner === QUOTE) break
        if (inner === BACKSLASH) at += 1
        hash = Math.imul(hash ^ inner, FACTOR) ^ (hash >>> 15)
      }
    } else if (code === COMMA) commas += 1
    else if (code === COLON) {
      keys += 1
      const shape = Math.imul((shapeAt[open % SHAPED] ?? 0) ^ hash, FACTOR)
      shapeAt[open % SHAPED] = shape
      const wide = (keysAt[open % SHAPED] ?? 0) + 1
      keysAt[open % SHAPED] = wide
      if (wide > width) width = wide
      if (shapes.size <= MOST_SHAPES) shapes.add(shape)
    }
    // `[` and `{`, `]` and `}` differ in one bit.
    else if ((code | 0x20) === 0x7b) {
      opened += 1
      open += 1
      shapeAt[open % SHAPED] = 0
      keysAt[open % SHAPED] = 0
      if (open > depth) depth = open
    } else if ((code | 0x20) === 0x7d) open -= 1
  }
  return { values: 1 + opened + commas, keys, shapes: shapes.size, width, depth }
}

/**
 * The value of a JSON text, or undefined if it is none. Unlike `JSON.parse` it takes neither a text in
 * which an object has the same key twice, in which two readers could see two different plans, nor a
 * number beyond those of JavaScript, which is written as `null`. The text must not be deep: measure it.
 */
export function parseStrictJson(text: string, size: JsonSize = sizeOfJson(text)): unknown {
  try {
    const value: unknown = JSON.parse(text)
    // A key that is there twice is in the text, and not in the value.
    return keysIn(value) === size.keys ? value : undefined
  } catch {
    return undefined
  }
}

/** The keys of all objects in a value; NaN where a number is not finite. */
function keysIn(value: unknown): number {
  if (typeof value === 'number') return Number.isFinite(value) ? 0 : Number.NaN
  if (typeof value !== 'object' || value === null) return 0
  const members = Object.values(value)
  let keys = Array.isArray(value) ? 0 : members.length
  for (const member of members) keys += keysIn(member)
  return keys
}

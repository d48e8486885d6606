/** A string, a sign of the structure, or anything between them. */
const LEXEME = /"(?:[^"\\]|\\.)*"|[{}[\],]|[^"{}[\],]+/g

/**
 * The value of a JSON text, or undefined if it is none. Unlike `JSON.parse` it does not take a text
 * in which an object has the same key twice: two readers could see two different plans in it.
 */
export function parseStrictJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return hasKeyTwice(text) ? undefined : value
  } catch {
    return undefined
  }
}

/** Walks a text that is known to be JSON. */
function hasKeyTwice(text: string): boolean {
  const open: (Set<string> | undefined)[] = []
  let expectsKey = false
  for (const [lexeme] of text.matchAll(LEXEME)) {
    if (lexeme === '{' || lexeme === '[') {
      open.push(lexeme === '{' ? new Set() : undefined)
      expectsKey = lexeme === '{'
    } else if (lexeme === '}' || lexeme === ']') {
      open.pop()
      expectsKey = false
    } else if (lexeme === ',') {
      expectsKey = open.at(-1) !== undefined
    } else if (expectsKey && lexeme.startsWith('"')) {
      const keys = open.at(-1)
      const key: string = JSON.parse(lexeme)
      if (keys?.has(key)) return true
      keys?.add(key)
      expectsKey = false
    }
  }
  return false
}

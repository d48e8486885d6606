/** Members and items of an error that are read; a service that means well needs fewer. */
const WIDTH = 20
const DEPTH = 4

/**
 * What an error body says, in one piece, or undefined if it says nothing. Errors are not promised
 * any form, so this reads whatever comes.
 *
 * | body                                  | read as                   |
 * |---------------------------------------|---------------------------|
 * | `{"detail": "no such thing"}`         | `no such thing`           |
 * | `{"vlan_id": ["too large", "odd"]}`   | `vlan_id: too large; odd` |
 * | `["first", "second"]`                 | `first; second`           |
 * | a page of HTML                        | `an HTML page, "<title>"` |
 * | any other text                        | itself                    |
 */
export function detailOf(text: string): string | undefined {
  const said = isHtml(text) ? page(text) : (fromJson(text) ?? text)
  return said.trim() === '' ? undefined : said
}

/** The text on one line and in at most `bytes` bytes of UTF-8. */
export function inShort(text: string, bytes = 1024): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const encoded = new TextEncoder().encode(line)
  if (encoded.length <= bytes) return line
  const ellipsis = '…'
  // In stream mode the decoder keeps back a character that the cut went through.
  const start = new TextDecoder().decode(encoded.subarray(0, bytes - 3), { stream: true })
  return start + ellipsis
}

function isHtml(text: string): boolean {
  return /^\s*</.test(text)
}

function page(html: string): string {
  const title = /<title[^<>]{0,200}>([^<]{1,500})<\/title/i.exec(html.slice(0, 10_000))?.[1]
  return title === undefined ? 'an HTML page' : `an HTML page, "${title.trim()}"`
}

function fromJson(text: string): string | undefined {
  try {
    return wordsOf(JSON.parse(text), DEPTH)
  } catch {
    return undefined
  }
}

function wordsOf(json: unknown, depth: number): string {
  if (json === null) return ''
  if (typeof json !== 'object') return String(json)
  if (depth === 0) return '…'
  if (Array.isArray(json)) return joined(json.slice(0, WIDTH).map(item => wordsOf(item, depth - 1)))
  const members = Object.entries(json)
  const detail = members.find(([name]) => name === 'detail')?.[1]
  if (detail !== undefined) return wordsOf(detail, depth - 1)
  return joined(
    members.slice(0, WIDTH).map(([name, inner]) => `${name}: ${wordsOf(inner, depth - 1)}`)
  )
}

function joined(parts: readonly string[]): string {
  return parts.filter(part => part !== '').join('; ')
}

/** Of what two texts share before their first difference, so many characters are shown. */
const CONTEXT = 30

/**
 * Two texts, each in at most `longest` characters and two `…`, cut so that their first difference shows.
 * Different texts stay different.
 */
export function excerpts(a: string, b: string, longest: number): readonly [string, string] {
  if (a.length <= longest && b.length <= longest) return [a, b]
  let same = 0
  while (same < a.length && a[same] === b[same]) same += 1
  const from = Math.max(0, same - Math.min(CONTEXT, longest >> 1))
  return [excerpt(a, from, longest), excerpt(b, from, longest)]
}

/** A part of a text that splits no character; `…` stands for what is left out. */
function excerpt(text: string, from: number, longest: number): string {
  const to = from + longest
  const part = text.slice(from, to).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '')
  return `${from > 0 ? '…' : ''}${part}${to < text.length ? '…' : ''}`
}

/** Of what texts share before their first difference, so many characters are shown. */
const CONTEXT = 30

/** A value takes at most about so many characters in a report; what is cut shows its first difference. */
export const LONGEST_VALUE = 180

/**
 * Texts, each cut to about `longest` characters so that its first difference from the others shows.
 * Different texts stay different: those that look alike so far show their next difference, too.
 */
export function excerpts(texts: readonly string[], longest: number): string[] {
  if (texts.every(({ length }) => length <= longest)) return [...texts]
  const from = Math.max(0, sharedBy(texts) - Math.min(CONTEXT, longest >> 1))
  const cut = texts.map(text => excerpt(text, from, longest))
  return cut.map((shown, at) => {
    const alike = texts.filter((text, other) => cut[other] === shown && text !== texts[at])
    if (alike.length === 0) return shown
    const rests = [texts[at] ?? '', ...alike].map(text => text.slice(from + longest))
    return shown + excerpts(rests, longest)[0]
  })
}

/**
 * The parts of two values, each cut to about `longest` characters so that it shows where it begins to
 * differ from the part of the other value that is most like it.
 */
export function partExcerpts(
  gone: readonly string[],
  come: readonly string[],
  longest: number
): { readonly gone: string[]; readonly come: string[] } {
  const others = new Set(come)
  const sorted = [...new Set([...gone, ...come])].sort()
  const shares = new Map<string, number>(sorted.map(text => [text, 0]))
  for (const order of [sorted, sorted.toReversed()]) {
    const last: [string, string] = ['', '']
    for (const text of order) {
      const side = others.has(text) ? 1 : 0
      const shared = sharedBy([text, last[1 - side] ?? ''])
      shares.set(text, Math.max(shared, shares.get(text) ?? 0))
      last[side] = text
    }
  }
  const shown = (text: string) =>
    text.length <= longest
      ? text
      : excerpt(text, Math.max(0, (shares.get(text) ?? 0) - CONTEXT), longest)
  const seen = new Set(gone.map(shown))
  // Where two parts look the same all the same, they are shown whole.
  const before = new Set(gone)
  const hidden = new Set(
    come
      .filter(text => !before.has(text))
      .map(shown)
      .filter(text => seen.has(text))
  )
  const told = (text: string) => (hidden.has(shown(text)) ? text : shown(text))
  return { gone: gone.map(told), come: come.map(told) }
}

/** The length of the beginning that all texts share. */
function sharedBy([first = '', ...others]: readonly string[]): number {
  let same = first.length
  for (const other of others) {
    let at = 0
    while (at < same && at < other.length && first[at] === other[at]) at += 1
    same = at
  }
  return others.length === 0 ? 0 : same
}

/** A part of a text that splits no character; `…` stands for what is left out. */
function excerpt(text: string, from: number, longest: number): string {
  const to = from + longest
  const part = text.slice(from, to).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '')
  return `${from > 0 ? '…' : ''}${part}${to < text.length ? '…' : ''}`
}

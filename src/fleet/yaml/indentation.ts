/** A line that is indented wrongly, and how far the lines that it may belong to are indented. */
export interface BadIndent {
  /** The offset of its first character that is not a space. */
  readonly offset: number
  readonly spaces: number
  /** One or two places in ascending order; lines start at 1. */
  readonly wanted: readonly { readonly spaces: number; readonly line: number }[]
}

interface Line {
  readonly start: number
  readonly spaces: number
  readonly isItem: boolean
  /** It ends in the colon of a key, so that deeper lines may follow. */
  readonly isParent: boolean
  /** The column of the first key of an item. */
  readonly keyAt?: number | undefined
  /** Counted from 1. */
  readonly line: number
}

/**
 * The line to edit where a parser found that the line at `offset` does not fit to those above; undefined if no line
 * above can be its neighbor. A neighbor above is wrong if no other line of the file is indented like it, and other
 * lines are indented like the one at `offset`.
 */
export function badIndentOf(text: string, offset: number): BadIndent | undefined {
  const lines = linesOf(text)
  const found = lines.findLast(({ start }) => start <= offset)
  if (found === undefined) return undefined
  const levels = levelsAbove(lines, found)
  const wanted = nearest(levels, found.spaces)
  const count = (of: Line) => lines.filter(({ spaces }) => spaces === of.spaces).length
  const odd = wanted.find(
    level =>
      level.keyAt === undefined &&
      count(level) === 1 &&
      !(level.isParent && level.spaces < found.spaces)
  )
  if (odd !== undefined && count(found) > 1) return badIndent(odd, [found])
  return wanted.length === 0 ? undefined : badIndent(found, wanted)
}

function badIndent({ start, spaces }: Line, wanted: readonly Line[]): BadIndent {
  return {
    offset: start + spaces,
    spaces,
    wanted: wanted.map(each => ({ spaces: each.spaces, line: each.line }))
  }
}

/** The lines with content. */
function linesOf(text: string): Line[] {
  const lines: Line[] = []
  let start = 0
  for (const [index, content] of text.split('\n').entries()) {
    const spaces = content.search(/[^ ]/)
    const isContent = spaces !== -1 && content[spaces] !== '#' && content[spaces] !== '\r'
    const dash = /^ *-( +(?=[^ #-])|\r?$)/.exec(content)
    const keyAt = dash?.[1]?.startsWith(' ') ? dash[0].length : undefined
    const isItem = dash !== null
    const isParent = content.trimEnd().endsWith(':')
    if (isContent) lines.push({ start, spaces, isItem, isParent, keyAt, line: index + 1 })
    start += content.length + 1
  }
  return lines
}

/** The last line at each level of the keys, or of the items, that enclose or precede a line, from the outermost. */
function levelsAbove(lines: readonly Line[], below: Line): Line[] {
  const levels: Line[] = []
  for (const line of lines) {
    if (line.start >= below.start) break
    while ((levels.at(-1)?.spaces ?? -1) >= line.spaces) levels.pop()
    levels.push(line)
    if (line.keyAt !== undefined) levels.push({ ...line, isItem: false, spaces: line.keyAt })
  }
  return levels.filter(({ isItem }) => isItem === below.isItem)
}

/** The levels next to a number of spaces, at most one to either side. */
function nearest(levels: readonly Line[], spaces: number): Line[] {
  const [less, more] = [
    levels.findLast(level => level.spaces < spaces),
    levels.find(level => level.spaces > spaces)
  ]
  return [less, more].filter(level => level !== undefined)
}

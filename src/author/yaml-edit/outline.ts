import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  type ParsedNode,
  parseDocument,
  type YAMLMap,
  type YAMLSeq
} from 'yaml'

export interface TextRange {
  /** Null for a key without a value, also without a colon. */
  readonly node: ParsedNode | null
  /** The pair of a map member; undefined for an item of a list. */
  readonly pair: Pair<ParsedNode, ParsedNode | null> | undefined
  /** The offsets of the value's text, without anchor and comments. */
  readonly start: number
  readonly end: number
  readonly column: number
  /** True inside a flow collection (`{}`, `[]`). */
  readonly inFlow: boolean
}

export interface Outline {
  readonly text: string
  /** Undefined for an empty file. */
  readonly root: TextRange | undefined
  /** The value of the key that begins at the offset. */
  ofKey(offset: number): TextRange | undefined
  /** The value that begins at the offset; never an alias. */
  ofValue(offset: number): TextRange | undefined
}

/** Finds the positions of the values in a text that parses without errors. */
export function parseOutline(text: string): Outline {
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    keepSourceTokens: true,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent'
  })
  const keys = new Map<number, TextRange>()
  const values = new Map<number, TextRange>()
  const visit = (range: TextRange) => {
    const { node, pair } = range
    if (pair !== undefined) keys.set(pair.key.range[0], range)
    if (node !== null && !isAlias(node)) values.set(node.range[0], range)
    for (const child of childRanges(text, range)) visit(child)
  }
  const root =
    document.contents === null ? undefined : textRange(document.contents, undefined, 0, false)
  if (root !== undefined) visit(root)
  return { text, root, ofKey: offset => keys.get(offset), ofValue: offset => values.get(offset) }
}

/** The values of a map's keys, or the items of a list. */
export function childRanges(text: string, { node, inFlow }: TextRange): TextRange[] {
  if (isMap(node)) {
    return pairsOf(node).map(pair => {
      const column = columnOf(text, pair.key.range[0])
      return textRange(pair.value, pair, column, inFlow || isFlow(node))
    })
  }
  if (!isSeq(node)) return []
  const column = columnOf(text, node.range[0])
  return itemsOf(node).map(item => textRange(item, undefined, column, inFlow || isFlow(node)))
}

/** The value of a key of the map at a range; undefined if there is none. */
export function memberRange(
  { ofKey }: Outline,
  { node }: TextRange,
  name: string
): TextRange | undefined {
  const pair = isMap(node) ? pairsOf(node).find(({ key }) => keyName(key) === name) : undefined
  return pair && ofKey(pair.key.range[0])
}

export function rootMember(outline: Outline, name: string): TextRange | undefined {
  return outline.root && memberRange(outline, outline.root, name)
}

/** The column of the dashes of a list with a line for each item; undefined for another value. */
export function itemColumn(text: string, { node }: TextRange): number | undefined {
  if (!isSeq(node) || isFlow(node) || node.items.length === 0) return undefined
  return columnOf(text, node.range[0])
}

/** True for a map; false for an alias of one. */
export function isMapRange({ node }: TextRange): boolean {
  return isMap(node)
}

/** The text of a key; numbers in their JSON form. */
export function keyName(key: ParsedNode): string {
  return isScalar(key) ? String(key.value) : ''
}

export function isFlow(node: YAMLMap.Parsed | YAMLSeq.Parsed): boolean {
  return node.flow === true
}

/** The items of a list; the composer puts no pairs among them. */
export function itemsOf(list: YAMLSeq.Parsed): ParsedNode[] {
  return list.items as ParsedNode[]
}

export function pairsOf(map: YAMLMap.Parsed): Pair<ParsedNode, ParsedNode | null>[] {
  return map.items
}

function textRange(
  node: ParsedNode | null,
  pair: TextRange['pair'],
  column: number,
  inFlow: boolean
): TextRange {
  const [start, end] = node?.range ?? [pair?.key.range[1] ?? 0, pair?.key.range[1] ?? 0]
  return { node, pair, start, end, column, inFlow }
}

/** The line ending of a text, taken from its first line. */
export function lineEndOf(text: string): '\n' | '\r\n' {
  const first = text.indexOf('\n')
  return first > 0 && text[first - 1] === '\r' ? '\r\n' : '\n'
}

/** The end of the line at an offset, before its line break. */
export function endOfLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset)
  if (end === -1) return text.length
  return end > offset && text[end - 1] === '\r' ? end - 1 : end
}

export function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf('\n', offset - 1) + 1)
}

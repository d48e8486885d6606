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

/** Where a value stands in the text of a file, whatever it is and however it is written. */
export interface TextRange {
  /** Null for a key without anything behind it, not even a colon. */
  readonly node: ParsedNode | null
  /** The pair that it is the value of; undefined for an item of a list. */
  readonly pair: Pair<ParsedNode, ParsedNode | null> | undefined
  /** Where the text of the value begins and ends, without anchor and comments. */
  readonly start: number
  readonly end: number
  /** The column of the keys, or of the dashes, that it stands beside. */
  readonly column: number
  /** In braces or brackets, where commas part what line breaks part elsewhere. */
  readonly inFlow: boolean
}

/** The text of a file, and where everything in it stands. */
export interface Outline {
  readonly text: string
  /** The value of the key that begins at the offset. */
  ofKey(offset: number): TextRange | undefined
  /** The value that begins at the offset; never an alias. */
  ofValue(offset: number): TextRange | undefined
}

/** Looks up where the values stand in a text that has been read without complaint. */
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
  const visit = (spot: TextRange) => {
    const { node, pair } = spot
    if (pair !== undefined) keys.set(pair.key.range[0], spot)
    if (node !== null && !isAlias(node)) values.set(node.range[0], spot)
    for (const below of childRanges(text, spot)) visit(below)
  }
  if (document.contents !== null) visit(rootRange(document.contents))
  return { text, ofKey: offset => keys.get(offset), ofValue: offset => values.get(offset) }
}

/** The values of a map's keys, or the items of a list. */
export function childRanges(text: string, { node, inFlow }: TextRange): TextRange[] {
  if (isMap(node)) return pairsOf(node).map(pair => pairRange(text, pair, inFlow || isFlow(node)))
  if (!isSeq(node)) return []
  const column = columnOf(text, node.range[0])
  return itemsOf(node).map(item => textRange(item, undefined, column, inFlow || isFlow(node)))
}

/** The value of a key of the map at a spot; undefined if there is none. */
export function memberRange(
  { ofKey }: Outline,
  { node }: TextRange,
  name: string
): TextRange | undefined {
  const pair = isMap(node) ? pairsOf(node).find(({ key }) => keyName(key) === name) : undefined
  return pair && ofKey(pair.key.range[0])
}

/** True where a map is written, and not an alias of one. */
export function isMapRange({ node }: TextRange): boolean {
  return isMap(node)
}

/** The name that a key is, numbers as they read. */
export function keyName(key: ParsedNode): string {
  return isScalar(key) ? String(key.value) : ''
}

/** True for what stands in braces or brackets. */
export function isFlow(node: YAMLMap.Parsed | YAMLSeq.Parsed): boolean {
  return node.flow === true
}

/** The items of a list, as the composer makes them: without pairs among them. */
export function itemsOf(list: YAMLSeq.Parsed): ParsedNode[] {
  return list.items as ParsedNode[]
}

export function pairsOf(map: YAMLMap.Parsed): Pair<ParsedNode, ParsedNode | null>[] {
  return map.items
}

function rootRange(node: ParsedNode): TextRange {
  return textRange(node, undefined, 0, false)
}

function pairRange(
  text: string,
  pair: Pair<ParsedNode, ParsedNode | null>,
  inFlow: boolean
): TextRange {
  return textRange(pair.value, pair, columnOf(text, pair.key.range[0]), inFlow)
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

/** How the lines of a text end; as most editors would end the next one. */
export function lineEndOf(text: string): '\n' | '\r\n' {
  const first = text.indexOf('\n')
  return first > 0 && text[first - 1] === '\r' ? '\r\n' : '\n'
}

/** The end of the line that an offset is in, before its line break. */
export function endOfLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset)
  if (end === -1) return text.length
  return end > offset && text[end - 1] === '\r' ? end - 1 : end
}

/** Characters between the beginning of the line and the offset. */
export function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf('\n', offset - 1) + 1)
}

import { isMap, type YAMLMap } from 'yaml'
import type { TextEdit } from '../model/text.ts'
import type { ValueObject } from '../model/value.ts'
import { columnOf, endOfLine, lineEndOf } from './lines.ts'
import { isFlow, type Outline, pairsOf, type TextRange } from './outline.ts'
import { inline, mapLines } from './write.ts'

/** The edit that adds members to a map, behind the last one there is. Throws where there is no map. */
export function inserted(outline: Outline, { node }: TextRange, members: ValueObject): TextEdit {
  if (!isMap(node)) throw new Error('members can be added to a map only')
  return isFlow(node) ? insertedInline(node, members) : insertedLines(outline.text, node, members)
}

function insertedInline(map: YAMLMap.Parsed, members: ValueObject): TextEdit {
  const last = pairsOf(map).at(-1)
  if (last === undefined) {
    const [start, end] = map.range
    return { start, end, text: inline(members) }
  }
  const end = (last.value ?? last.key).range[1]
  const written = inline(members).replace(/^\{ | \}$/g, '')
  return { start: end, end, text: `, ${written}` }
}

function insertedLines(text: string, map: YAMLMap.Parsed, members: ValueObject): TextEdit {
  const eol = lineEndOf(text)
  const pairs = pairsOf(map)
  const lines = mapLines(members, columnOf(text, pairs[0]?.key.range[0] ?? map.range[0]))
  const last = pairs.at(-1)
  const end = (last?.value ?? last?.key)?.range[1] ?? map.range[1]
  // What is written in lines ends behind its last break.
  if (text[end - 1] === '\n')
    return { start: end, end, text: lines.map(line => line + eol).join('') }
  const behind = endOfLine(text, end)
  return { start: behind, end: behind, text: lines.map(line => eol + line).join('') }
}

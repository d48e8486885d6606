import { isMap, type YAMLMap } from 'yaml'
import type { Edit } from '../../model/edit.ts'
import type { ValueObject } from '../../model/value.ts'
import { inline, mapLines } from '../write.ts'
import { isFlow, type Outline, pairsOf, type Spot } from './outline.ts'
import { columnOf, endOfLine, lineEndOf } from './text.ts'

/** The edit that adds members to a map, behind the last one there is. Throws where there is no map. */
export function inserted(outline: Outline, { node }: Spot, members: ValueObject): Edit {
  if (!isMap(node)) throw new Error('members can be added to a map only')
  return isFlow(node) ? insertedInline(node, members) : insertedLines(outline.text, node, members)
}

function insertedInline(map: YAMLMap.Parsed, members: ValueObject): Edit {
  const last = pairsOf(map).at(-1)
  if (last === undefined) {
    const [start, end] = map.range
    return { start, end, text: inline(members) }
  }
  const end = (last.value ?? last.key).range[1]
  const written = inline(members).replace(/^\{ | \}$/g, '')
  return { start: end, end, text: `, ${written}` }
}

function insertedLines(text: string, map: YAMLMap.Parsed, members: ValueObject): Edit {
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

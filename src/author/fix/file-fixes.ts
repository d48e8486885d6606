import type { Finding, FindingCode, Location } from '../../core/model/finding.ts'
import type { TextEdit } from '../../core/values/text.ts'
import type { Node, SourceFile } from '../../fleet/yaml/tree.ts'
import { parseOutline } from '../yaml-edit/outline.ts'
import { removeRanges } from '../yaml-edit/remove.ts'

/** The findings about an item of a list without any effect, which `fix` removes. */
export const removableCodes: ReadonlySet<string> = new Set<FindingCode>([
  'PERIOD_ENDED',
  'UNSET_UNDECLARED'
])

/** The item of a list that a finding says to remove; undefined for one that may be misspelled. */
export function removableItem(
  { code, place, hint = '' }: Finding,
  sources: readonly SourceFile[]
): Node | undefined {
  if (!removableCodes.has(code) || place === undefined || hint.startsWith('did you mean')) return
  const source = sources.find(({ file, inFleet }) => place.file === file || place.file === inFleet)
  return source?.root && itemAt(source.root, place)
}

function itemAt(node: Node, at: Location): Node | undefined {
  if (node.kind === 'scalar') return undefined
  const isThere = ({ source, offset }: Node) => {
    const { line, column } = source.place(offset)
    return line === at.line && column === at.column
  }
  const below =
    node.kind === 'list' ? node.items : [...node.entries.values()].map(each => each.value)
  const found = node.kind === 'list' ? node.items.find(isThere) : undefined
  if (found !== undefined) return found
  for (const inner of below) {
    const item = itemAt(inner, at)
    if (item !== undefined) return item
  }
  return undefined
}

/** The edits that remove an item, with the list if it becomes empty. */
export function removalOf({ source, offset }: Node): readonly TextEdit[] {
  const outline = parseOutline(source.text)
  const range = outline.ofValue(offset)
  return range === undefined
    ? []
    : removeRanges(outline, { removed: [range], staying: [], filled: [] })
}

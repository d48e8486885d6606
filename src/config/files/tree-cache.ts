import type { MapNode, Node } from '../yaml/tree.ts'
import type { Source } from './source.ts'

/** Characters of the files whose trees are held. */
const MAX_CHARACTERS = 2 * 1024 * 1024

/**
 * A cache of parsed trees. Key: the file (`Source`). Bound: the trees of the first 2 MiB of text, or, in a
 * larger fleet, one tree; a file outside it is parsed again when its tree is read. Without it, a plan of
 * 10,000 sites with ten WLANs each takes more than the 350 MB that it may.
 */
export class TreeCache {
  #held: Source[] = []
  #characters = 0
  #last: Source | undefined

  add(source: Source): void {
    this.#held.push(source)
    this.#characters += source.text.length
    if (this.#characters <= MAX_CHARACTERS) return
    for (const held of this.#held) held.release(read => this.#holdLast(read))
    this.#held = []
  }

  #holdLast(source: Source): void {
    if (this.#last !== source) this.#last?.release(read => this.#holdLast(read))
    this.#last = source
  }
}

/** What a node takes that the library made, beside one of plain YAML: its tokens are garbage for a while. */
const LIBRARY = 3

/** The nodes of a file that stay in memory, as its tree does or as what other files may refer to. */
export function nodesKept({ root, isPlain }: Source, isReadAgain: boolean): number {
  if (root === undefined) return 0
  if (!isPlain) return LIBRARY * nodesIn(root)
  if (!isReadAgain || root.kind !== 'map') return nodesIn(root)
  const kept = ['site', 'sites', 'profiles', 'policy'].flatMap(
    key => root.entries.get(key)?.value ?? []
  )
  return kept.reduce((sum, node) => sum + nodesIn(node), 0)
}

function nodesIn(node: Node): number {
  if (node.kind === 'scalar') return 1
  if (node.kind === 'list') return node.items.reduce((sum, item) => sum + nodesIn(item), 1)
  return nodesInMap(node)
}

function nodesInMap({ entries }: MapNode): number {
  let sum = 1
  for (const { value } of entries.values()) sum += 1 + nodesIn(value)
  return sum
}

/** True for a file with the declaration of one site, whose tree holds little that other files refer to. */
export function declaresOneSite({ root }: Source): boolean {
  return root?.kind === 'map' && root.entries.has('site') && !root.entries.has('sites')
}

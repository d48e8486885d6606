import type { MapNode, Node } from '../yaml/tree.ts'
import type { Source } from './source.ts'

/** The trees of files that can be read again: they are held up to a size, and then one at a time. */
export class HeldTrees {
  readonly #most: number
  #held: Source[] = []
  #length = 0
  #last: Source | undefined

  /** `most` is in characters of the files. */
  constructor(most: number) {
    this.#most = most
  }

  add(source: Source): void {
    this.#held.push(source)
    this.#length += source.text.length
    if (this.#length <= this.#most) return
    for (const one of this.#held) one.release(read => this.#follow(read))
    this.#held = []
  }

  #follow(source: Source): void {
    if (this.#last !== source) this.#last?.release(read => this.#follow(read))
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

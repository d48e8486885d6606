import type { CST } from 'yaml'

type Collection = CST.BlockMap | CST.BlockSequence | CST.FlowCollection

/** A collection that is being read, and how many of its items are compact. */
interface Open {
  readonly collection: Collection
  done: number
}

/**
 * Makes tokens small as soon as they are complete. The parser builds them of arrays with room for more,
 * and of objects whose members it deletes again, which the engine keeps as tables: of 200,000 lists in
 * a list the tokens alone would take 200 MB.
 */
export class Compactor {
  /** By their places on the parser's stack. */
  readonly #open: (Open | undefined)[] = []

  /** To be called after every lexeme. All items of a collection but the last are complete. */
  see(stack: readonly CST.Token[]): void {
    const collection = stack.at(-1)
    if (collection === undefined || !('items' in collection)) return
    let open = this.#open[stack.length]
    if (open?.collection !== collection) {
      open = { collection, done: 0 }
      this.#open[stack.length] = open
    }
    for (; open.done < collection.items.length - 1; open.done += 1) compact(collection, open.done)
  }
}

function compact(collection: Collection, index: number): void {
  const item = collection.items[index]
  if (item === undefined) return
  item.start = item.start.slice()
  if (item.sep) item.sep = item.sep.slice()
  for (const token of [item.key, item.value]) {
    if (!token) continue
    if ('items' in token) compact(token, token.items.length - 1)
    if ('end' in token && token.end) token.end = token.end.slice()
  }
  if (collection.type === 'flow-collection') collection.items[index] = settled(collection, item)
  else if (collection.type === 'block-seq' && item.value) {
    collection.items[index] = { start: item.start, value: item.value }
  }
}

/**
 * What stands alone in a list in brackets is a key for the parser, as long as a colon may follow, and
 * becomes a value when the list ends: by deleting members. Here it becomes one before.
 */
function settled(list: CST.FlowCollection, item: CST.CollectionItem): CST.CollectionItem {
  const { start, key, sep, value } = item
  const isValue = list.start.type === 'flow-seq-start' && key && sep?.length === 0 && !value
  if (!isValue || start.some(({ type }) => type === 'explicit-key-ind')) return item
  return { start, value: key }
}

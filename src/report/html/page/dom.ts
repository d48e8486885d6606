import { escapeInside } from '../../escape.ts'
import { attributesOf, type Tree } from '../tree.ts'

const SVG = 'http://www.w3.org/2000/svg'

/** Attributes that people read or hear. */
const READ: ReadonlySet<string> = new Set(['aria-label', 'title', 'placeholder'])

/** Builds a piece of the page. Text becomes text, whatever it holds, and is shown escaped. */
export function build(tree: Tree, within = ''): Node {
  if (typeof tree === 'string') return document.createTextNode(escapeInside(tree))
  const space = tree.tag === 'svg' ? SVG : within
  const made =
    space === '' ? document.createElement(tree.tag) : document.createElementNS(space, tree.tag)
  for (const [name, value] of attributesOf(tree))
    made.setAttribute(name, READ.has(name) ? escapeInside(value) : value)
  for (const child of tree.children) made.append(build(child, space))
  return made
}

/**
 * Puts these in the place of what an element holds. Whatever had the focus in it keeps it, if it is
 * still there.
 */
export function fill(element: Element, ...trees: readonly Tree[]): void {
  const mark = markOf(element)
  element.replaceChildren(...trees.map(tree => build(tree)))
  if (mark !== undefined) focusAt(mark)
}

/** An element by what it is about (`data-key`), within another: the first such, the second … */
export interface Mark {
  readonly within: Element
  readonly key: string
  readonly nth: number
}

/** Where the focus is; undefined if it is elsewhere. */
export function markOf(within: Element): Mark | undefined {
  const held = document.activeElement
  if (!(held instanceof HTMLElement) || !within.contains(held)) return undefined
  const { key } = held.dataset
  return key === undefined ? undefined : { within, key, nth: keyed(within, key).indexOf(held) }
}

/** Puts the focus there, as long as there is something. */
export function focusAt({ within, key, nth }: Mark): void {
  const all = keyed(within, key)
  const found = all[nth] ?? all[0]
  found?.focus({ preventScroll: true })
}

function keyed(within: Element, key: string): HTMLElement[] {
  const all = [...within.querySelectorAll<HTMLElement>('[data-key]')]
  return all.filter(each => each.dataset['key'] === key)
}

/** The element of the page with this id. */
export function part<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`the page has no part ${id}`)
  return found as T
}

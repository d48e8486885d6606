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
 * still there by its `data-key`.
 */
export function fill(element: Element, ...trees: readonly Tree[]): void {
  const held = document.activeElement
  const key = held !== null && element.contains(held) ? held.getAttribute('data-key') : null
  element.replaceChildren(...trees.map(tree => build(tree)))
  if (key === null) return
  for (const each of element.querySelectorAll<HTMLElement>('[data-key]')) {
    if (each.dataset['key'] === key) each.focus({ preventScroll: true })
  }
}

/** The element of the page with this id. */
export function part<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`the page has no part ${id}`)
  return found as T
}

import { escapeInside } from '../../escape.ts'
import { attributesOf, type Child, flatten, type VNode } from '../vdom.ts'

const SVG = 'http://www.w3.org/2000/svg'

/** Attributes whose text is displayed or read aloud. */
const VISIBLE: ReadonlySet<string> = new Set(['aria-label', 'title', 'placeholder'])

/** Creates the DOM node for a virtual node. Text always becomes a text node, so it is escaped. */
function createNode(node: VNode, parentNamespace = ''): Node {
  if (typeof node === 'string') return document.createTextNode(escapeInside(node))
  const namespace = node.tag === 'svg' ? SVG : parentNamespace
  const element =
    namespace === ''
      ? document.createElement(node.tag)
      : document.createElementNS(namespace, node.tag)
  for (const [name, value] of attributesOf(node))
    element.setAttribute(name, VISIBLE.has(name) ? escapeInside(value) : value)
  for (const child of node.children) element.append(createNode(child, namespace))
  return element
}

/** Replaces the content of an element. The focused element keeps the focus if the new content contains it. */
export function replaceContent(element: Element, ...children: readonly Child[]): void {
  const target = focusTargetIn(element)
  const content = document.createDocumentFragment()
  for (const node of flatten(children)) content.append(createNode(node))
  element.replaceChildren(content)
  if (target !== undefined) restoreFocus(target)
}

/** An element by its `data-key` and its index among the elements with that key. */
export interface FocusTarget {
  readonly within: Element
  readonly key: string
  readonly index: number
}

/** The focused element, if it is inside another element and has a key. */
export function focusTargetIn(within: Element): FocusTarget | undefined {
  const focused = document.activeElement
  if (!(focused instanceof HTMLElement) || !within.contains(focused)) return undefined
  const { key } = focused.dataset
  if (key === undefined) return undefined
  return { within, key, index: elementsByKey(within, key).indexOf(focused) }
}

/** Restores the focus; focuses the first element with its key if there are fewer now. */
export function restoreFocus({ within, key, index }: FocusTarget): void {
  const all = elementsByKey(within, key)
  const found = all[index] ?? all[0]
  found?.focus({ preventScroll: true })
}

function elementsByKey(within: Element, key: string): HTMLElement[] {
  const all = [...within.querySelectorAll<HTMLElement>('[data-key]')]
  return all.filter(each => each.dataset['key'] === key)
}

/** Throws if the page has no element with this id. */
export function elementById<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`no element with the id ${id}`)
  return found as T
}

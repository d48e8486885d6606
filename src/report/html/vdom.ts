import { escapeMarkup } from '../escape.ts'

/**
 * A virtual node of the page: text, or an element. The program renders it as HTML (`renderToString`), and the
 * script of the page creates DOM nodes from it (`page/dom.ts`); both escape its texts, which may be
 * untrusted.
 */
export type VNode = string | VElement

export interface VElement {
  readonly tag: string
  /** `undefined` and `false` omit an attribute; `true` sets one without a value. */
  readonly attributes: Attributes
  readonly children: readonly VNode[]
}

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

/** A child for `h`: `false` and `undefined` add nothing, lists add their elements. */
export type Child = VNode | false | undefined | readonly Child[]

/** Creates an element. Pass long lists as one child: a spread of 100,000 arguments overflows the stack. */
export function h(
  tag: string,
  attributes: Attributes = {},
  ...children: readonly Child[]
): VElement {
  return { tag, attributes, children: flatten(children) }
}

/** The nodes in a list of children, in order. */
export function flatten(children: readonly Child[], into: VNode[] = []): VNode[] {
  for (const child of children) {
    if (child === false || child === undefined) continue
    if (typeof child === 'string' || 'tag' in child) into.push(child)
    else flatten(child, into)
  }
  return into
}

/** The attributes that are set, with their values as strings. */
export function attributesOf({ attributes }: VElement): readonly (readonly [string, string])[] {
  return Object.entries(attributes).flatMap(([name, value]) =>
    value === undefined || value === false
      ? []
      : [[name, value === true ? '' : String(value)] as const]
  )
}

/** Elements without content and end tag (HTML, section 13.1.2). */
const VOID: ReadonlySet<string> = new Set(['br', 'input', 'meta'])

/** A node as HTML, on one line. */
export function renderToString(node: VNode): string {
  if (typeof node === 'string') return escapeMarkup(node)
  const { tag, children } = node
  const attributes = attributesOf(node).map(([name, value]) => ` ${name}="${escapeMarkup(value)}"`)
  const start = `<${tag}${attributes.join('')}>`
  return VOID.has(tag) ? start : `${start}${children.map(renderToString).join('')}</${tag}>`
}

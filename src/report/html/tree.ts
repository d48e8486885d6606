import { escapeMarkup } from '../escape.ts'

/**
 * A piece of a page: text, or an element with its attributes. Plain data, so that the same piece can be
 * written as HTML by the program (`markup`) and be built by the page itself (`page/dom.ts`). Text in it
 * may be from outside; whoever shows the tree escapes it.
 */
export type Tree = string | Element

export interface Element {
  readonly tag: string
  /** An attribute that is `undefined` or `false` is not there; one that is `true` has no value. */
  readonly attributes: Attributes
  readonly children: readonly Tree[]
}

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

export function h(tag: string, attributes: Attributes = {}, ...children: readonly Tree[]): Element {
  return { tag, attributes, children }
}

/** The attributes that are there, with their values as text. */
export function attributesOf({ attributes }: Element): readonly (readonly [string, string])[] {
  return Object.entries(attributes).flatMap(([name, value]) =>
    value === undefined || value === false
      ? []
      : [[name, value === true ? '' : String(value)] as const]
  )
}

/** Elements that have no content, nor an end tag (HTML, section 13.1.2). */
const VOID: ReadonlySet<string> = new Set(['br', 'input', 'meta'])

/** A piece of a page as HTML, on one line. */
export function markup(tree: Tree): string {
  if (typeof tree === 'string') return escapeMarkup(tree)
  const { tag, children } = tree
  const attributes = attributesOf(tree).map(([name, value]) => ` ${name}="${escapeMarkup(value)}"`)
  const open = `<${tag}${attributes.join('')}>`
  return VOID.has(tag) ? open : `${open}${children.map(markup).join('')}</${tag}>`
}

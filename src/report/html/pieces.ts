import { glyph } from './glyph.ts'
import { type CellStatus, lookOf } from './status.ts'
import { type Element, h, type Tree } from './tree.ts'

/** The shape of a status, small enough to stand in a line of text. The words beside it say the same. */
export function icon(status: CellStatus): Element {
  const { fill, stroke } = glyph(lookOf(status).shape, 2, 1, 8, 10)
  return h(
    'svg',
    { class: `icon s-${status}`, viewBox: '0 0 12 12', 'aria-hidden': 'true' },
    ...(fill === '' ? [] : [h('path', { class: 'fill', d: fill })]),
    ...(stroke === '' ? [] : [h('path', { class: 'stroke', d: stroke })])
  )
}

/** A status in its colour, its shape and its word. */
export function badge(status: CellStatus): Element {
  return h('span', { class: `badge s-${status}` }, icon(status), lookOf(status).label)
}

/** The fragment that opens a site, or one of its WLANs; the page's script keeps the filters with it. */
export function opening(site: string, wlan = ''): string {
  return `#${new URLSearchParams({ site, ...(wlan === '' ? {} : { wlan }) })}`
}

/** A link that opens something beside the map. */
export function open(site: string, wlan: string, ...children: readonly Tree[]): Element {
  const href = opening(site, wlan)
  return h('a', { href, 'data-key': href }, ...children)
}

/** A table that may be wider than the screen, and is scrolled then. */
export function table(
  caption: string,
  columns: readonly string[],
  rows: readonly (readonly Tree[])[]
): Element {
  const body = rows.map(([first = '', ...cells]) =>
    h('tr', {}, h('th', { scope: 'row' }, first), ...cells.map(cell => h('td', {}, cell)))
  )
  const head = columns.map(name => h('th', { scope: 'col' }, name))
  return h(
    'table',
    {},
    h('caption', {}, caption),
    h('thead', {}, h('tr', {}, ...head)),
    h('tbody', {}, ...body)
  )
}

/** Inline code. */
export function code(text: string): Element {
  return h('code', {}, text)
}

/** A part of the page under its heading. */
export function titled(id: string, title: string, ...children: readonly Tree[]): Element {
  const heading = h('h2', { id: `${id}-title` }, title)
  return h('section', { id, 'aria-labelledby': `${id}-title` }, heading, ...children)
}

/** Room for a table that may be wider than the window, and is scrolled then, by the keyboard, too. */
export function wide(id: string, label: string, ...children: readonly Tree[]): Element {
  return h(
    'div',
    { id, class: 'wide', tabindex: 0, role: 'region', 'aria-label': label },
    ...children
  )
}

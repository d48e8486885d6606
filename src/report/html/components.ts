import { plural } from '../../core/values/text.ts'
import { dangerTexts } from '../danger.ts'
import { type CellStatus, type GlyphShape, type Issue, statusInfo } from './cell-status.ts'
import type { View } from './page-data.ts'
import { type Child, h, type VElement } from './vdom.ts'

/** A status as a small icon. The text next to it has the same meaning, so screen readers skip it. */
export function statusIcon(status: CellStatus): VElement {
  const { fill, stroke } = glyph(statusInfo(status).shape, 2, 1, 8, 10)
  return h(
    'svg',
    { class: `icon s-${status}`, viewBox: '0 0 12 12', 'aria-hidden': 'true' },
    fill !== '' && h('path', { class: 'fill', d: fill }),
    stroke !== '' && h('path', { class: 'stroke', d: stroke })
  )
}

/** A status with its colour, icon and label. */
export function statusBadge(status: CellStatus): VElement {
  return h('span', { class: `badge s-${status}` }, statusIcon(status), statusInfo(status).label)
}

/** The danger of a live WLAN in words; without one, its status. */
export function stateBadge({ danger, status }: Pick<Issue, 'danger' | 'status'>): VElement {
  return danger === undefined
    ? statusBadge(status)
    : h('span', { class: 'less' }, dangerTexts[danger])
}

/** SVG path data, which a canvas can draw too: one path to fill, one to stroke; `''` for none. */
export interface Glyph {
  readonly fill: string
  readonly stroke: string
}

/**
 * Draws a shape into a box. The height of a bar shows severity, so that a row of bars reads like a chart;
 * alarms are exclamation marks, pending states are hollow, unknown ones are crossed out.
 */
export function glyph(shape: GlyphShape, x: number, y: number, w: number, height: number): Glyph {
  const bar = (from: number, to: number) => ({
    fill: rectangle(x, y + from * height, w, (to - from) * height),
    stroke: ''
  })
  switch (shape) {
    case 'low':
      return bar(0.8, 1)
    case 'third':
      return bar(0.62, 1)
    case 'half':
      return bar(0.38, 1)
    case 'full':
      return bar(0, 1)
    case 'alarm':
      return { fill: bar(0, 0.62).fill + bar(0.78, 1).fill, stroke: '' }
    case 'dot':
      return bar(0.38, 0.62)
    case 'hollow':
      return { fill: '', stroke: outline(x, y, w, height) }
    case 'slit':
      return { fill: '', stroke: outline(x, y + 0.5 * height, w, 0.5 * height) }
    case 'cross':
      return {
        fill: '',
        stroke: `M${x} ${y}L${x + w} ${y + height}M${x + w} ${y}L${x} ${y + height}`
      }
  }
}

/** Strokes are centred on their path: inset by half a pixel, they stay inside the box. */
function outline(x: number, y: number, w: number, height: number): string {
  return rectangle(x + 0.5, y + 0.5, w - 1, height - 1)
}

function rectangle(x: number, y: number, w: number, height: number): string {
  return `M${x} ${round(y)}h${w}v${round(height)}h${-w}z`
}

function round(n: number): number {
  return Math.round(n * 100) / 100
}

/** A link that opens the details of a site, or of one of its WLANs, by its `linkId`. */
export function detailsLink(site: string, wlan: string, ...children: readonly Child[]): VElement {
  const href = `#${new URLSearchParams({ site, ...(wlan === '' ? {} : { wlan }) })}`
  return h('a', { href, 'data-key': href }, children)
}

export function inlineCode(text: string): VElement {
  return h('code', {}, text)
}

/** A text whose parts between backticks are code elements; unchanged if a backtick has no other. */
export function withCode(text: string): Child[] {
  const parts = text.split('`')
  if (parts.length % 2 === 0) return [text]
  return parts.map((part, at) => (at % 2 === 0 ? part : inlineCode(part)))
}

/** A table with row headers in its first column. */
export function dataTable(
  caption: string,
  columns: readonly string[],
  rows: readonly (readonly Child[])[]
): VElement {
  const body = rows.map(([first, ...cells]) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, first),
      cells.map(cell => h('td', {}, cell))
    )
  )
  const head = columns.map(name => h('th', { scope: 'col' }, name))
  return h(
    'table',
    {},
    h('caption', {}, caption),
    h('thead', {}, h('tr', {}, head)),
    h('tbody', {}, body)
  )
}

/** A section of the page with its heading. */
export function section(id: string, title: string, ...children: readonly Child[]): VElement {
  const heading = h('h2', { id: `${id}-title` }, title)
  return h('section', { id, 'aria-labelledby': `${id}-title` }, heading, children)
}

/** Content that may be wider than the window and scrolls horizontally, also by keyboard. */
export function scrollRegion(id: string, label: string, ...children: readonly Child[]): VElement {
  return h('div', { id, class: 'wide', tabindex: 0, role: 'region', 'aria-label': label }, children)
}

/** `and 3 more sites`, and where to find them; undefined if there are no more. */
export function moreLine(rest: number, noun: string, where = ''): VElement | undefined {
  if (rest <= 0) return undefined
  return h('p', { class: 'faint' }, `and ${plural(rest, `more ${noun}`)}${where}`)
}

/** Names and texts as a definition list. */
export function factsList(facts: readonly (readonly [name: string, text: Child])[]): VElement {
  return h(
    'dl',
    { class: 'facts' },
    facts.map(([name, text]) => h('div', {}, h('dt', {}, name), h('dd', {}, text)))
  )
}

const signs = { good: '✓', note: 'i', warn: '!', bad: '✕' } as const
const signLabels = { good: 'OK', note: 'Information', warn: 'Warning', bad: 'Error' } as const

/** The verdict, the advice and the counts: the first text of the page. */
export function verdictHeader({ verdict, accounts }: Pick<View, 'verdict' | 'accounts'>): VElement {
  const { tone, text, advice } = verdict
  return h(
    'div',
    { class: `verdict ${tone}` },
    h('span', { class: 'sign', role: 'img', 'aria-label': signLabels[tone] }, signs[tone]),
    h(
      'div',
      {},
      h('h1', {}, text),
      advice !== undefined && h('p', { class: 'advice' }, advice),
      accounts !== '' && h('p', { class: 'accounts' }, accounts)
    )
  )
}

const INVALID = 'an invalid time'

/** The UTC time of day of a number of milliseconds since 1970: `10:00:03.250`. */
export function formatClock(milliseconds: number): string {
  const time = new Date(milliseconds)
  return Number.isNaN(time.getTime()) ? INVALID : formatClockTime(time.toISOString())
}

/** The time of day of an ISO time, with milliseconds if it has any: `10:00:03.250`. */
export function formatClockTime(at: string): string {
  if (Number.isNaN(Date.parse(at))) return INVALID
  return at.slice(11, 23).replace('Z', '')
}

/** Formats milliseconds for display: `40 ms`, `1.5 s`, `1 min 5 s`. */
export function formatMilliseconds(milliseconds: number): string {
  if (!Number.isFinite(milliseconds)) return INVALID
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  const seconds = milliseconds / 1000
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  if (seconds < 60) return `${Math.round(seconds)} s`
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
}

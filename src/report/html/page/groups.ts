import { byCodeUnit } from '../../../model/collections.ts'
import type { Finding } from '../../../model/finding.ts'
import { formatNumber } from '../../../model/text.ts'
import { type GroupedFindings, groupFindings } from '../../group-findings.ts'
import { shownField } from '../../shown.ts'
import { few } from '../../words.ts'
import { type CardLook, cardBody, cardFacts, requestPart } from '../card.ts'
import { type Cell, pointersOf, samenessOf } from '../cells.ts'
import { badge, code, open } from '../pieces.ts'
import { rankOf } from '../status.ts'
import { type Element, h, type Tree } from '../tree.ts'
import { count } from '../words.ts'

/** A group names so many sites before it folds the others. */
const NAMED = 24

/** So many groups are unfolded when nobody asked. */
const OPEN = 2

export type Group = GroupedFindings<Cell>

/** The WLANs of which the same is to be said, the worst first, then the most. */
export function groupsOf(cells: readonly Cell[]): Group[] {
  return groupFindings(cells, samenessOf).sort(
    (a, b) =>
      rankOf(a[0].status) - rankOf(b[0].status) ||
      b.length - a.length ||
      byCodeUnit(addressOf(a[0]), addressOf(b[0]))
  )
}

/** What of the page a list needs to know to show it. */
export interface Around extends CardLook {
  readonly findingsOf: (cell: Cell) => readonly Finding[]
  /** The groups that a reader folded or unfolded, by what is the same of them. */
  readonly folds: ReadonlyMap<string, boolean>
  /** On paper nothing is folded. */
  readonly isPrinted: boolean
}

/** A group under its headline; what is in it is there as soon as it is unfolded (`groupBody`). */
export function groupItem(group: Group, at: number, around: Around): Element {
  const [cell] = group
  const key = samenessOf(cell)
  const open = around.isPrinted || (around.folds.get(key) ?? at < OPEN)
  return h(
    'li',
    { class: `group s-${cell.status}` },
    h(
      'details',
      { open, 'data-fold': key },
      h('summary', { 'data-key': `group ${key}` }, ...headline(group, around)),
      h('div', {}, ...(open ? groupBody(group, around) : []))
    )
  )
}

export function groupBody(group: Group, around: Around): readonly Tree[] {
  const [cell] = group
  const { change } = cell
  if (group.length > 1) return [...sitesLine(group, around), ...cardBody(cell, [], around)]
  return [
    ...sitesLine(group, around),
    cardFacts(cell),
    ...cardBody(cell, around.findingsOf(cell), around),
    ...(change === undefined ? [] : [requestPart(change, around.isPrinted)])
  ]
}

function headline(group: Group, { hidden }: Around): Tree[] {
  const [cell] = group
  const names = pointersOf(cell)
    .filter(pointer => !hidden.includes(pointer))
    .map(shownField)
  const what: Tree = cell.key === '' ? 'all WLANs' : code(cell.key)
  const where = group.length === 1 ? cell.site : count(group.length, 'site')
  return [
    badge(cell.status),
    ' ',
    h('strong', {}, what),
    ` on ${where} `,
    h('span', { class: 'faint' }, few(names, 4)),
    ...ownersOf(group)
  ]
}

function ownersOf(group: Group): Tree[] {
  const owners = [...new Set(group.flatMap(({ owner }) => owner ?? []))]
  return owners.length === 0 ? [] : [' ', h('span', { class: 'owner' }, `owner ${few(owners, 2)}`)]
}

function sitesLine(group: Group, { isPrinted }: Around): Element[] {
  const [only, ...others] = group
  if (others.length === 0) {
    return [h('p', { class: 'sites' }, open(only.site, only.handle, 'Open beside the map'))]
  }
  const links = group.map(cell => open(cell.site, cell.handle, cell.site))
  const rest = links.length - NAMED
  if (rest <= 0) return [h('p', { class: 'sites' }, ...spaced(links))]
  return [
    h('p', { class: 'sites' }, ...spaced(links.slice(0, NAMED))),
    h(
      'details',
      { open: isPrinted },
      h('summary', {}, `${formatNumber(rest)} more sites`),
      h('p', { class: 'sites' }, ...spaced(links.slice(NAMED)))
    )
  ]
}

function spaced(links: readonly Element[]): Tree[] {
  return links.flatMap((link, at) => (at === 0 ? [link] : [' ', link]))
}

function addressOf({ site, key }: Cell): string {
  return `${site}/${key}`
}

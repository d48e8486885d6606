import type { Cell, Site } from '../cells.ts'
import { badge, icon, open } from '../pieces.ts'
import { lookOf } from '../status.ts'
import { type Element, h, type Tree } from '../tree.ts'
import type { Part } from './layout.ts'

/** Up to so many sites, WLANs and cells the map is a table, in which every cell has room for its word. */
const SITES = 40
const COLUMNS = 12

/** The keys of the WLANs that the sites have, in the order in which they come. */
export function columnsOf(sites: readonly Site[]): readonly string[] {
  const keys = sites.flatMap(({ cells }) =>
    cells.filter(({ unmanaged }) => unmanaged === undefined)
  )
  return [...new Set(keys.map(({ key }) => key))]
}

export function fitsMatrix(sites: readonly Site[], columns: readonly string[]): boolean {
  return sites.length <= SITES && columns.length <= COLUMNS
}

/** A small fleet: a row for each site, a column for each WLAN. */
export function matrix(
  parts: readonly Part[],
  columns: readonly string[],
  passes: (cell: Cell) => boolean
): Element {
  const sites = parts.flatMap(part => part.sites)
  const hasStrangers = sites.some(({ cells }) =>
    cells.some(({ unmanaged }) => unmanaged !== undefined)
  )
  const heads = [
    'Site',
    ...columns.map(key => (key === '' ? 'all WLANs' : key)),
    ...(hasStrangers ? ['unmanaged'] : [])
  ]
  return h(
    'table',
    { class: 'matrix' },
    h(
      'caption',
      { class: 'visually-hidden' },
      'The fleet: a row for each site, a column for each WLAN'
    ),
    h('thead', {}, h('tr', {}, ...heads.map(head => h('th', { scope: 'col' }, head)))),
    ...parts.map(part =>
      h(
        'tbody',
        {},
        ...titleRow(part, heads.length),
        ...part.sites.map(site => row(site, columns, hasStrangers, passes))
      )
    )
  )
}

function titleRow({ title }: Part, columns: number): Element[] {
  if (title === '') return []
  return [h('tr', { class: 'wave' }, h('th', { scope: 'rowgroup', colspan: columns }, title))]
}

function row(
  site: Site,
  columns: readonly string[],
  hasStrangers: boolean,
  passes: (cell: Cell) => boolean
): Element {
  const strangers = site.cells.filter(({ unmanaged }) => unmanaged !== undefined)
  const cells = columns.map(key => {
    const cell = site.cells.find(each => each.key === key && each.unmanaged === undefined)
    return h(
      'td',
      {},
      ...(cell === undefined ? [h('span', { class: 'faint' }, '–')] : [cellLink(cell, passes)])
    )
  })
  return h(
    'tr',
    {},
    h('th', { scope: 'row' }, open(site.name, '', site.name)),
    ...cells,
    ...(hasStrangers ? [h('td', {}, ...strangers.map(cell => cellLink(cell, passes)))] : [])
  )
}

function cellLink(cell: Cell, passes: (cell: Cell) => boolean): Element {
  const said: Tree[] = cell.unmanaged === undefined ? [lookOf(cell.status).label] : [cell.unmanaged]
  const link = open(cell.site, cell.handle, icon(cell.status), ...said)
  const name = `${cell.site}/${cell.key}: ${badge(cell.status).children.at(-1)}`
  return {
    ...link,
    attributes: {
      ...link.attributes,
      class: `cell s-${cell.status}${passes(cell) ? '' : ' out'}`,
      'aria-label': name
    }
  }
}

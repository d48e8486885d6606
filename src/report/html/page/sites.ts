import { listFirst } from '../../../core/values/text.ts'
import { cardBody, cardFacts, requestDetails } from '../card.ts'
import { byUrgency, isHealthy, statusInfo, statusRank } from '../cell-status.ts'
import { type Cell, isUnmanaged, type SiteCells } from '../cells.ts'
import { detailsLink, moreLine, stateBadge, statusBadge, statusIcon } from '../components.ts'
import { ownersOf, statusCounts } from '../look-first.ts'
import { type Child, h, type VElement } from '../vdom.ts'
import type { ListOptions } from './groups.ts'
import type { MapSection } from './map-drawing.ts'

/** The maximum number of WLANs of a site with all details. */
const CARDS = 40

/** The panel of an open site with all its issues, or of one of its WLANs (`wlan`: its `linkId`). */
export function siteDetails(site: SiteCells, wlan: string, options: ListOptions): Child[] {
  const selected = site.cells.filter(({ linkId }) => wlan === '' || linkId === wlan)
  const cells = selected.sort(byUrgency)
  const shown = wlan === '' ? cells.filter(({ status }) => !isHealthy(status)) : cells
  const [first] = cells
  const title = wlan === '' || first === undefined ? site.name : `${site.name}/${first.key}`
  return [
    h(
      'div',
      { class: 'bar' },
      h('h2', { id: 'detail-title', tabindex: -1 }, title),
      h(
        'button',
        { type: 'button', class: 'quiet', 'data-action': 'close' },
        'Close',
        h('kbd', {}, 'Esc')
      )
    ),
    site.cells.length > 1 && wlanStrip(site.cells, wlan),
    wlan !== '' && h('p', {}, detailsLink(site.name, '', `All WLANs of ${site.name}`)),
    siteFindings(site, options),
    shown.length === 0 && h('p', { class: 'calm' }, 'No WLAN of this site needs attention.'),
    shown.slice(0, CARDS).map(cell => card(cell, wlan !== '', options)),
    moreLine(shown.length - CARDS, 'WLAN', '; each has a link above')
  ]
}

/** Sorted by status only, like the counts of a site. */
function worstFirst(cells: readonly Cell[]): Cell[] {
  return [...cells].sort((a, b) => statusRank(a.status) - statusRank(b.status))
}

/** The findings on the whole site. */
function siteFindings({ name }: SiteCells, options: ListOptions): Child {
  const cell: Cell = { site: name, key: '', linkId: '', status: 'sync' }
  const findings = options.findingsOf(cell)
  return findings.length > 0 && cardBody(cell, findings, options)
}

function card(cell: Cell, isOpen: boolean, options: ListOptions): VElement {
  const { change, key, status, site, linkId } = cell
  return h(
    'article',
    { class: `card s-${status}` },
    h('h3', {}, statusBadge(status), ' ', key === '' ? site : detailsLink(site, linkId, key)),
    h('p', { class: 'faint' }, statusInfo(status).meaning),
    cardFacts(cell),
    key !== '' && cardBody(cell, options.findingsOf(cell), options),
    change && requestDetails(change, isOpen)
  )
}

/** The WLANs of a site as links on one line. */
function wlanStrip(cells: readonly Cell[], current: string): VElement {
  const items = cells.map(({ site, key, linkId, status }) =>
    h(
      'li',
      { class: linkId === current ? 'current' : false },
      detailsLink(site, linkId, statusIcon(status), key === '' ? 'site' : key)
    )
  )
  return h('ul', { class: 'strip' }, items)
}

/** The columns of `siteRow`. */
export const siteColumns = ['Site', 'Worst', 'WLANs', 'Owner'] as const

/** A row of the table of sites, which contains the data of the map as text. */
export function siteRow({ name, cells }: SiteCells): Child[] {
  const sorted = worstFirst(cells)
  const [worst] = [...cells].sort(byUrgency)
  return [
    detailsLink(name, '', name),
    worst && stateBadge(worst),
    statusCounts(sorted),
    listFirst(ownersOf(cells), 2)
  ]
}

/** A site, or one of its WLANs, as a line below the map: `hq · guest: outage · 1 outage, 3 in sync`. */
export function siteLine({ name, cells }: SiteCells, cell?: Cell): string {
  const counts = statusCounts(worstFirst(cells))
  if (cell === undefined || cell.key === '') return `${name} · ${counts}`
  return `${name} · ${cell.key}: ${statusInfo(cell.status).label} · ${counts}`
}

/** The limits of the matrix, whose cells contain labels; larger fleets get the map. */
const MATRIX_SITES = 40
const MATRIX_COLUMNS = 12

export function fitsMatrix(sites: readonly SiteCells[], columns: readonly string[]): boolean {
  return sites.length <= MATRIX_SITES && columns.length <= MATRIX_COLUMNS
}

/** A small fleet as a table: a row for each site, a column for each WLAN and one for unmanaged WLANs. */
export function matrix(
  sections: readonly MapSection[],
  columns: readonly string[],
  isShown: (cell: Cell) => boolean
): VElement {
  const sites = sections.flatMap(section => section.sites)
  const hasUnmanaged = sites.some(({ cells }) => cells.some(isUnmanaged))
  const headings = [
    'Site',
    ...columns.map(key => (key === '' ? 'all WLANs' : key)),
    ...(hasUnmanaged ? [undeclaredHeading(sites)] : [])
  ]
  const headingCells = headings.map(heading => h('th', { scope: 'col' }, heading))
  const caption = 'The fleet: a row for each site, a column for each WLAN'
  return h(
    'table',
    { class: 'matrix' },
    h('caption', { class: 'visually-hidden' }, caption),
    h('thead', {}, h('tr', {}, headingCells)),
    sections.map(({ title, sites: rows }) =>
      h(
        'tbody',
        {},
        title !== '' && waveRow(title, headings.length),
        rows.map(site => matrixRow(site, columns, hasUnmanaged, isShown))
      )
    )
  )
}

/** The columns of a matrix, sorted by their worst WLAN, because a narrow window shows few at a time. */
export function changedColumnsFirst(
  sites: readonly SiteCells[],
  columns: readonly string[]
): readonly string[] {
  const ranks = new Map<string, number>()
  for (const cell of sites.flatMap(({ cells }) => cells)) {
    if (isHealthy(cell.status) || isUnmanaged(cell)) continue
    ranks.set(cell.key, Math.min(ranks.get(cell.key) ?? Infinity, statusRank(cell.status)))
  }
  const healthy = statusRank('sync')
  return [...columns].sort((a, b) => (ranks.get(a) ?? healthy) - (ranks.get(b) ?? healthy))
}

function undeclaredHeading(sites: readonly SiteCells[]): string {
  const hasInherited = sites.some(({ cells }) => cells.some(({ status }) => status === 'inherited'))
  return hasInherited ? 'not declared' : 'unmanaged'
}

function waveRow(title: string, columns: number): VElement {
  return h('tr', { class: 'wave' }, h('th', { scope: 'rowgroup', colspan: columns }, title))
}

function matrixRow(
  site: SiteCells,
  columns: readonly string[],
  hasUnmanaged: boolean,
  isShown: (cell: Cell) => boolean
): VElement {
  const declared = new Map(
    site.cells.filter(cell => !isUnmanaged(cell)).map(cell => [cell.key, cell])
  )
  const cells = columns.map(key => {
    const cell = declared.get(key)
    return h(
      'td',
      {},
      cell === undefined ? h('span', { class: 'faint' }, '–') : cellLink(cell, isShown)
    )
  })
  const unmanaged = site.cells.filter(isUnmanaged).map(cell => cellLink(cell, isShown))
  return h(
    'tr',
    {},
    h('th', { scope: 'row' }, detailsLink(site.name, '', site.name)),
    cells,
    hasUnmanaged && h('td', {}, unmanaged)
  )
}

function cellLink(cell: Cell, isShown: (cell: Cell) => boolean): VElement {
  const { site, key, linkId, status, unmanagedSsid } = cell
  const { label } = statusInfo(status)
  const link = detailsLink(site, linkId, statusIcon(status), unmanagedSsid ?? label)
  return {
    ...link,
    attributes: {
      ...link.attributes,
      class: `cell s-${status}${isShown(cell) ? '' : ' out'}`,
      'aria-label': `${site}/${key}: ${label}`
    }
  }
}

import { cardBody, cardFacts, requestPart } from '../card.ts'
import type { Cell, Site } from '../cells.ts'
import { badge, open } from '../pieces.ts'
import { isFine, lookOf, rankOf } from '../status.ts'
import { type Element, h, type Tree } from '../tree.ts'
import type { Around } from './groups.ts'
import { strip } from './sites.ts'

/** More of a site's WLANs than these are not told in full at once. */
const CARDS = 40

/** What is open beside the map: a site with all that is wrong there, or one of its WLANs. */
export function detail(site: Site, wlan: string, around: Around): readonly Tree[] {
  const chosen = site.cells.filter(({ handle }) => wlan === '' || handle === wlan)
  const cells = chosen.sort((a, b) => rankOf(a.status) - rankOf(b.status))
  const told = wlan === '' ? cells.filter(({ status }) => !isFine(status)) : cells
  return [
    h('div', { class: 'bar' }, title(site, wlan, cells[0]), closer()),
    ...(site.cells.length > 1 ? [strip(site.cells, wlan)] : []),
    ...(wlan === '' ? [] : [h('p', {}, open(site.name, '', `All of ${site.name}`))]),
    ...siteFindings(site, around),
    ...(told.length === 0
      ? [h('p', { class: 'calm' }, 'Everything here is as it should be.')]
      : []),
    ...told.slice(0, CARDS).map(cell => card(cell, wlan !== '', around))
  ]
}

function title({ name }: Site, wlan: string, cell: Cell | undefined): Element {
  const text = wlan === '' || cell === undefined ? name : `${name}/${cell.key}`
  return h('h2', { id: 'detail-title', tabindex: -1 }, text)
}

function closer(): Element {
  return h(
    'button',
    { type: 'button', class: 'quiet', 'data-act': 'close' },
    'Close',
    h('kbd', {}, 'Esc')
  )
}

/** What is said of the site as a whole. */
function siteFindings(site: Site, around: Around): Element[] {
  const found = around.findingsOf({ site: site.name, key: '', handle: '', status: 'sync' })
  return found.length === 0
    ? []
    : cardBody({ site: site.name, key: '', handle: '', status: 'sync' }, found, around)
}

function card(cell: Cell, isOpen: boolean, around: Around): Element {
  const { change, key, status } = cell
  return h(
    'article',
    { class: `card s-${status}` },
    h('h3', {}, badge(status), ' ', key === '' ? cell.site : open(cell.site, cell.handle, key)),
    h('p', { class: 'faint' }, lookOf(status).means),
    cardFacts(cell),
    ...(cell.key === '' ? [] : cardBody(cell, around.findingsOf(cell), around)),
    ...(change === undefined ? [] : [requestPart(change, isOpen)])
  )
}

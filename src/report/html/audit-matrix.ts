import { type Audit, type NetworkVariant, networkAspects } from '../../model/audit.ts'
import { formatNumber } from '../../model/text.ts'
import { escapeInside } from '../escape.ts'
import {
  dataTable,
  formatCount,
  inlineCode,
  moreLine,
  scrollRegion,
  section
} from './components.ts'
import { type Child, h, type VElement } from './vdom.ts'

/** The SSIDs that have a column, the most common ones. */
const MAX_COLUMNS = 16

/** The sites of one table: browsers lay out a closed fold only once it is opened. */
const FOLD = 100

type SiteRow = ReadonlyMap<number, readonly NetworkVariant[]>

/** The matrix of sites and SSIDs with security, VLAN and bands, the sites with most exceptions first. */
export function siteMatrix({ networks, sites }: Audit): VElement | false {
  if (networks.length === 0) return false
  const columns = networks.slice(0, MAX_COLUMNS)
  const rows = new Map<string, Map<number, NetworkVariant[]>>(sites.map(site => [site, new Map()]))
  for (const [at, { variants }] of columns.entries()) {
    for (const variant of variants) {
      for (const site of variant.sites) {
        const row = rows.get(site)
        row?.set(at, [...(row.get(at) ?? []), variant])
      }
    }
  }
  const sorted = [...rows].map(([site, row]) => ({ site, row, odd: oddCells(row) }))
  sorted.sort((a, b) => b.odd - a.odd)
  const heads = ['Site', ...columns.map(({ ssid }) => escapeInside(ssid))]
  const exceptions = sorted.filter(({ odd }) => odd > 0).length
  return section(
    'matrix',
    'Sites and SSIDs',
    h(
      'p',
      { class: 'faint' },
      `Security, VLAN and bands of each network; ! marks a value that differs from most sites: ${formatCount(exceptions, 'site')}. Sites with exceptions come first.`
    ),
    folds(sorted, heads),
    moreLine(networks.length - MAX_COLUMNS, 'SSID', '; see the networks below')
  )
}

function oddCells(row: SiteRow): number {
  return [...row.values()].flat().filter(({ odd }) => odd.length > 0).length
}

function folds(
  sites: readonly { readonly site: string; readonly row: SiteRow }[],
  heads: readonly string[]
): VElement[] {
  const starts = Array.from({ length: Math.ceil(sites.length / FOLD) }, (_, nth) => nth * FOLD)
  return starts.map(start => {
    const part = sites.slice(start, start + FOLD)
    const rows = part.map(({ site, row }): Child[] => [
      inlineCode(escapeInside(site)),
      ...heads.slice(1).map((_, at) => (row.get(at) ?? []).map(cell))
    ])
    const name = `Sites ${formatNumber(start + 1)} to ${formatNumber(start + part.length)}`
    const table = scrollRegion(`matrix-${start}`, name, dataTable(name, heads, rows))
    return h('details', { class: 'fold', open: start === 0 }, h('summary', {}, name), table)
  })
}

function cell({ enabled, odd, ...variant }: NetworkVariant): VElement {
  const parts = networkAspects.map(aspect => {
    const text = escapeInside(variant[aspect])
    return odd.includes(aspect) ? h('strong', { class: 'odd' }, `! ${text}`) : h('span', {}, text)
  })
  return h(
    'div',
    { class: enabled ? undefined : 'faint' },
    !enabled && 'off: ',
    parts.map((part, at) => [at > 0 && ' · ', part])
  )
}

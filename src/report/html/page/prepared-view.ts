import type { Finding } from '../../../core/model/finding.ts'
import { groupBy } from '../../../core/values/collections.ts'
import { plural } from '../../../core/values/text.ts'
import { REST } from '../../rollout.ts'
import { siteIssuesOf } from '../cell-status.ts'
import { type Cell, decodeSites, isUnmanaged, needsAttention, type SiteCells } from '../cells.ts'

import type { View } from '../page-data.ts'
import { type FilterChoices, filterChoices } from './filter-controls.ts'
import type { MapSection } from './map-drawing.ts'
import type { SiteOrder } from './state.ts'
import { type UpdateSpan, updateSpans } from './timeline.ts'

/** A view with all data that is derived from it once. */
export interface PreparedView {
  readonly view: View
  readonly sites: readonly SiteCells[]
  readonly siteByName: ReadonlyMap<string, SiteCells>
  readonly cells: readonly Cell[]
  /** The WLANs with any status but `sync`. */
  readonly outOfSync: readonly Cell[]
  /** The keys of all declared WLANs, sorted by the number of their sites. */
  readonly columns: readonly string[]
  /** All sites; those that need attention first. */
  readonly worstFirst: readonly SiteCells[]
  readonly choices: FilterChoices
  readonly updates: readonly UpdateSpan[]
  /** The findings on a WLAN; with an empty key, on the whole site. */
  readonly findingsOf: (cell: Cell) => readonly Finding[]
}

export function prepareView(view: View): PreparedView {
  const sites = decodeSites(view)
  const cells = sites.flatMap(site => site.cells)
  const siteByName = new Map(sites.map(site => [site.name, site]))
  const findings = groupBy([...view.refusals, ...view.findings], ({ address }) => address)
  const declared = cells.filter(cell => !isUnmanaged(cell))
  return {
    view,
    sites,
    siteByName,
    cells,
    outOfSync: cells.filter(({ status }) => status !== 'sync'),
    columns: columnsOf(declared),
    worstFirst: sortWorstFirst(sites, siteByName, cells),
    choices: filterChoices(cells, view.mode),
    updates: updateSpans(cells),
    findingsOf: ({ site, key }) => findings.get(key === '' ? site : `${site}/${key}`) ?? []
  }
}

function columnsOf(declared: readonly Cell[]): string[] {
  return [...groupBy(declared, ({ key }) => key)]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([key]) => key)
}

function sortWorstFirst(
  sites: readonly SiteCells[],
  siteByName: ReadonlyMap<string, SiteCells>,
  cells: readonly Cell[]
): readonly SiteCells[] {
  const issues = siteIssuesOf(cells.filter(needsAttention))
  const worst = issues.flatMap(({ site }) => siteByName.get(site) ?? [])
  const listed = new Set(worst)
  return [...worst, ...sites.filter(site => !listed.has(site))]
}

/** The sites in the selected order, in one section; in the default order, a section for each wave. */
export function mapSections(prepared: PreparedView, order: SiteOrder): readonly MapSection[] {
  const { view, sites, worstFirst } = prepared
  if (order === 'worst') return [{ title: '', sites: worstFirst }]
  if (order === 'name' || view.waves.length === 0) return [{ title: '', sites }]
  return waveSections(prepared)
}

function waveSections({ view, sites, siteByName }: PreparedView): readonly MapSection[] {
  const waves = view.waves.map(({ name = REST, sites: names }, index) => {
    const members = names.flatMap(site => siteByName.get(site) ?? [])
    return {
      title: `Wave ${index + 1}: ${name}, ${plural(members.length, 'site')}`,
      sites: members
    }
  })
  const placed = new Set(waves.flatMap(wave => wave.sites))
  const others = sites.filter(site => !placed.has(site))
  const title = view.mode === 'plan' ? 'No changes' : 'Not in a wave'
  const rest = { title: `${title}: ${plural(others.length, 'site')}`, sites: others }
  return [...waves, rest].filter(section => section.sites.length > 0)
}

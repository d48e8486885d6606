import type { Finding } from '../../../model/finding.ts'
import { groupFindings } from '../../group-findings.ts'
import { REST } from '../../rollout.ts'
import { type Cell, isTrouble, type Site, sitesOf } from '../cells.ts'
import type { View } from '../data.ts'
import { siteIssuesOf } from '../issues.ts'
import { count } from '../words.ts'
import { type Offer, offerOf } from './bar.ts'
import type { Part } from './layout.ts'
import { columnsOf } from './matrix.ts'
import type { Order } from './state.ts'
import { type Course, coursesOf } from './timeline.ts'

/** A view with all that is computed of it once. */
export interface Prepared {
  readonly view: View
  readonly sites: readonly Site[]
  readonly siteOf: ReadonlyMap<string, Site>
  readonly cells: readonly Cell[]
  /** Of these something is to be said beside their status. */
  readonly told: readonly Cell[]
  readonly columns: readonly string[]
  /** The sites to look at first on top. */
  readonly worst: readonly Site[]
  readonly offer: Offer
  readonly courses: readonly Course[]
  readonly findingsOf: (cell: Cell) => readonly Finding[]
}

export function prepare(view: View): Prepared {
  const sites = sitesOf(view)
  const cells = sites.flatMap(site => site.cells)
  const siteOf = new Map(sites.map(site => [site.name, site]))
  return {
    view,
    sites,
    siteOf,
    cells,
    told: cells.filter(({ status }) => status !== 'sync'),
    columns: columnsOf(sites),
    worst: worstFirst(sites, siteOf, cells),
    offer: offerOf(cells, view.mode),
    courses: coursesOf(cells),
    findingsOf: findingsIn(view)
  }
}

/** What is said of a WLAN, or of a site as a whole where there is no key. */
function findingsIn({ findings }: View): Prepared['findingsOf'] {
  const found = findings.filter(({ address }) => address !== undefined)
  const groups = groupFindings(found, ({ address = '' }) => address)
  const byAddress = new Map(groups.map(group => [group[0].address, group]))
  return ({ site, key }) => byAddress.get(key === '' ? site : `${site}/${key}`) ?? []
}

function worstFirst(
  sites: readonly Site[],
  siteOf: ReadonlyMap<string, Site>,
  cells: readonly Cell[]
): readonly Site[] {
  const worst = siteIssuesOf(cells.filter(isTrouble)).flatMap(({ site }) => siteOf.get(site) ?? [])
  const named = new Set(worst)
  return [...worst, ...sites.filter(site => !named.has(site))]
}

/** The sites in the order that is asked for; each wave is a part of its own. */
export function partsOf(prepared: Prepared, order: Order): readonly Part[] {
  const { view, sites, worst } = prepared
  if (order === 'worst') return [{ title: '', sites: worst }]
  return order === 'name' || view.waves.length === 0 ? [{ title: '', sites }] : byWave(prepared)
}

function byWave({ view, sites, siteOf }: Prepared): readonly Part[] {
  const parts = view.waves.map(({ name = REST, sites: names }, at) => {
    const members = names.flatMap(site => siteOf.get(site) ?? [])
    return { title: `Wave ${at + 1}: ${name}, ${count(members.length, 'site')}`, sites: members }
  })
  const placed = new Set(parts.flatMap(part => part.sites))
  const others = sites.filter(site => !placed.has(site))
  const title = view.mode === 'plan' ? 'Nothing to change' : 'In no wave'
  const rest = { title: `${title}: ${count(others.length, 'site')}`, sites: others }
  return [...parts, rest].filter(part => part.sites.length > 0)
}

import type { Finding } from '../../../model/finding.ts'
import { type Cell, isTrouble, type Site, sitesOf } from '../cells.ts'
import type { View } from '../data.ts'
import { worriesOf } from '../worries.ts'
import { type Offer, offerOf } from './bar.ts'
import type { Part } from './layout.ts'
import { columnsOf } from './matrix.ts'

/** A view with all that is computed of it once. */
export interface Prepared {
  readonly view: View
  readonly sites: readonly Site[]
  readonly siteOf: ReadonlyMap<string, Site>
  readonly cells: readonly Cell[]
  /** Of these something is to be said beside their status. */
  readonly told: readonly Cell[]
  readonly columns: readonly string[]
  readonly offer: Offer
  readonly findingsOf: (cell: Cell) => readonly Finding[]
}

export function prepare(view: View): Prepared {
  const sites = sitesOf(view)
  const cells = sites.flatMap(site => site.cells)
  const findings = new Map<string, Finding[]>()
  for (const found of view.findings) {
    if (found.address === undefined) continue
    const others = findings.get(found.address)
    if (others) others.push(found)
    else findings.set(found.address, [found])
  }
  return {
    view,
    sites,
    siteOf: new Map(sites.map(site => [site.name, site])),
    cells,
    told: cells.filter(({ status }) => status !== 'sync'),
    columns: columnsOf(sites),
    offer: offerOf(cells, view.mode),
    findingsOf: ({ site, key }) => findings.get(key === '' ? site : `${site}/${key}`) ?? []
  }
}

/** The sites in the order that is asked for. */
export function partsOf(
  { sites, siteOf, cells }: Prepared,
  order: 'name' | 'worst'
): readonly Part[] {
  if (order === 'name') return [{ title: '', sites }]
  const worst = worriesOf(cells.filter(isTrouble)).flatMap(({ site }) => siteOf.get(site) ?? [])
  const named = new Set(worst)
  return [{ title: '', sites: [...worst, ...sites.filter(site => !named.has(site))] }]
}

import { byCodeUnit } from '../../model/collections.ts'
import type { Change, Unmanaged } from '../../model/plan.ts'
import type { Pointer } from '../../model/pointer.ts'
import { fieldsOf } from '../field-changes.ts'
import { groupFindings, matterOf } from '../group-findings.ts'
import type { SiteData, Told, View } from './data.ts'
import { weightOf } from './issues.ts'
import { type CellStatus, isFine, lookOf, looks } from './status.ts'

/** A WLAN of the map, with all that the report says of it. */
export interface Cell {
  readonly site: string
  /** Empty for a site of which nothing is known but its name. */
  readonly key: string
  /** What it is called in the fragment: the key, or the id of one that has none. */
  readonly handle: string
  readonly status: CellStatus
  readonly change?: Change
  readonly outcome?: Told
  /** Who answers for it. */
  readonly owner?: string
  /** The SSID of one that nobody declares. */
  readonly unmanaged?: string
  /** Secrets that could not be compared. */
  readonly uncompared?: readonly Pointer[]
}

export interface Site {
  readonly name: string
  readonly cells: readonly Cell[]
}

const statusOf = new Map<string, CellStatus>(looks.map(({ letter, status }) => [letter, status]))

/** The sites of a view with their WLANs: what `FleetWriter` wrote, and the unmanaged ones. */
export function sitesOf(view: View): readonly Site[] {
  return view.fleet.sites.map(siteReader(view))
}

/** The sites to look at first, worst first, at most so many, and how many there are. */
export function worstSitesOf(
  view: View,
  most: number
): { readonly sites: readonly Site[]; readonly total: number } {
  const strangers = new Map<string, string>()
  const { letter } = lookOf('unmanaged')
  for (const { site } of view.unmanaged) {
    strangers.set(site, (strangers.get(site) ?? '') + letter)
  }
  // Of a large fleet only what is shown is read; the others are weighed by their letters.
  const weighed = view.fleet.sites.flatMap(site => {
    const letters = site[2] + (strangers.get(site[0]) ?? '')
    return TROUBLE.test(letters) ? [{ site, weight: weightOf(letters) }] : []
  })
  weighed.sort((a, b) => byCodeUnit(a.weight, b.weight) || byCodeUnit(a.site[0], b.site[0]))
  const worst = weighed.slice(0, most).map(({ site }) => site)
  return { sites: worst.map(siteReader(view)), total: weighed.length }
}

/** A letter of what is not as it should be. */
const TROUBLE = new RegExp(
  `[^${looks
    .filter(({ status }) => isFine(status))
    .map(({ letter }) => letter)
    .join('')}]`
)

function siteReader(view: View): (site: SiteData) => Site {
  const { fleet, unmanaged } = view
  const cellOf = cellReader(view)
  const strangers = new Map(
    groupFindings(unmanaged, ({ site }) => site).map(group => [group[0].site, group])
  )
  return ([name, shape, letters]) => {
    const columns = fleet.shapes[shape] ?? []
    const cells = columns.map((column, at) =>
      cellOf(name, fleet.columns[column] ?? '', statusOf.get(letters[at] ?? '') ?? 'sync')
    )
    return { name, cells: [...cells, ...(strangers.get(name) ?? []).map(strangerCell)] }
  }
}

function cellReader({ changes, outcomes, uncompared, findings }: View) {
  const changeOf = new Map(changes.map(change => [change.address, change]))
  const owners = new Map(
    findings.flatMap(({ address, owner }) => (owner ? [[address, owner]] : []))
  )
  const outcomeOf = new Map(outcomes.map(outcome => [outcome.address, outcome]))
  return (site: string, key: string, status: CellStatus): Cell => {
    if (status === 'sync') return { site, key, handle: key, status }
    const address = `${site}/${key}`
    const change = changeOf.get(address)
    const outcome = outcomeOf.get(address)
    const pointers = own(uncompared, address)
    const owner = change?.owner ?? owners.get(address) ?? owners.get(site)
    return {
      site,
      key,
      handle: key,
      status,
      ...(change && { change }),
      ...(outcome && { outcome }),
      ...(owner === undefined ? {} : { owner }),
      ...(pointers && { uncompared: pointers })
    }
  }
}

function strangerCell({ site, id, ssid, owner }: Unmanaged): Cell {
  const cell = { site, key: ssid, handle: id, status: 'unmanaged', unmanaged: ssid } as const
  return owner === undefined ? cell : { ...cell, owner }
}

function own<T>(members: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined
}

/** The fields that a WLAN differs in, or did. */
export function pointersOf({ change, outcome }: Cell): readonly Pointer[] {
  if (change !== undefined) return fieldsOf(change).map(({ path }) => path)
  return outcome?.fields?.map(({ pointer }) => pointer) ?? []
}

/** What two WLANs share of which the same is to be said; a group in the list of changes. */
export function samenessOf(cell: Cell): string {
  const known = samenesses.get(cell)
  if (known !== undefined) return known
  const { status, change, outcome, key } = cell
  const matter = change === undefined ? '' : matterOf(change)
  const said = [outcome?.fields, outcome?.reason?.replace(IDS, '')]
  const sameness = JSON.stringify([status, key, matter, ...said])
  samenesses.set(cell, sameness)
  return sameness
}

const samenesses = new WeakMap<Cell, string>()

const IDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

export function isTrouble({ status }: Cell): boolean {
  return !isFine(status)
}

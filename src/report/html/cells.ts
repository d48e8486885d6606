import { type DangerKind, dangerRank } from '../../core/model/danger.ts'
import type { Change, Unmanaged } from '../../core/model/plan.ts'
import { byCodeUnit, compact, groupBy } from '../../core/values/collections.ts'
import type { Pointer } from '../../core/values/pointer.ts'
import { worstDanger } from '../danger.ts'
import { fieldsOf } from '../field-changes.ts'
import { changeKey } from '../group-findings.ts'
import { type CellStatus, hasIssue, isHealthy, statusInfos, statusRank } from './cell-status.ts'
import type { OutcomeDetails, SiteData, View } from './page-data.ts'

/** A WLAN with all of its data in the report. */
export interface Cell {
  readonly site: string
  /** Empty for an unread site with unknown WLANs. */
  readonly key: string
  /** Identifies the WLAN in links: its key, or the id of an unmanaged or inherited WLAN. */
  readonly linkId: string
  readonly status: CellStatus
  readonly change?: Change
  /** The worst danger of the live WLAN. */
  readonly danger?: DangerKind
  readonly outcome?: OutcomeDetails
  readonly owner?: string
  /** The SSID of an unmanaged or inherited WLAN. */
  readonly unmanagedSsid?: string
  /** The template that an inherited WLAN comes from. */
  readonly template?: string
  /** The security and VLAN of an unmanaged WLAN in words. */
  readonly network?: string
  /** Secrets that could not be compared. */
  readonly uncompared?: readonly Pointer[]
}

export interface SiteCells {
  readonly name: string
  readonly cells: readonly Cell[]
}

const statusByLetter = new Map<string, CellStatus>(
  statusInfos.map(({ letter, status }) => [letter, status])
)

/**
 * The sites of a view with their WLANs: decodes the result of `FleetEncoder`, and adds the unmanaged WLANs.
 */
export function decodeSites(view: View): readonly SiteCells[] {
  return view.fleet.sites.map(siteDecoder(view))
}

/** The WLANs that need attention; healthy sites are not decoded. */
export function cellsOfConcern(view: View): readonly Cell[] {
  const withUnmanaged = new Set(view.unmanaged.map(({ site }) => site))
  return view.fleet.sites
    .filter(([name, , letters]) => hasIssue(letters) || withUnmanaged.has(name))
    .map(siteDecoder(view))
    .flatMap(({ cells }) => cells.filter(needsAttention))
}

function siteDecoder(view: View): (site: SiteData) => SiteCells {
  const { fleet } = view
  const cellOf = cellDecoder(view)
  const unmanagedOf = groupBy(unmanagedCells(view), ({ site }) => site)
  return ([name, keySet, letters]) => {
    const columns = fleet.keySets[keySet] ?? []
    const cells = columns.map((column, at) =>
      cellOf(name, fleet.columns[column] ?? '', statusByLetter.get(letters[at] ?? '') ?? 'sync')
    )
    return { name, cells: [...cells, ...(unmanagedOf.get(name) ?? [])] }
  }
}

function cellDecoder({ changes, outcomes, uncompared, findings }: View) {
  const changeOf = new Map(changes.map(change => [change.address, change]))
  const owners = new Map(
    findings.flatMap(({ address, owner }) => (owner ? [[address, owner]] : []))
  )
  const outcomeOf = new Map(outcomes.map(outcome => [outcome.address, outcome]))
  return (site: string, key: string, status: CellStatus): Cell => {
    if (status === 'sync') return { site, key, linkId: key, status }
    const address = `${site}/${key}`
    const change = changeOf.get(address)
    const outcome = outcomeOf.get(address)
    const pointers = Object.hasOwn(uncompared, address) ? uncompared[address] : undefined
    const danger = change && worstDanger(change)
    const owner = change?.owner ?? owners.get(address) ?? owners.get(site)
    return {
      site,
      key,
      linkId: key,
      status,
      ...(change && { change }),
      ...(danger && { danger }),
      ...(outcome && { outcome }),
      ...(owner === undefined ? {} : { owner }),
      ...(pointers && { uncompared: pointers })
    }
  }
}

function unmanagedCells({ unmanaged, inherited }: View): Cell[] {
  const cellOf =
    (status: 'unmanaged' | 'inherited') =>
    ({ site, id, ssid, owner, template, network }: Unmanaged): Cell => ({
      ...{ site, key: ssid, linkId: id, status, unmanagedSsid: ssid },
      ...compact({ owner, template, network })
    })
  return [...unmanaged.map(cellOf('unmanaged')), ...inherited.map(cellOf('inherited'))]
}

/** The fields that differ, or differed before an update. */
export function differingFields({ change, outcome }: Cell): readonly Pointer[] {
  if (change !== undefined) return fieldsOf(change).map(({ path }) => path)
  return outcome?.fields?.map(({ pointer }) => pointer) ?? []
}

/** A key that groups WLANs in the list of changes: same key, status, fields and outcome. */
function groupKeyOf(cell: Cell): string {
  const known = groupKeys.get(cell)
  if (known !== undefined) return known
  const { status, change, outcome, key } = cell
  const matter = change === undefined ? '' : changeKey(change)
  const groupKey = JSON.stringify([
    status,
    key,
    matter,
    outcome?.fields,
    outcome?.reason?.replace(IDS, '')
  ])
  groupKeys.set(cell, groupKey)
  return groupKey
}

/**
 * Cache of group keys by cell, since each filter groups the same cells again. Bound: the cells of the page;
 * bench: longest task.
 */
const groupKeys = new WeakMap<Cell, string>()

const IDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

/** WLANs with the same status, fields and outcome. */
export interface CellGroup {
  readonly key: string
  readonly first: Cell
  readonly cells: readonly Cell[]
}

/** The groups of WLANs, sorted by danger, then by status, then by size. */
export function groupCells(cells: readonly Cell[]): CellGroup[] {
  return [...groupBy(cells, groupKeyOf)]
    .flatMap(([key, [first, ...rest]]) =>
      first === undefined ? [] : [{ key, first, cells: [first, ...rest] }]
    )
    .sort(
      (a, b) =>
        dangerRank(a.first.danger) - dangerRank(b.first.danger) ||
        statusRank(a.first.status) - statusRank(b.first.status) ||
        b.cells.length - a.cells.length ||
        byCodeUnit(addressOf(a.first), addressOf(b.first))
    )
}

function addressOf({ site, key }: Cell): string {
  return `${site}/${key}`
}

export function needsAttention({ status }: Cell): boolean {
  return !isHealthy(status)
}

/** True for an undeclared live WLAN of the site or the organization. */
export function isUnmanaged({ status }: Cell): boolean {
  return status === 'unmanaged' || status === 'inherited'
}

import { severityOf } from '../../field-changes.ts'
import { formatField } from '../../format-value.ts'
import { type CellStatus, statusInfos } from '../cell-status.ts'
import { type Cell, differingFields } from '../cells.ts'

export const siteOrders = ['default', 'name', 'worst'] as const

/** The order of the sites; default: by wave if there are waves, otherwise by name. */
export type SiteOrder = (typeof siteOrders)[number]

/** Filters and selection. They are part of the address, so that a link includes them. */
export interface ViewState {
  readonly text: string
  /** An empty list does not filter. */
  readonly statuses: readonly CellStatus[]
  readonly impacts: readonly string[]
  readonly fields: readonly string[]
  readonly owners: readonly string[]
  /** Hidden fields; a WLAN is hidden if all of its fields are. */
  readonly hidden: readonly string[]
  readonly order: SiteOrder
  /** The id of a run of a record. */
  readonly run: string
  /** The site with open details. */
  readonly site: string
  /** The `linkId` of the WLAN with open details; `''` for the whole site. */
  readonly wlan: string
}

export const initialState: ViewState = {
  text: '',
  statuses: [],
  impacts: [],
  fields: [],
  owners: [],
  hidden: [],
  order: 'default',
  run: '',
  site: '',
  wlan: ''
}

const knownStatuses: ReadonlySet<string> = new Set(statusInfos.map(({ status }) => status))

/** Parses a fragment; missing and invalid parts have their initial values. */
export function parseFragment(fragment: string): ViewState {
  const params = new URLSearchParams(fragment.replace(/^#/, ''))
  return {
    text: params.get('text') ?? '',
    statuses: params.getAll('status').filter((name): name is CellStatus => knownStatuses.has(name)),
    impacts: params.getAll('impact'),
    fields: params.getAll('field'),
    owners: params.getAll('owner'),
    hidden: params.getAll('hide'),
    order: siteOrders.find(order => order === params.get('order')) ?? 'default',
    run: params.get('run') ?? '',
    site: params.get('site') ?? '',
    wlan: params.get('wlan') ?? ''
  }
}

/** The fragment of a state, with `#`. Never only `#`, because browsers would scroll to the top. */
export function formatFragment(state: ViewState): string {
  const params = new URLSearchParams()
  const append = (name: string, values: readonly string[]) => {
    for (const value of values) if (value !== '') params.append(name, value)
  }
  append('run', [state.run])
  append('text', [state.text])
  append('status', state.statuses)
  append('impact', state.impacts)
  append('field', state.fields)
  append('owner', state.owners)
  append('hide', state.hidden)
  append('order', state.order === 'default' ? [] : [state.order])
  append('site', [state.site])
  append('wlan', [state.wlan])
  return `#${String(params) || 'all'}`
}

/** The members of a state that a user action (`data-action`) changes. */
export function applyAction(state: ViewState, action: string, value: string): Partial<ViewState> {
  switch (action) {
    case 'status': {
      const status = statusInfos.find(each => each.status === value)?.status
      return status === undefined ? {} : { statuses: toggle(state.statuses, status) }
    }
    case 'field':
      return { fields: toggle(state.fields, value) }
    case 'owner':
      return { owners: toggle(state.owners, value) }
    case 'impact':
      return { impacts: toggle(state.impacts, value) }
    case 'hide':
      return { hidden: toggle(state.hidden, value) }
    case 'order':
      return { order: siteOrders.find(order => order === value) ?? 'default' }
    case 'run':
      return { ...initialState, run: value }
    case 'reset': {
      const { run, order, site, wlan } = state
      return { ...initialState, run, order, site, wlan }
    }
    default:
      return {}
  }
}

function toggle<T>(values: readonly T[], value: T): readonly T[] {
  return values.includes(value) ? values.filter(each => each !== value) : [...values, value]
}

export function isFiltered(state: ViewState): boolean {
  const { text, statuses, impacts, fields, owners, hidden } = state
  return text !== '' || [statuses, impacts, fields, owners, hidden].some(list => list.length > 0)
}

/** A predicate for the WLANs that match all filters. */
export function filterOf(state: ViewState): (cell: Cell) => boolean {
  if (!isFiltered(state)) return () => true
  const { statuses, impacts, fields, owners, hidden } = state
  const words = state.text
    .toLowerCase()
    .split(/\s+/)
    .filter(word => word !== '')
  return cell =>
    (statuses.length === 0 || statuses.includes(cell.status)) &&
    (impacts.length === 0 ||
      (cell.change !== undefined && impacts.includes(severityOf(cell.change)))) &&
    (owners.length === 0 || owners.includes(cell.owner ?? '')) &&
    hasField(cell, fields) &&
    !isHidden(cell, hidden) &&
    words.every(word => searchTextOf(cell).includes(word))
}

function hasField(cell: Cell, fields: readonly string[]): boolean {
  return fields.length === 0 || differingFields(cell).some(pointer => fields.includes(pointer))
}

function isHidden(cell: Cell, hidden: readonly string[]): boolean {
  if (hidden.length === 0) return false
  const pointers = differingFields(cell)
  return pointers.length > 0 && pointers.every(pointer => hidden.includes(pointer))
}

/**
 * Cache of search texts by cell, since each key press searches the same ones. Bound: the cells of the page;
 * bench: longest task.
 */
const searchTexts = new WeakMap<Cell, string>()

/** The text that the search matches, in lower case; only the address for WLANs in sync. */
function searchTextOf(cell: Cell): string {
  if (cell.status === 'sync') return `${cell.site}/${cell.key}`.toLowerCase()
  const known = searchTexts.get(cell)
  if (known !== undefined) return known
  const { site, key, owner = '', change, outcome } = cell
  const text = [
    `${site}/${key}`,
    ...differingFields(cell).map(formatField),
    change?.wlan.ssid ?? '',
    change?.origin.file ?? '',
    change === undefined ? '' : JSON.stringify(change.patch),
    change?.wlan.id ?? '',
    owner,
    outcome?.reason ?? ''
  ]
    .join('\n')
    .toLowerCase()
  searchTexts.set(cell, text)
  return text
}

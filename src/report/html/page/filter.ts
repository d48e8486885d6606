import { formatField } from '../../format-value.ts'
import { severityOf } from '../../severity.ts'
import { type Cell, pointersOf } from '../cells.ts'
import { isFiltered, type State } from './state.ts'

/** Says of each WLAN whether the filters let it through. */
export function filterOf(state: State): (cell: Cell) => boolean {
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
    words.every(word => textOf(cell).includes(word))
}

function hasField(cell: Cell, fields: readonly string[]): boolean {
  return fields.length === 0 || pointersOf(cell).some(pointer => fields.includes(pointer))
}

/** True for a WLAN of which nothing is left to be looked at. */
function isHidden(cell: Cell, hidden: readonly string[]): boolean {
  if (hidden.length === 0) return false
  const pointers = pointersOf(cell)
  return pointers.length > 0 && pointers.every(pointer => hidden.includes(pointer))
}

const texts = new WeakMap<Cell, string>()

/** All that a WLAN can be found by, in lower case; of most of them, that is the address. */
function textOf(cell: Cell): string {
  if (cell.status === 'sync') return `${cell.site}/${cell.key}`.toLowerCase()
  const known = texts.get(cell)
  if (known !== undefined) return known
  const { site, key, owner, change, outcome } = cell
  const words = [
    `${site}/${key}`,
    ...pointersOf(cell).map(formatField),
    ...(change === undefined ? [] : [change.wlan.ssid, change.origin.file]),
    ...(change === undefined ? [] : [JSON.stringify(change.patch), change.wlan.id]),
    owner ?? '',
    outcome?.reason ?? ''
  ]
  const text = words.join('\n').toLowerCase()
  texts.set(cell, text)
  return text
}

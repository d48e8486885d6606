import { byCodeUnit, groupBy } from '../values/collections.ts'
import { Secret } from '../values/secret.ts'
import {
  asNumber,
  isEmpty,
  isList,
  isUnset,
  mapValue,
  type Value,
  valueText
} from '../values/value.ts'
import { defaultOf, knownValues, type NamedField, type Subject } from './field.ts'

/** A value of a WLAN, with placeholders for its secrets; null if it is absent. */
export interface Cell {
  readonly value: Value
  /** True for the default of a field that is not declared: the live value may be another one. */
  readonly isDefault?: true
}

export interface QueryTable {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
  /** The rows are sites; all columns but the first are values of a field. */
  readonly isMatrix?: true
}

export interface SortKey {
  readonly field: NamedField
  readonly isDescending: boolean
}

/** A row for each WLAN. Numbers are sorted as numbers and before texts; rows without a value come last. */
export function wlanTable(
  subjects: readonly Subject[],
  columns: readonly NamedField[],
  keys: readonly SortKey[]
): QueryTable {
  const sorted = keys.length === 0 ? subjects : sortedBy(subjects, keys)
  return {
    columns: columns.map(({ name }) => name),
    rows: sorted.map(subject => columns.map(column => cellOf(subject, column)))
  }
}

function sortedBy(subjects: readonly Subject[], keys: readonly SortKey[]): Subject[] {
  const read = subjects.map(subject => ({
    subject,
    values: keys.map(({ field }) => rankOf(cellOf(subject, field)))
  }))
  read.sort((a, b) => {
    for (const [at, { isDescending }] of keys.entries()) {
      const order = compare(a.values[at] ?? null, b.values[at] ?? null, isDescending)
      if (order !== 0) return order
    }
    return 0
  })
  return read.map(({ subject }) => subject)
}

function rankOf({ value }: Cell): number | string | null {
  const [first = value] = isList(value) ? value : []
  const number = asNumber(first)
  if (typeof number === 'number') return number
  return isEmpty(value) ? null : plain(value)
}

function compare(
  a: number | string | null,
  b: number | string | null,
  isDescending: boolean
): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  const order =
    typeof a === 'number' && typeof b === 'number'
      ? a - b
      : typeof a === typeof b
        ? byCodeUnit(String(a), String(b))
        : Number(typeof a === 'string') - Number(typeof b === 'string')
  return isDescending ? -order : order
}

/** A cell as text: list elements one after the other, a default in parentheses; empty if absent. */
export function cellText({ value, isDefault }: Cell): string {
  return isDefault ? `(${plain(value)})` : plain(value)
}

function plain(value: Value): string {
  if (value === null) return ''
  if (isList(value)) return value.map(plain).join(', ')
  return valueText(value)
}

/** A row for each value of a field, the most common one first, with its WLANs and their sites. */
export function countTable(subjects: readonly Subject[], field: NamedField): QueryTable {
  const cells = subjects.map(subject => ({ site: subject.site, cell: cellOf(subject, field) }))
  const rows = mostCommon(groupBy(cells, ({ cell }) => cellText(cell))).map(([, group]) => [
    group[0]?.cell ?? absent,
    { value: group.length },
    { value: new Set(group.map(({ site }) => site)).size }
  ])
  return { columns: [field.name, 'WLANs', 'sites'], rows }
}

function mostCommon<T>(groups: ReadonlyMap<string, readonly T[]>) {
  return [...groups].sort(([a, of], [b, other]) => other.length - of.length || byCodeUnit(a, b))
}

/**
 * A row for each site and a column for each value of a field, the most common one first. Cells show
 * another field, or the number of WLANs.
 */
export function matrixTable(
  subjects: readonly Subject[],
  by: NamedField,
  shown?: NamedField
): QueryTable {
  const named = subjects.map(subject => ({ subject, name: cellText(cellOf(subject, by)) }))
  const columns = mostCommon(groupBy(named, ({ name }) => name)).map(([name]) => name)
  const rows = [...groupBy(named, ({ subject }) => subject.site)].map(([site, group]) => {
    const byName = groupBy(group, ({ name }) => name)
    const cells = columns.map((name): Cell => {
      const found = byName.get(name) ?? []
      if (shown === undefined) return { value: found.length || null }
      return joined(found.map(({ subject }) => cellOf(subject, shown)))
    })
    return [{ value: site }, ...cells]
  })
  return { columns: ['site', ...columns], rows, isMatrix: true }
}

function cellOf(subject: Subject, field: NamedField): Cell {
  const values = knownValues(subject, field)
  return joined(values.map(value => partOf(value ?? null, field, subject)))
}

function joined(cells: readonly Cell[]): Cell {
  const [first = absent, ...others] = cells
  if (others.length === 0) return first
  return { value: cells.map(cell => (cell.isDefault ? cellText(cell) : cell.value)) }
}

const absent: Cell = { value: null }

function partOf(value: Value, field: NamedField, subject: Subject): Cell {
  if (field.schema.secret && isUnset(value)) {
    return subject.hidesSecrets ? { value: '(unknown)' } : absent
  }
  if (!isEmpty(value)) {
    return { value: mapValue(value, each => (each instanceof Secret ? '(secret)' : undefined)) }
  }
  const usual = defaultOf(subject, field)
  if (isEmpty(usual)) return absent
  return subject.isDeclared ? { value: usual, isDefault: true } : { value: usual }
}

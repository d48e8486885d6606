import { formatNumber } from '../../../core/values/text.ts'
import { severities, severityOf } from '../../field-changes.ts'
import { formatField } from '../../format-value.ts'
import {
  type CellStatus,
  isHealthy,
  type StatusInfo,
  statusInfo,
  statusInfos
} from '../cell-status.ts'
import { type Cell, differingFields } from '../cells.ts'
import { statusIcon } from '../components.ts'
import type { ViewMode } from '../page-data.ts'
import { type Child, h, type VElement } from '../vdom.ts'
import { isFiltered, type ViewState } from './state.ts'

/** The values of a filter, each with the number of its WLANs. */
type Choices = ReadonlyMap<string, number>

/** The choices of the three menus, from all WLANs of a view, filtered or not. */
export interface FilterChoices {
  readonly fields: Choices
  readonly owners: Choices
  readonly impacts: Choices
}

export function filterChoices(cells: readonly Cell[], mode: ViewMode): FilterChoices {
  // In a plan, the statuses are the impacts.
  const changes = mode === 'outcomes' ? cells.flatMap(({ change }) => change ?? []) : []
  const impacts = tallyValues(changes.map(severityOf))
  return {
    fields: mostFirst(tallyValues(cells.flatMap(differingFields))),
    owners: mostFirst(tallyValues(cells.flatMap(({ owner }) => owner ?? []))),
    impacts: new Map(
      severities.filter(each => impacts.has(each)).map(each => [each, impacts.get(each) ?? 0])
    )
  }
}

function tallyValues<T>(values: Iterable<T>): Map<T, number> {
  const counts = new Map<T, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

function mostFirst(counts: Choices): Choices {
  return new Map([...counts].sort(([, a], [, b]) => b - a))
}

/** The filter menus, without values that are already selected. */
export function filterMenus({ fields, owners, impacts }: FilterChoices, state: ViewState): Child[] {
  return [
    menu('field', 'Field', fields, state.fields, formatField),
    menu('owner', 'Owner', owners, state.owners, name => name),
    menu('impact', 'Impact', impacts, state.impacts, impactLabel),
    menu('hide', 'Hide field', fields, state.hidden, formatField)
  ]
}

function impactLabel(impact: string): string {
  const known = severities.find(each => each === impact)
  return known === undefined ? impact : statusInfo(known).label
}

function menu(
  action: string,
  title: string,
  choices: Choices,
  chosen: readonly string[],
  label: (value: string) => string
): VElement | undefined {
  if (choices.size === 0) return undefined
  const rest = [...choices].filter(([value]) => !chosen.includes(value))
  return h(
    'label',
    { class: 'choice' },
    h('span', { class: 'visually-hidden' }, title),
    h(
      'select',
      { 'data-action': action, 'data-key': `choose ${action}` },
      h('option', { value: '' }, `${title} …`),
      rest.map(([value, n]) => h('option', { value }, `${label(value)} (${formatNumber(n)})`))
    )
  )
}

/** The selected values as buttons that remove them. */
export function activeFilters(state: ViewState): Child[] {
  if (!isFiltered(state)) return []
  return [
    state.fields.map(value => removeButton('field', value, `field ${formatField(value)}`)),
    state.owners.map(value => removeButton('owner', value, `owner ${value}`)),
    state.impacts.map(value => removeButton('impact', value, `impact ${impactLabel(value)}`)),
    state.hidden.map(value => removeButton('hide', value, `without ${formatField(value)}`)),
    h(
      'button',
      { type: 'button', class: 'quiet', 'data-action': 'reset', 'data-key': 'reset' },
      'Clear filters'
    )
  ]
}

function removeButton(action: string, value: string, text: string): VElement {
  return h(
    'button',
    {
      type: 'button',
      class: 'active-filter',
      'data-action': action,
      'data-value': value,
      'data-key': `${action} ${value}`,
      'aria-label': `${text}: remove filter`
    },
    text,
    h('span', { 'aria-hidden': 'true' }, ' ×')
  )
}

/**
 * The statuses with the number of their WLANs: the legend of the map and the status filter. `unnamed`: the
 * number of WLANs in sync that the report counts but does not name.
 */
export function legend(
  cells: readonly Cell[],
  chosen: readonly CellStatus[],
  unnamed: number
): VElement[] {
  const counts = tallyValues(cells.map(({ status }) => status))
  counts.set('sync', (counts.get('sync') ?? 0) + unnamed)
  return statusInfos
    .filter(({ status }) => (counts.get(status) ?? 0) > 0 || chosen.includes(status))
    .map(info => statusButton(info, counts.get(info.status) ?? 0, chosen.includes(info.status)))
}

function statusButton(
  { status, label, meaning }: StatusInfo,
  n: number,
  isChosen: boolean
): VElement {
  return h(
    'button',
    {
      type: 'button',
      class: `chip s-${status}${isHealthy(status) ? ' fine' : ''}`,
      'aria-pressed': String(isChosen),
      title: meaning,
      'data-action': 'status',
      'data-value': status,
      'data-key': `status ${status}`
    },
    h('strong', {}, formatNumber(n)),
    h('span', {}, statusIcon(status), label)
  )
}

import { formatNumber } from '../../../model/text.ts'
import { severities, severityOf } from '../../severity.ts'
import { shownField } from '../../shown.ts'
import { type Cell, pointersOf } from '../cells.ts'
import type { Mode } from '../data.ts'
import { lookOf } from '../status.ts'
import { type Element, h, type Tree } from '../tree.ts'
import { isFiltered, type State } from './state.ts'

/** What there is to choose from: a value, and how many WLANs have it. */
type Choices = ReadonlyMap<string, number>

/** The choices of the three lists. They are those of the whole view, whatever is filtered. */
export interface Offer {
  readonly fields: Choices
  readonly owners: Choices
  readonly impacts: Choices
}

export function offerOf(cells: readonly Cell[], mode: Mode): Offer {
  const [fields, owners, impacts] = [new Map(), new Map(), new Map()] as [
    Map<string, number>,
    Map<string, number>,
    Map<string, number>
  ]
  for (const cell of cells) {
    for (const pointer of pointersOf(cell)) add(fields, pointer)
    if (cell.owner !== undefined) add(owners, cell.owner)
    // In a plan the status says the same.
    if (mode === 'outcomes' && cell.change) add(impacts, severityOf(cell.change))
  }
  return {
    fields: byCount(fields),
    owners: byCount(owners),
    impacts: new Map(
      severities.flatMap(each => (impacts.has(each) ? [[each, impacts.get(each) ?? 0]] : []))
    )
  }
}

function add(counts: Map<string, number>, value: string): void {
  counts.set(value, (counts.get(value) ?? 0) + 1)
}

function byCount(counts: ReadonlyMap<string, number>): Choices {
  return new Map([...counts].sort(([, a], [, b]) => b - a))
}

/** The lists to choose from; what is chosen already stands as a chip after them. */
export function lists({ fields, owners, impacts }: Offer, state: State): readonly Element[] {
  return [
    ...list('field', 'Field', fields, state.fields, shownField),
    ...list('owner', 'Owner', owners, state.owners, name => name),
    ...list('impact', 'Impact', impacts, state.impacts, labelOf),
    ...list('hide', 'Hide field', fields, state.hidden, shownField)
  ]
}

function labelOf(impact: string): string {
  const known = severities.find(each => each === impact)
  return known === undefined ? impact : lookOf(known).label
}

function list(
  act: string,
  title: string,
  choices: Choices,
  chosen: readonly string[],
  shown: (value: string) => string
): Element[] {
  if (choices.size === 0) return []
  const left = [...choices].filter(([value]) => !chosen.includes(value))
  return [
    h(
      'label',
      { class: 'choice' },
      h('span', { class: 'visually-hidden' }, title),
      h(
        'select',
        { 'data-act': act, 'data-key': `choose ${act}` },
        h('option', { value: '' }, `${title} …`),
        ...left.map(([value, n]) => h('option', { value }, `${shown(value)} (${formatNumber(n)})`))
      )
    )
  ]
}

/** What is chosen, each with the way to take it back. */
export function chosenParts(state: State): readonly Tree[] {
  if (!isFiltered(state)) return []
  return [
    ...state.fields.map(value => taken('field', value, `field ${shownField(value)}`)),
    ...state.owners.map(value => taken('owner', value, `owner ${value}`)),
    ...state.impacts.map(value => taken('impact', value, `impact ${labelOf(value)}`)),
    ...state.hidden.map(value => taken('hide', value, `without ${shownField(value)}`)),
    h(
      'button',
      { type: 'button', class: 'quiet', 'data-act': 'reset', 'data-key': 'reset' },
      'Show all'
    )
  ]
}

function taken(act: string, value: string, text: string): Element {
  return h(
    'button',
    {
      type: 'button',
      class: 'taken',
      'data-act': act,
      'data-value': value,
      'data-key': `${act} ${value}`,
      'aria-label': `${text}: take it back`
    },
    text,
    h('span', { 'aria-hidden': 'true' }, ' ×')
  )
}

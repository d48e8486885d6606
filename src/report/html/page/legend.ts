import { formatNumber } from '../../../model/text.ts'
import type { Cell } from '../cells.ts'
import { icon } from '../pieces.ts'
import { type CellStatus, isFine, looks } from '../status.ts'
import { type Element, h } from '../tree.ts'

/**
 * The statuses there are, with how many WLANs have each: the legend of the map and its first filter in
 * one. `unnamed`: WLANs in sync that the report counts and does not name.
 */
export function legend(
  cells: readonly Cell[],
  chosen: readonly CellStatus[],
  unnamed: number
): readonly Element[] {
  const counts = new Map<CellStatus, number>([['sync', unnamed]])
  for (const { status } of cells) counts.set(status, (counts.get(status) ?? 0) + 1)
  return looks
    .filter(({ status }) => (counts.get(status) ?? 0) > 0 || chosen.includes(status))
    .map(({ status, label, means }) =>
      chip(status, label, means, counts.get(status) ?? 0, chosen.includes(status))
    )
}

function chip(
  status: CellStatus,
  label: string,
  means: string,
  n: number,
  isChosen: boolean
): Element {
  return h(
    'button',
    {
      type: 'button',
      class: `chip s-${status}${isFine(status) ? ' fine' : ''}`,
      'aria-pressed': String(isChosen),
      title: means,
      'data-act': 'status',
      'data-value': status,
      'data-key': `status ${status}`
    },
    h('strong', {}, formatNumber(n)),
    h('span', {}, icon(status), label)
  )
}

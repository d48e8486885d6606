import { listFirst } from '../../../model/text.ts'
import type { Cell, Site } from '../cells.ts'
import { sumOf } from '../first.ts'
import { badge, icon, open } from '../pieces.ts'
import { looks, rankOf } from '../status.ts'
import { type Element, h, type Tree } from '../tree.ts'

/** The columns of the table of sites: the map in words. */
export const siteColumns = ['Site', 'Worst', 'WLANs', 'Owner'] as const

export function siteRow({ name, cells }: Site): readonly Tree[] {
  const sorted = [...cells].sort((a, b) => rankOf(a.status) - rankOf(b.status))
  const worst = sorted[0]
  return [
    open(name, '', name),
    worst === undefined ? '' : badge(worst.status),
    sumOf(sorted),
    listFirst([...new Set(cells.flatMap(({ owner }) => owner ?? []))], 2)
  ]
}

/** One line on a site, for the line below the map and for whoever hears it. */
export function siteSentence({ name, cells }: Site, at?: Cell): string {
  const told = [...cells].sort((a, b) => rankOf(a.status) - rankOf(b.status))
  const here = at === undefined || at.key === '' ? '' : ` · ${at.key}: ${labelOf(at)}`
  return `${name}${here} · ${sumOf(told)}`
}

export function labelOf({ status }: Cell): string {
  return looks[rankOf(status)]?.label ?? status
}

/** A site's WLANs in one line, each a link. */
export function strip(cells: readonly Cell[], current: string): Element {
  return h(
    'ul',
    { class: 'strip' },
    ...cells.map(cell =>
      h(
        'li',
        { class: cell.handle === current ? 'current' : false },
        open(cell.site, cell.handle, icon(cell.status), cell.key === '' ? 'the site' : cell.key)
      )
    )
  )
}

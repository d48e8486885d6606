import type { Cell, Site } from '../cells.ts'

/** How large the tiles of the map are, in CSS pixels. */
export interface Density {
  /** Of one WLAN, the gap behind it included. */
  readonly cell: number
  readonly height: number
  /** Between two tiles. */
  readonly gapX: number
  readonly gapY: number
  /** The room above the cells for the name of the site; 0: there is none. */
  readonly name: number
}

/** From large to small: the first that fits on the screen is taken. */
const densities: readonly Density[] = [
  { cell: 16, height: 22, gapX: 14, gapY: 12, name: 16 },
  { cell: 11, height: 18, gapX: 10, gapY: 8, name: 0 },
  { cell: 8, height: 15, gapX: 8, gapY: 6, name: 0 },
  { cell: 6, height: 13, gapX: 6, gapY: 5, name: 0 },
  { cell: 5, height: 11, gapX: 5, gapY: 4, name: 0 },
  { cell: 4, height: 10, gapX: 4, gapY: 4, name: 0 },
  { cell: 3, height: 9, gapX: 4, gapY: 3, name: 0 },
  { cell: 2, height: 8, gapX: 3, gapY: 3, name: 0 }
]

/** A name of a site takes so much; tiles with names are as wide, at least. */
const NAMED = 132

/** Above each part of the fleet its title, if it has one. */
const TITLE = 26

/** Sites that are drawn together: the whole fleet, or a wave of it. */
export interface Part {
  readonly title: string
  readonly sites: readonly Site[]
}

export interface Box {
  readonly x: number
  readonly y: number
}

/** Where each site of a map is. Everything is computed, nothing stored: a fleet may have 100,000 sites. */
export class Layout {
  readonly density: Density
  readonly height: number
  readonly perRow: number
  readonly tileWidth: number
  readonly #rows: readonly Row[]

  constructor(parts: readonly Part[], slots: number, width: number, density: Density) {
    this.density = density
    const cells = Math.max(1, slots) * density.cell
    this.tileWidth = density.name > 0 ? Math.max(cells, NAMED) : cells
    this.perRow = Math.max(1, Math.floor((width + density.gapX) / (this.tileWidth + density.gapX)))
    this.#rows = rowsOf(parts, this.perRow, density)
    const last = this.#rows.at(-1)
    this.height = last === undefined ? 0 : last.y + last.height
  }

  /** The rows that are between these heights. */
  rows(from: number, to: number): readonly Row[] {
    return this.#rows.filter(({ y, height }) => y + height >= from && y <= to)
  }

  /** The site at a point, and its WLAN there. */
  at(
    { x, y }: Box,
    slotOf: (cell: Cell, at: number) => number
  ): { readonly site: Site; readonly cell?: Cell } | undefined {
    const row = this.#rows.find(
      each => each.sites.length > 0 && y >= each.y && y < each.y + each.height
    )
    const column = Math.floor(x / (this.tileWidth + this.density.gapX))
    const site = row?.sites[column]
    if (site === undefined || column >= this.perRow) return undefined
    const slot = Math.floor((x - column * (this.tileWidth + this.density.gapX)) / this.density.cell)
    const cell = site.cells.find((each, index) => slotOf(each, index) === slot)
    return { site, ...(cell && { cell }) }
  }

  /** Where a site's tile begins, by the site's number in the order of the parts. */
  boxOf(index: number): Box | undefined {
    const row = this.#rows.find(
      each => each.sites.length > 0 && index < each.first + each.sites.length
    )
    if (row === undefined) return undefined
    return { x: (index - row.first) * (this.tileWidth + this.density.gapX), y: row.y }
  }
}

/** Some tiles beside each other, or a title. */
export interface Row {
  readonly y: number
  readonly height: number
  readonly title: string
  readonly sites: readonly Site[]
  /** The number of the first of them. */
  readonly first: number
}

function rowsOf(parts: readonly Part[], perRow: number, density: Density): Row[] {
  const rows: Row[] = []
  let y = 0
  let first = 0
  const height = density.name + density.height + density.gapY
  for (const { title, sites } of parts) {
    if (title !== '') {
      rows.push({ y, height: TITLE, title, sites: [], first })
      y += TITLE
    }
    for (let at = 0; at < sites.length; at += perRow) {
      const row = sites.slice(at, at + perRow)
      rows.push({ y, height, title: '', sites: row, first })
      first += row.length
      y += height
    }
  }
  return rows
}

/** The largest layout that is no higher than there is room; if none is, the smallest. */
export function fitted(parts: readonly Part[], slots: number, width: number, room: number): Layout {
  const all = densities.map(density => () => new Layout(parts, slots, width, density))
  const fitting = all.find(make => make().height <= room) ?? all.at(-1)
  if (fitting === undefined) throw new Error('there is no density')
  return fitting()
}

import type { Cell, SiteCells } from '../cells.ts'

/** The sizes of the map, in CSS pixels. */
export interface Density {
  /** The width of a WLAN and the gap after it. */
  readonly cell: number
  readonly height: number
  readonly gapX: number
  readonly gapY: number
  /** The height of the site's name above its WLANs; 0 for maps without names. */
  readonly name: number
}

/** Largest first: the map has the first density that fits the window. */
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

/** The least width of a tile with a name. */
const NAME_WIDTH = 132

/** The height of the title of a section. */
const TITLE_HEIGHT = 26

/** Sites that the map shows under one title: the whole fleet without a title, or a wave. */
export interface MapSection {
  readonly title: string
  readonly sites: readonly SiteCells[]
}

export interface Point {
  readonly x: number
  readonly y: number
}

/** A site on the map, and the WLAN at the point. */
export interface MapHit {
  readonly site: SiteCells
  readonly cell?: Cell
}

/** A row of tiles, or a title. */
export interface MapRow extends Pick<Point, 'y'> {
  readonly height: number
  readonly title: string
  readonly sites: readonly SiteCells[]
  /** The index of the first of its sites in the map. */
  readonly first: number
}

/** The positions of the sites on the map. It stores rows, not tiles: fleets may have 100,000 sites. */
export class MapLayout {
  readonly density: Density
  readonly height: number
  readonly perRow: number
  readonly tileWidth: number
  readonly #rows: readonly MapRow[]

  /** `slots`: the number of WLANs that fit a tile. */
  constructor(sections: readonly MapSection[], slots: number, width: number, density: Density) {
    this.density = density
    const cells = Math.max(1, slots) * density.cell
    this.tileWidth = density.name > 0 ? Math.max(cells, NAME_WIDTH) : cells
    this.perRow = Math.max(1, Math.floor((width + density.gapX) / (this.tileWidth + density.gapX)))
    this.#rows = layOutRows(sections, this.perRow, density)
    const last = this.#rows.at(-1)
    this.height = last === undefined ? 0 : last.y + last.height
  }

  /** The rows that overlap a range of y. */
  rowsBetween(from: number, to: number): readonly MapRow[] {
    return this.#rows.filter(({ y, height }) => y + height >= from && y <= to)
  }

  /** The site at a point, and its WLAN there. */
  hitTest({ x, y }: Point, slotOf: (cell: Cell, index: number) => number): MapHit | undefined {
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

  /** The top left corner of a site's tile, by the index of the site in the map. */
  tileAt(index: number): Point | undefined {
    const row = this.#rows.find(
      each => each.sites.length > 0 && index < each.first + each.sites.length
    )
    if (row === undefined) return undefined
    return { x: (index - row.first) * (this.tileWidth + this.density.gapX), y: row.y }
  }
}

function layOutRows(
  sections: readonly MapSection[],
  perRow: number,
  density: Density
): readonly MapRow[] {
  const rows: MapRow[] = []
  let y = 0
  let first = 0
  const height = density.name + density.height + density.gapY
  for (const { title, sites } of sections) {
    if (title !== '') {
      rows.push({ y, height: TITLE_HEIGHT, title, sites: [], first })
      y += TITLE_HEIGHT
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

/** The layout with the largest density that fits a height; if none fits, with the smallest. */
export function fitLayout(
  sections: readonly MapSection[],
  slots: number,
  width: number,
  maximumHeight: number
): MapLayout {
  let layout: MapLayout | undefined
  for (const density of densities) {
    layout = new MapLayout(sections, slots, width, density)
    if (layout.height <= maximumHeight) return layout
  }
  if (layout === undefined) throw new Error('no density')
  return layout
}

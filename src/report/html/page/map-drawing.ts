import { type CellStatus, statusInfo, statusInfos } from '../cell-status.ts'
import type { Cell, SiteCells } from '../cells.ts'
import { glyph } from '../components.ts'

/** The sizes of the map, in CSS pixels. */
export interface Density {
  /** The width of a WLAN, and the gap after it. */
  readonly cell: number
  readonly height: number
  readonly gapX: number
  readonly gapY: number
  /** The height of the site's name above its WLANs; 0 for maps without names. */
  readonly name: number
}

/** Sorted from large to small: the map uses the first density that fits the window. */
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

/** The minimum width of a tile with a name. */
const NAME_WIDTH = 132

/** The height of the title of a section. */
const TITLE_HEIGHT = 26

/** Sites with a common title on the map: the whole fleet without a title, or a wave. */
export interface MapSection {
  readonly title: string
  readonly sites: readonly SiteCells[]
}

export interface Point {
  readonly x: number
  readonly y: number
}

/** A site on the map, and the WLAN at a point. */
export interface MapHit {
  readonly site: SiteCells
  readonly cell?: Cell
}

/** A row of tiles, or a title. */
interface MapRow extends Pick<Point, 'y'> {
  readonly height: number
  readonly title: string
  readonly sites: readonly SiteCells[]
  /** The index of the first of its sites in the map. */
  readonly first: number
}

/**
 * The positions of the sites on the map. It stores rows instead of tiles, because fleets may have 100,000
 * sites.
 */
export class MapLayout {
  readonly density: Density
  readonly height: number
  readonly perRow: number
  readonly tileWidth: number
  readonly #rows: readonly MapRow[]

  /** `slots`: the number of WLANs that fit in a tile. */
  constructor(sections: readonly MapSection[], slots: number, width: number, density: Density) {
    this.density = density
    const cells = Math.max(1, slots) * density.cell
    this.tileWidth = density.name > 0 ? Math.max(cells, NAME_WIDTH) : cells
    this.perRow = Math.max(1, Math.floor((width + density.gapX) / (this.tileWidth + density.gapX)))
    this.#rows = layOutRows(sections, this.perRow, density)
    const last = this.#rows.at(-1)
    this.height = last === undefined ? 0 : last.y + last.height
  }

  /** The rows that overlap a vertical range. */
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

  /** The top left corner of a site's tile, by the index of the site. */
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

/** The layout with the largest density that fits a height, or else with the smallest density. */
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

/** The colours of the map, which follow the colour scheme of the system. */
export interface MapColours {
  readonly text: string
  readonly faint: string
  readonly focus: string
  readonly status: ReadonlyMap<CellStatus, string>
}

export function readColours(element: Element): MapColours {
  const style = getComputedStyle(element)
  const value = (name: string) => style.getPropertyValue(name).trim()
  return {
    text: value('--text'),
    faint: value('--faint'),
    focus: value('--focus'),
    status: new Map(statusInfos.map(({ status }) => [status, value(`--s-${status}`)]))
  }
}

export interface MapScene {
  readonly layout: MapLayout
  readonly colours: MapColours
  readonly slotOf: (cell: Cell, index: number) => number
  readonly isShown: (cell: Cell) => boolean
  /** The scroll position, and the height of the visible part. */
  readonly top: number
  readonly height: number
}

/** The opacity of WLANs that do not match the filters. */
const FAINT = 0.16

/** The path data of the WLANs of one status. */
interface StatusPaths {
  readonly shown: { readonly fill: string[]; readonly stroke: string[] }
  readonly faint: { readonly fill: string[]; readonly stroke: string[] }
}

/** Paints the visible part of the map, with one path for all WLANs of a status. */
export function paintMap(canvas: CanvasRenderingContext2D, scene: MapScene): void {
  const { layout, top, height, colours } = scene
  const paths = new Map<CellStatus, StatusPaths>()
  for (const row of layout.rowsBetween(top, top + height)) {
    if (row.title !== '') paintTitle(canvas, row, scene)
    for (const [column, site] of row.sites.entries()) {
      const x = column * (layout.tileWidth + layout.density.gapX)
      if (layout.density.name > 0) paintName(canvas, site.name, x, row.y - top, scene)
      for (const [index, cell] of site.cells.entries()) {
        addGlyph(paths, cell, index, x, row.y - top, scene)
      }
    }
  }
  for (const [status, { shown, faint }] of paths) {
    const colour = colours.status.get(status) ?? colours.text
    canvas.fillStyle = colour
    canvas.strokeStyle = colour
    canvas.lineWidth = 1
    for (const [alpha, { fill, stroke }] of [
      [FAINT, faint],
      [1, shown]
    ] as const) {
      canvas.globalAlpha = alpha
      canvas.fill(new Path2D(fill.join('')))
      canvas.stroke(new Path2D(stroke.join('')))
    }
  }
}

function addGlyph(
  paths: Map<CellStatus, StatusPaths>,
  cell: Cell,
  index: number,
  x: number,
  y: number,
  { layout, slotOf, isShown }: MapScene
): void {
  const { status } = cell
  const { cell: width, height, name: nameHeight } = layout.density
  const statusPaths = paths.get(status) ?? {
    shown: { fill: [], stroke: [] },
    faint: { fill: [], stroke: [] }
  }
  paths.set(status, statusPaths)
  const gap = width > 3 ? Math.max(1, Math.round(width / 6)) : width > 2 ? 0.5 : 0
  const left = x + slotOf(cell, index) * width
  const { fill, stroke } = glyph(
    statusInfo(status).shape,
    left,
    y + nameHeight,
    width - gap,
    height
  )
  const target = isShown(cell) ? statusPaths.shown : statusPaths.faint
  if (fill !== '') target.fill.push(fill)
  if (stroke !== '') target.stroke.push(stroke)
}

function paintTitle(
  canvas: CanvasRenderingContext2D,
  { y, height, title }: MapRow,
  { top, colours }: MapScene
): void {
  canvas.globalAlpha = 1
  canvas.fillStyle = colours.text
  canvas.font = '600 13px system-ui, sans-serif'
  canvas.fillText(title, 0, y - top + height - 9)
  canvas.fillStyle = colours.faint
  canvas.fillRect(0, y - top + height - 4, canvas.canvas.clientWidth, 1)
}

function paintName(
  canvas: CanvasRenderingContext2D,
  name: string,
  x: number,
  y: number,
  { layout, colours }: MapScene
): void {
  canvas.globalAlpha = 1
  canvas.fillStyle = colours.text
  canvas.font = '12px system-ui, sans-serif'
  canvas.fillText(truncateToWidth(canvas, name, layout.tileWidth), x, y + 11)
}

function truncateToWidth(canvas: CanvasRenderingContext2D, text: string, width: number): string {
  if (canvas.measureText(text).width <= width) return text
  let end = text.length
  while (end > 1 && canvas.measureText(`${text.slice(0, end)}…`).width > width) end -= 1
  return `${text.slice(0, end)}…`
}

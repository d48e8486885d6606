import { type CellStatus, statusInfo, statusInfos } from '../cell-status.ts'
import type { Cell } from '../cells.ts'
import { glyph } from '../components.ts'
import type { MapLayout, MapRow } from './map-layout.ts'

/** The colours of the map; they change with the colour scheme of the system. */
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

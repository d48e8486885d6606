import type { Cell } from '../cells.ts'
import { glyph } from '../glyph.ts'
import { type CellStatus, looks } from '../status.ts'
import type { Layout, Row } from './layout.ts'

/** What the map is painted with; read anew when the colours of the system change. */
export interface Colours {
  readonly text: string
  readonly faint: string
  readonly focus: string
  readonly status: ReadonlyMap<CellStatus, string>
}

export function coloursOf(element: Element): Colours {
  const style = getComputedStyle(element)
  const value = (name: string) => style.getPropertyValue(name).trim()
  return {
    text: value('--text'),
    faint: value('--faint'),
    focus: value('--focus'),
    status: new Map(looks.map(({ status }) => [status, value(`--s-${status}`)]))
  }
}

export interface Scene {
  readonly layout: Layout
  readonly colours: Colours
  readonly slotOf: (cell: Cell, at: number) => number
  readonly passes: (cell: Cell) => boolean
  /** The upper end of what is seen. */
  readonly top: number
  readonly height: number
}

/** How faint what the filters leave out is. */
const OUT = 0.16

/** Paints what is seen of the map: the WLANs of one status with one stroke, so that it is quick. */
export function paint(canvas: CanvasRenderingContext2D, scene: Scene): void {
  const { layout, top, height, colours } = scene
  const rows = layout.rows(top, top + height)
  const paths = new Map<CellStatus, { in: Paths; out: Paths }>()
  for (const row of rows) {
    if (row.title !== '') title(canvas, row, scene)
    for (const [column, site] of row.sites.entries()) {
      const x = column * (layout.tileWidth + layout.density.gapX)
      if (layout.density.name > 0) name(canvas, site.name, x, row.y - top, scene)
      for (const [at, cell] of site.cells.entries()) collect(paths, cell, at, x, row.y, scene)
    }
  }
  for (const [status, { in: seen, out }] of paths) {
    const colour = colours.status.get(status) ?? colours.text
    canvas.fillStyle = colour
    canvas.strokeStyle = colour
    canvas.lineWidth = 1
    canvas.globalAlpha = OUT
    canvas.fill(new Path2D(out.fill.join('')))
    canvas.stroke(new Path2D(out.stroke.join('')))
    canvas.globalAlpha = 1
    canvas.fill(new Path2D(seen.fill.join('')))
    canvas.stroke(new Path2D(seen.stroke.join('')))
  }
}

interface Paths {
  readonly fill: string[]
  readonly stroke: string[]
}

const shapeOf = new Map(looks.map(({ status, shape }) => [status, shape]))

function collect(
  paths: Map<CellStatus, { in: Paths; out: Paths }>,
  cell: Cell,
  at: number,
  x: number,
  y: number,
  { layout, top, slotOf, passes }: Scene
): void {
  const { cell: width, height, name: above } = layout.density
  const known = paths.get(cell.status) ?? {
    in: { fill: [], stroke: [] },
    out: { fill: [], stroke: [] }
  }
  paths.set(cell.status, known)
  const gap = width > 3 ? Math.max(1, Math.round(width / 6)) : width > 2 ? 0.5 : 0
  const left = x + slotOf(cell, at) * width
  const { fill, stroke } = glyph(
    shapeOf.get(cell.status) ?? 'low',
    left,
    y + above - top,
    width - gap,
    height
  )
  const target = passes(cell) ? known.in : known.out
  if (fill !== '') target.fill.push(fill)
  if (stroke !== '') target.stroke.push(stroke)
}

function title(
  canvas: CanvasRenderingContext2D,
  { y, height, title: text }: Row,
  { top, colours }: Scene
): void {
  canvas.globalAlpha = 1
  canvas.fillStyle = colours.text
  canvas.font = '600 13px system-ui, sans-serif'
  canvas.fillText(text, 0, y - top + height - 9)
  canvas.fillStyle = colours.faint
  canvas.fillRect(0, y - top + height - 4, canvas.canvas.clientWidth, 1)
}

function name(
  canvas: CanvasRenderingContext2D,
  text: string,
  x: number,
  y: number,
  { layout, colours }: Scene
): void {
  canvas.globalAlpha = 1
  canvas.fillStyle = colours.text
  canvas.font = '12px system-ui, sans-serif'
  canvas.fillText(shortened(canvas, text, layout.tileWidth), x, y + 11)
}

function shortened(canvas: CanvasRenderingContext2D, text: string, room: number): string {
  if (canvas.measureText(text).width <= room) return text
  let end = text.length
  while (end > 1 && canvas.measureText(`${text.slice(0, end)}…`).width > room) end -= 1
  return `${text.slice(0, end)}…`
}

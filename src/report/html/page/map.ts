import { escapeInside } from '../../escape.ts'
import { type Cell, isUnmanaged, type SiteCells } from '../cells.ts'
import {
  fitLayout,
  type MapColours,
  type MapHit,
  type MapLayout,
  type MapSection,
  paintMap,
  readColours
} from './map-drawing.ts'
import { siteLine } from './sites.ts'

/** With more keys than this, the WLANs of a site fill the slots in order instead of being aligned by key. */
const ALIGNED_KEYS = 24

/** The maximum share of the window's height for the map, and its minimum height in CSS pixels. */
const SHARE = 0.62
const LEAST_HEIGHT = 300

export interface MapElements {
  /** The scroll container. */
  readonly frame: HTMLElement
  /** Has the height of the whole map. */
  readonly spacer: HTMLElement
  readonly canvas: HTMLCanvasElement
  /** Describes the site under the pointer or at the cursor. */
  readonly readout: HTMLElement
}

/** The fleet as tiles on a canvas: a tile for each site, with a bar for each WLAN. */
export class FleetMap {
  readonly #elements: MapElements
  readonly #open: (site: string, wlan: string) => void
  #sites: readonly SiteCells[] = []
  #sections: readonly MapSection[] = []
  #slots = 1
  #slotOf: (cell: Cell, index: number) => number = (_, index) => index
  #isShown: (cell: Cell) => boolean = () => true
  #layout: MapLayout | undefined
  #colours: MapColours | undefined
  #cursor = 0
  #openSite = ''
  #frameRequest = 0

  constructor(elements: MapElements, open: (site: string, wlan: string) => void) {
    this.#elements = elements
    this.#open = open
    const { frame, canvas } = elements
    frame.addEventListener('scroll', () => this.#schedulePaint(), { passive: true })
    canvas.addEventListener('mousemove', event => this.#describe(this.#hit(event)))
    canvas.addEventListener('click', event => this.#click(event))
    canvas.addEventListener('keydown', event => this.#key(event))
    canvas.addEventListener('focus', () => this.#moveTo(this.#cursor))
    canvas.addEventListener('blur', () => this.#schedulePaint())
    new ResizeObserver(() => this.#layOut()).observe(frame)
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      this.#colours = undefined
      this.#schedulePaint()
    })
  }

  /** Shows the sites of sections. `columns`: the keys of their WLANs. */
  show(sections: readonly MapSection[], columns: readonly string[]): void {
    this.#sections = sections
    this.#sites = sections.flatMap(({ sites }) => sites)
    const most = (sizeOf: (site: SiteCells) => number, least: number) =>
      this.#sites.reduce((max, site) => Math.max(max, sizeOf(site)), least)
    if (columns.length > ALIGNED_KEYS) {
      this.#slots = most(({ cells }) => cells.length, 1)
      this.#slotOf = (_, index) => index
    } else {
      const slots = new Map(columns.map((key, index) => [key, index]))
      this.#slots = columns.length + most(({ cells }) => cells.filter(isUnmanaged).length, 0)
      this.#slotOf = (cell, index) =>
        isUnmanaged(cell) ? Math.max(index, columns.length) : (slots.get(cell.key) ?? index)
    }
    this.#cursor = 0
    this.#layOut()
  }

  /** Fades the WLANs that do not match the filters, and marks the open site; `''` for none. */
  mark(isShown: (cell: Cell) => boolean, openSite: string): void {
    this.#isShown = isShown
    this.#openSite = openSite
    this.#schedulePaint()
  }

  #layOut(): void {
    const { frame, spacer } = this.#elements
    const width = frame.clientWidth
    if (width === 0) return
    const height = Math.max(LEAST_HEIGHT, innerHeight * SHARE)
    this.#layout = fitLayout(this.#sections, this.#slots, width - 4, height)
    spacer.style.height = `${this.#layout.height + 4}px`
    this.#schedulePaint()
  }

  #schedulePaint(): void {
    if (this.#frameRequest !== 0) return
    this.#frameRequest = requestAnimationFrame(() => {
      this.#frameRequest = 0
      this.#paint()
    })
  }

  #paint(): void {
    const { frame, canvas } = this.#elements
    const context = canvas.getContext('2d')
    const layout = this.#layout
    if (context === null || layout === undefined) return
    const [width, height] = [frame.clientWidth, Math.min(frame.clientHeight, layout.height + 4)]
    const scale = devicePixelRatio || 1
    canvas.width = Math.round(width * scale)
    canvas.height = Math.round(height * scale)
    canvas.style.width = `${width}px`
    canvas.style.height = `${height}px`
    context.scale(scale, scale)
    context.translate(2, 2)
    this.#colours ??= readColours(canvas)
    const [colours, slotOf, isShown] = [this.#colours, this.#slotOf, this.#isShown]
    paintMap(context, { layout, colours, slotOf, isShown, top: frame.scrollTop, height })
    this.#paintRings(context, layout, colours)
  }

  /** Paints a ring around the open site, and one around the site at the cursor. */
  #paintRings(
    context: CanvasRenderingContext2D,
    layout: MapLayout,
    { text, focus }: MapColours
  ): void {
    const { frame, canvas } = this.#elements
    const open =
      this.#openSite === '' ? -1 : this.#sites.findIndex(({ name }) => name === this.#openSite)
    const cursor = document.activeElement === canvas ? this.#cursor : -1
    for (const [index, colour] of [
      [open, text],
      [cursor, focus]
    ] as const) {
      const tile = index < 0 ? undefined : layout.tileAt(index)
      if (tile === undefined) continue
      const { height, name } = layout.density
      context.strokeStyle = colour
      context.lineWidth = 2
      context.strokeRect(
        tile.x - 1.5,
        tile.y - frame.scrollTop - 1.5,
        layout.tileWidth + 2,
        name + height + 3
      )
    }
  }

  #hit(event: MouseEvent): MapHit | undefined {
    const { canvas, frame } = this.#elements
    const from = canvas.getBoundingClientRect()
    const point = {
      x: event.clientX - from.left - 2,
      y: event.clientY - from.top - 2 + frame.scrollTop
    }
    return this.#layout?.hitTest(point, this.#slotOf)
  }

  #describe(hit: MapHit | undefined): void {
    const { canvas, readout } = this.#elements
    canvas.style.cursor = hit === undefined ? 'default' : 'pointer'
    if (hit !== undefined) readout.textContent = escapeInside(siteLine(hit.site, hit.cell))
  }

  #click(event: MouseEvent): void {
    const hit = this.#hit(event)
    if (hit === undefined) return
    this.#cursor = this.#sites.indexOf(hit.site)
    const { site, cell } = hit
    this.#open(site.name, cell === undefined || cell.status === 'sync' ? '' : cell.linkId)
  }

  #key(event: KeyboardEvent): void {
    const perRow = this.#layout?.perRow ?? 1
    const steps: Readonly<Record<string, number>> = {
      ArrowRight: 1,
      ArrowLeft: -1,
      ArrowDown: perRow,
      ArrowUp: -perRow,
      PageDown: perRow * 10,
      PageUp: -perRow * 10,
      Home: -this.#sites.length,
      End: this.#sites.length
    }
    const site = this.#sites[this.#cursor]
    if (event.key === 'Enter' || event.key === ' ') {
      if (site !== undefined) this.#open(site.name, '')
    } else if (Object.hasOwn(steps, event.key)) this.#moveTo(this.#cursor + (steps[event.key] ?? 0))
    else return
    event.preventDefault()
  }

  #moveTo(to: number): void {
    const { frame, readout } = this.#elements
    this.#cursor = Math.max(0, Math.min(this.#sites.length - 1, to))
    const site = this.#sites[this.#cursor]
    const tile = this.#layout?.tileAt(this.#cursor)
    if (site === undefined || tile === undefined || this.#layout === undefined) return
    const { height, name } = this.#layout.density
    if (tile.y < frame.scrollTop) frame.scrollTop = tile.y
    const end = tile.y + height + name + 6
    if (end > frame.scrollTop + frame.clientHeight) frame.scrollTop = end - frame.clientHeight
    readout.textContent = escapeInside(siteLine(site))
    this.#schedulePaint()
  }
}

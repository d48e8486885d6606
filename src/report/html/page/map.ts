import { escapeInside } from '../../escape.ts'
import type { Cell, Site } from '../cells.ts'
import { fitted, type Layout, type Part } from './layout.ts'
import { type Colours, coloursOf, paint } from './paint.ts'
import { siteSentence } from './sites.ts'

/** Beyond so many different WLANs their columns mean nothing: then the nth of each site is at the nth place. */
const SLOTS = 24

/** So much of the window may be the map. */
const SHARE = 0.62
const LEAST = 300

export interface MapParts {
  /** Scrolls. */
  readonly frame: HTMLElement
  /** As high as the whole map. */
  readonly spacer: HTMLElement
  readonly canvas: HTMLCanvasElement
  /** Says what is under the pointer, or at the cursor. */
  readonly readout: HTMLElement
}

/** The fleet as tiles on a canvas: a tile for each site, in it a bar for each WLAN. */
export class FleetMap {
  readonly #parts: MapParts
  readonly #open: (site: string, wlan: string) => void
  #sites: readonly Site[] = []
  #groups: readonly Part[] = []
  #slots = 1
  #slotOf: (cell: Cell, at: number) => number = (_, at) => at
  #passes: (cell: Cell) => boolean = () => true
  #layout: Layout | undefined
  #colours: Colours | undefined
  #cursor = 0
  #current = ''
  #frame = 0

  constructor(parts: MapParts, open: (site: string, wlan: string) => void) {
    this.#parts = parts
    this.#open = open
    const { frame, canvas } = parts
    frame.addEventListener('scroll', () => this.#paintSoon(), { passive: true })
    canvas.addEventListener('mousemove', event => this.#read(this.#hit(event)))
    canvas.addEventListener('click', event => this.#click(event))
    canvas.addEventListener('keydown', event => this.#key(event))
    canvas.addEventListener('focus', () => this.#move(this.#cursor))
    canvas.addEventListener('blur', () => this.#paintSoon())
    new ResizeObserver(() => this.#lay()).observe(frame)
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      this.#colours = undefined
      this.#paintSoon()
    })
  }

  /** Shows these sites, in parts. `columns`: the keys of WLANs, each of which has a place of its own. */
  show(groups: readonly Part[], columns: readonly string[]): void {
    this.#groups = groups
    this.#sites = groups.flatMap(({ sites }) => sites)
    const places = new Map(columns.map((key, at) => [key, at]))
    const most = this.#sites.reduce((max, { cells }) => Math.max(max, cells.length), 1)
    const inColumns = columns.length <= SLOTS
    const strangers = this.#sites.reduce(
      (max, { cells }) => Math.max(max, cells.filter(isStranger).length),
      0
    )
    this.#slots = inColumns ? columns.length + strangers : most
    this.#slotOf = (cell, at) =>
      inColumns && !isStranger(cell)
        ? (places.get(cell.key) ?? at)
        : inColumns
          ? Math.max(at, columns.length)
          : at
    this.#cursor = 0
    this.#lay()
  }

  /** What the filters let through is bright, the rest faint. `current`: the site that is open. */
  mark(passes: (cell: Cell) => boolean, current: string): void {
    this.#passes = passes
    this.#current = current
    this.#paintSoon()
  }

  focus(): void {
    this.#parts.canvas.focus()
  }

  #lay(): void {
    const { frame, spacer } = this.#parts
    const width = frame.clientWidth
    if (width === 0) return
    const room = Math.max(LEAST, innerHeight * SHARE)
    this.#layout = fitted(this.#groups, this.#slots, width - 4, room)
    spacer.style.height = `${this.#layout.height + 4}px`
    this.#paintSoon()
  }

  #paintSoon(): void {
    if (this.#frame !== 0) return
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0
      this.#paint()
    })
  }

  #paint(): void {
    const { frame, canvas } = this.#parts
    const drawing = canvas.getContext('2d')
    const layout = this.#layout
    if (drawing === null || layout === undefined) return
    const [width, height] = [frame.clientWidth, Math.min(frame.clientHeight, layout.height + 4)]
    const scale = devicePixelRatio || 1
    canvas.width = Math.round(width * scale)
    canvas.height = Math.round(height * scale)
    canvas.style.width = `${width}px`
    canvas.style.height = `${height}px`
    drawing.scale(scale, scale)
    drawing.translate(2, 2)
    this.#colours ??= coloursOf(canvas)
    const [colours, slotOf, passes] = [this.#colours, this.#slotOf, this.#passes]
    paint(drawing, { layout, colours, slotOf, passes, top: frame.scrollTop, height })
    this.#rings(drawing, layout, colours)
  }

  /** Around the site that is open, and around the one at the cursor. */
  #rings(drawing: CanvasRenderingContext2D, layout: Layout, { text, focus }: Colours): void {
    const { frame, canvas } = this.#parts
    const open =
      this.#current === '' ? -1 : this.#sites.findIndex(({ name }) => name === this.#current)
    const cursor = document.activeElement === canvas ? this.#cursor : -1
    for (const [index, colour] of [
      [open, text],
      [cursor, focus]
    ] as const) {
      const box = index < 0 ? undefined : layout.boxOf(index)
      if (box === undefined) continue
      const { height, name } = layout.density
      drawing.strokeStyle = colour
      drawing.lineWidth = 2
      drawing.strokeRect(
        box.x - 1.5,
        box.y - frame.scrollTop - 1.5,
        layout.tileWidth + 2,
        name + height + 3
      )
    }
  }

  #hit(event: MouseEvent): { readonly site: Site; readonly cell?: Cell } | undefined {
    const { canvas, frame } = this.#parts
    const from = canvas.getBoundingClientRect()
    const point = {
      x: event.clientX - from.left - 2,
      y: event.clientY - from.top - 2 + frame.scrollTop
    }
    return this.#layout?.at(point, this.#slotOf)
  }

  #read(hit: { readonly site: Site; readonly cell?: Cell } | undefined): void {
    const { canvas, readout } = this.#parts
    canvas.style.cursor = hit === undefined ? 'default' : 'pointer'
    if (hit !== undefined) readout.textContent = escapeInside(siteSentence(hit.site, hit.cell))
  }

  #click(event: MouseEvent): void {
    const hit = this.#hit(event)
    if (hit === undefined) return
    this.#cursor = this.#sites.indexOf(hit.site)
    const { site, cell } = hit
    this.#open(site.name, cell === undefined || cell.status === 'sync' ? '' : cell.handle)
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
    } else if (Object.hasOwn(steps, event.key)) this.#move(this.#cursor + (steps[event.key] ?? 0))
    else return
    event.preventDefault()
  }

  #move(to: number): void {
    const { frame, readout } = this.#parts
    this.#cursor = Math.max(0, Math.min(this.#sites.length - 1, to))
    const site = this.#sites[this.#cursor]
    const box = this.#layout?.boxOf(this.#cursor)
    if (site === undefined || box === undefined || this.#layout === undefined) return
    const { height, name } = this.#layout.density
    if (box.y < frame.scrollTop) frame.scrollTop = box.y
    const end = box.y + height + name + 6
    if (end > frame.scrollTop + frame.clientHeight) frame.scrollTop = end - frame.clientHeight
    readout.textContent = escapeInside(siteSentence(site))
    this.#paintSoon()
  }
}

function isStranger({ unmanaged }: Cell): boolean {
  return unmanaged !== undefined
}

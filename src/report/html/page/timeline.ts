import type { TimelineEvent } from '../../../core/model/record.ts'
import { sortBy } from '../../../core/values/collections.ts'
import { plural } from '../../../core/values/text.ts'
import { REST } from '../../rollout.ts'
import { type CellStatus, statusInfos } from '../cell-status.ts'
import type { Cell } from '../cells.ts'
import {
  dataTable,
  detailsLink,
  formatClock,
  formatMilliseconds,
  statusBadge
} from '../components.ts'
import type { WaveData } from '../page-data.ts'
import { type Child, h, type VElement } from '../vdom.ts'

/** The time span of an update, in milliseconds since 1970. */
export interface UpdateSpan {
  readonly cell: Cell
  readonly sent: number
  /** The time of the last response; `end` if there was none. */
  readonly answered: number
  readonly end: number
  readonly attempts: number
  /** Overlapping updates have different lanes. */
  readonly lane: number
}

/** The sent updates by time, each on the lowest free lane. */
export function updateSpans(cells: readonly Cell[]): readonly UpdateSpan[] {
  const spans = cells.flatMap(cell => updateSpan(cell) ?? [])
  const sorted = sortBy(spans, ({ cell }) => cell.site).sort((a, b) => a.sent - b.sent)
  const busy = new Heap<{ readonly end: number; readonly lane: number }>(({ end }) => end)
  const free = new Heap<number>(lane => lane)
  let lanes = 0
  return sorted.map(span => {
    for (let next = busy.peek(); next !== undefined && next.end <= span.sent; next = busy.peek()) {
      busy.pop()
      free.push(next.lane)
    }
    const lane = free.pop() ?? lanes++
    busy.push({ end: span.end, lane })
    return { ...span, lane }
  })
}

function updateSpan(cell: Cell): Omit<UpdateSpan, 'lane'> | undefined {
  const events = cell.outcome?.events ?? []
  const timesOf = (step: TimelineEvent['step']) =>
    events.flatMap(event => (event.step === step ? [Date.parse(event.at)] : []))
  const sending = timesOf('sending')
  const [sent] = sending
  const end = Date.parse(events.at(-1)?.at ?? '')
  if (sent === undefined || Number.isNaN(sent) || Number.isNaN(end)) return undefined
  const answered = timesOf('answered').findLast(time => !Number.isNaN(time)) ?? end
  return { cell, sent, answered, end, attempts: sending.length }
}

/** A binary heap: the item with the lowest key comes first. */
class Heap<T> {
  readonly #items: T[] = []
  readonly #key: (item: T) => number

  constructor(key: (item: T) => number) {
    this.#key = key
  }

  peek(): T | undefined {
    return this.#items[0]
  }

  push(item: T): void {
    const items = this.#items
    let at = items.push(item) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (this.#keyAt(parent) <= this.#keyAt(at)) return
      this.#swap(at, parent)
      at = parent
    }
  }

  pop(): T | undefined {
    const items = this.#items
    if (items.length < 2) return items.pop()
    this.#swap(0, items.length - 1)
    const first = items.pop()
    for (let at = 0, child = 1; child < items.length; child = 2 * at + 1) {
      if (this.#keyAt(child + 1) < this.#keyAt(child)) child += 1
      if (this.#keyAt(at) <= this.#keyAt(child)) break
      this.#swap(at, child)
      at = child
    }
    return first
  }

  #keyAt(index: number): number {
    const item = this.#items[index]
    return item === undefined ? Number.POSITIVE_INFINITY : this.#key(item)
  }

  #swap(a: number, b: number): void {
    const items = this.#items
    const [first, second] = [items[a], items[b]]
    if (first === undefined || second === undefined) return
    items[a] = second
    items[b] = first
  }
}

/** The width of the chart and the height of a lane, in SVG units; CSS stretches them. */
const WIDTH = 1000
const LANE = 12

/** The updates as bars on lanes; those that do not match the filters are faded. */
export function timelineChart(
  updates: readonly UpdateSpan[],
  waves: readonly WaveData[],
  isShown: (cell: Cell) => boolean
): VElement {
  const from = updates.reduce((least, { sent }) => Math.min(least, sent), Number.POSITIVE_INFINITY)
  const to = updates.reduce((most, { end }) => Math.max(most, end), from)
  const x = (time: number) => ((time - from) / Math.max(1, to - from)) * WIDTH
  const starts = waveStarts(updates, waves)
  const lanes = updates.reduce((most, { lane }) => Math.max(most, lane + 1), 1)
  const duration = formatMilliseconds(to - from)
  const label = `${plural(updates.length, 'update')} in ${duration}, at most ${lanes} at the same time`
  const faint = updates.filter(({ cell }) => !isShown(cell))
  const bright = updates.filter(({ cell }) => isShown(cell))
  const borders = starts.map(({ at }) =>
    h('path', { class: 'border', d: `M${x(Math.max(at, from))} 0V${lanes * LANE}` })
  )
  return h(
    'div',
    { class: 'timeline' },
    laneSvg(label, lanes, [barPaths(faint, x, 'out'), barPaths(bright, x, 'in'), borders]),
    timeAxis([from, (from + to) / 2, to]),
    h(
      'p',
      { class: 'faint' },
      'Each bar is an update: pale until the response, then solid until it was read back.'
    ),
    starts.length > 0 && h('p', { class: 'faint' }, `Waves: ${formatStarts(starts, from)}`)
  )
}

function laneSvg(label: string, lanes: number, paths: Child): VElement {
  return h(
    'svg',
    {
      role: 'img',
      'aria-label': label,
      viewBox: `0 0 ${WIDTH} ${lanes * LANE}`,
      preserveAspectRatio: 'none',
      class: lanes > 20 ? 'dense' : false
    },
    paths
  )
}

function timeAxis(times: readonly number[]): VElement {
  const labels = times.map(time => h('span', {}, formatClock(time)))
  return h('div', { class: 'axis', 'aria-hidden': 'true' }, labels)
}

/** Two paths for all bars of a status, so that thousands of updates are fast to draw. */
function barPaths(
  updates: readonly UpdateSpan[],
  x: (time: number) => number,
  state: 'in' | 'out'
): VElement[] {
  const paths = new Map<CellStatus, { wait: string[]; check: string[] }>()
  for (const { cell, sent, answered, end, lane } of updates) {
    const path = paths.get(cell.status) ?? { wait: [], check: [] }
    paths.set(cell.status, path)
    const y = lane * LANE + LANE / 2
    path.wait.push(`M${x(sent).toFixed(1)} ${y}H${x(answered).toFixed(1)}`)
    const right = Math.max(x(end), x(answered) + 1)
    path.check.push(`M${x(answered).toFixed(1)} ${y}H${right.toFixed(1)}`)
  }
  return statusInfos.flatMap(({ status }) => {
    const path = paths.get(status)
    if (path === undefined) return []
    return [
      h('path', { class: `wait ${state} s-${status}`, d: path.wait.join('') }),
      h('path', { class: `check ${state} s-${status}`, d: path.check.join('') })
    ]
  })
}

interface WaveStart {
  readonly name: string
  readonly at: number
  /** The reason why the rollout stopped after this wave. */
  readonly problem: string | undefined
}

/** The recorded start of each wave, or the time of its first update; waves without either are omitted. */
function waveStarts(
  updates: readonly UpdateSpan[],
  waves: readonly WaveData[]
): readonly WaveStart[] {
  const firstSent = new Map<string, number>()
  for (const { cell, sent } of updates) {
    if (!firstSent.has(cell.site)) firstSent.set(cell.site, sent)
  }
  return waves.flatMap(({ name = REST, sites, started, problem }) => {
    const sent = sites.reduce(
      (least, site) => Math.min(least, firstSent.get(site) ?? least),
      Number.POSITIVE_INFINITY
    )
    const at = started === undefined ? sent : Date.parse(started)
    return Number.isFinite(at) ? [{ name, at, problem }] : []
  })
}

/** `canary from 0 ms, stores from 1 min 5 s (stopped: …)`. */
function formatStarts(starts: readonly WaveStart[], from: number): string {
  return starts
    .map(({ name, at, problem }) => {
      const stopped = problem === undefined ? '' : ` (stopped: ${problem})`
      return `${name} from ${formatMilliseconds(Math.max(0, at - from))}${stopped}`
    })
    .join(', ')
}

/** The updates as a table: the content of the chart as text. */
export function timelineTable(updates: readonly UpdateSpan[]): VElement {
  const rows = updates.map(({ cell, sent, answered, end, attempts }): Child[] => [
    detailsLink(cell.site, cell.linkId, `${cell.site}/${cell.key}`),
    statusBadge(cell.status),
    formatClock(sent),
    formatMilliseconds(answered - sent),
    formatMilliseconds(end - answered),
    String(attempts)
  ])
  const columns = ['WLAN', 'Outcome', 'Sent', 'Response after', 'Read back after', 'Attempts']
  return dataTable('Updates by time (UTC)', columns, rows)
}

import { byCodeUnit } from '../../../model/collections.ts'
import type { TimelineEvent } from '../../../model/record.ts'
import { REST } from '../../rollout.ts'
import type { Cell } from '../cells.ts'
import type { WaveData } from '../data.ts'
import { badge, open, table } from '../pieces.ts'
import { type CellStatus, looks } from '../status.ts'
import { type Element, h, type Tree } from '../tree.ts'
import { clockOf, count, span } from '../words.ts'

/** A change on its way: times in milliseconds since 1970. */
export interface Course {
  readonly cell: Cell
  readonly sent: number
  /** When the last answer came; that of one that never did is its end. */
  readonly answered: number
  readonly end: number
  readonly moments: readonly TimelineEvent[]
  /** Changes that went on at the same time are on different lanes. */
  readonly lane: number
}

/** The changes that were sent, by time, each on the first lane that is free. */
export function coursesOf(cells: readonly Cell[]): readonly Course[] {
  const courses = cells.flatMap(cell => courseOf(cell) ?? [])
  courses.sort((a, b) => a.sent - b.sent || byCodeUnit(a.cell.site, b.cell.site))
  const free: number[] = []
  return courses.map(course => {
    const found = free.findIndex(end => end <= course.sent)
    const lane = found < 0 ? free.length : found
    free[lane] = course.end
    return { ...course, lane }
  })
}

function courseOf(cell: Cell): Omit<Course, 'lane'> | undefined {
  const moments = cell.outcome?.moments ?? []
  const timeOf = (step: TimelineEvent['step']) =>
    moments.flatMap(moment => (moment.step === step ? [Date.parse(moment.at)] : []))
  const [sent] = timeOf('sending')
  const end = Date.parse(moments.at(-1)?.at ?? '')
  if (sent === undefined || Number.isNaN(sent) || Number.isNaN(end)) return undefined
  const answered = timeOf('answered').findLast(time => !Number.isNaN(time)) ?? end
  return { cell, sent, answered, end, moments }
}

/** The drawing is so wide, in units of its own, and a lane so high. */
const WIDTH = 1000
const LANE = 12

/** The times of all courses on lanes: pale until the answer, full until it was read back. */
export function chart(
  courses: readonly Course[],
  waves: readonly WaveData[],
  passes: (cell: Cell) => boolean
): Tree {
  const [from, to] = extent(courses)
  const x = (time: number) => ((time - from) / Math.max(1, to - from)) * WIDTH
  const lanes = courses.reduce((most, { lane }) => Math.max(most, lane + 1), 1)
  const borders = bordersOf(courses, waves)
  return h(
    'div',
    { class: 'timeline' },
    h(
      'svg',
      {
        role: 'img',
        'aria-label': `${count(courses.length, 'update')} in ${span(to - from)}, ${count(lanes, 'lane')} side by side`,
        viewBox: `0 0 ${WIDTH} ${lanes * LANE}`,
        preserveAspectRatio: 'none',
        class: lanes > 20 ? 'dense' : false
      },
      ...barPaths(
        courses.filter(({ cell }) => !passes(cell)),
        x,
        'out'
      ),
      ...barPaths(
        courses.filter(({ cell }) => passes(cell)),
        x,
        'in'
      ),
      ...borders.map(({ at }) =>
        h('path', { class: 'border', d: `M${x(Math.max(at, from))} 0V${lanes * LANE}` })
      )
    ),
    axis(from, to),
    h(
      'p',
      { class: 'faint' },
      'Each bar is an update: pale until it was answered, full until it was read back as declared.'
    ),
    ...(borders.length === 0 ? [] : [waveList(borders, from)])
  )
}

function extent(courses: readonly Course[]): readonly [from: number, to: number] {
  const from = courses.reduce((least, { sent }) => Math.min(least, sent), Number.POSITIVE_INFINITY)
  return [from, courses.reduce((most, { end }) => Math.max(most, end), from)]
}

/** One path for all bars of a status: thousands of them are drawn as fast as one. */
function barPaths(
  courses: readonly Course[],
  x: (time: number) => number,
  state: 'in' | 'out'
): Element[] {
  const paths = new Map<CellStatus, { wait: string[]; check: string[] }>()
  for (const { cell, sent, answered, end, lane } of courses) {
    const known = paths.get(cell.status) ?? { wait: [], check: [] }
    paths.set(cell.status, known)
    const y = lane * LANE + LANE / 2
    known.wait.push(`M${x(sent).toFixed(1)} ${y}H${x(answered).toFixed(1)}`)
    known.check.push(
      `M${x(answered).toFixed(1)} ${y}H${Math.max(x(end), x(answered) + 1).toFixed(1)}`
    )
  }
  return looks.flatMap(({ status }) => {
    const found = paths.get(status)
    if (found === undefined) return []
    return [
      h('path', { class: `wait ${state} s-${status}`, d: found.wait.join('') }),
      h('path', { class: `check ${state} s-${status}`, d: found.check.join('') })
    ]
  })
}

function axis(from: number, to: number): Element {
  const ticks = [from, (from + to) / 2, to]
  return h(
    'div',
    { class: 'axis', 'aria-hidden': 'true' },
    ...ticks.map(time => h('span', {}, clockOf(time)))
  )
}

/** When the first change of each wave was sent. */
interface Border {
  readonly name: string
  readonly at: number
  readonly problem?: string
}

function bordersOf(courses: readonly Course[], waves: readonly WaveData[]): readonly Border[] {
  const sentFirst = new Map<string, number>()
  for (const { cell, sent } of courses) {
    if (!sentFirst.has(cell.site)) sentFirst.set(cell.site, sent)
  }
  return waves.flatMap(({ name = REST, sites, started, problem }) => {
    const first = sites.reduce(
      (least, site) => Math.min(least, sentFirst.get(site) ?? least),
      Number.POSITIVE_INFINITY
    )
    const sent = first === Number.POSITIVE_INFINITY ? undefined : first
    const at = started === undefined ? sent : Date.parse(started)
    return at === undefined || Number.isNaN(at)
      ? []
      : [{ name, at, ...(problem === undefined ? {} : { problem }) }]
  })
}

function waveList(borders: readonly Border[], from: number): Element {
  const told = borders.map(({ name, at, problem }) => {
    const end = problem === undefined ? '' : ` (the last one: ${problem})`
    return `${name} from ${span(Math.max(0, at - from))}${end}`
  })
  return h('p', { class: 'faint' }, `Waves: ${told.join(', ')}`)
}

/** The same in words. */
export function courseTable(courses: readonly Course[]): Element {
  const rows = courses.map(({ cell, sent, answered, end, moments }): Tree[] => [
    open(cell.site, cell.handle, `${cell.site}/${cell.key}`),
    badge(cell.status),
    clockOf(sent),
    span(answered - sent),
    span(end - answered),
    String(moments.filter(({ step }) => step === 'sending').length)
  ])
  return table(
    'What was sent, by time (UTC)',
    ['WLAN', 'Outcome', 'Sent', 'Answered after', 'Read back after', 'Attempts'],
    rows
  )
}

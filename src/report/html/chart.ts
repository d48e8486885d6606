import { formatNumber } from '../../model/text.ts'
import { shownTime } from '../age.ts'
import { type Series, trendOf } from '../history/series.ts'
import { type Element, h } from './tree.ts'

/** The drawing has units of its own: as wide and as high as this, whatever the room for it. */
const WIDTH = 1000
const HEIGHT = 100

/**
 * A number over time: a line with a dot for each report, above an area, from 0 to the largest. What it
 * shows is in words beside it, and in the table of reports.
 */
export function chart(series: Series): Element {
  const { name, means, values } = series
  const most = values.reduce((max, { n }) => Math.max(max, n), 0)
  const [first, last] = [values[0]?.at ?? '', values.at(-1)?.at ?? '']
  return h(
    'figure',
    { class: 'chart' },
    h('figcaption', {}, h('strong', {}, name), ` ${trendOf(series)}`, h('div', {}, means)),
    h(
      'svg',
      {
        role: 'img',
        'aria-label': `${name} over time: from ${values[0]?.n ?? 0} to ${values.at(-1)?.n ?? 0}, at most ${most}`,
        viewBox: `0 -8 ${WIDTH} ${HEIGHT + 16}`,
        preserveAspectRatio: 'none'
      },
      ...drawing(series, most)
    ),
    h(
      'div',
      { class: 'axis', 'aria-hidden': 'true' },
      h('span', {}, dayOf(first)),
      h('span', {}, `at most ${formatNumber(most)}`),
      h('span', {}, dayOf(last))
    )
  )
}

function dayOf(at: string): string {
  return at === '' ? '' : shownTime(at).replace(/ \d\d:.*$/, '')
}

function drawing({ values }: Pick<Series, 'values'>, most: number): Element[] {
  const valid = values.filter(({ at }) => !Number.isNaN(Date.parse(at)))
  const times = valid.map(({ at }) => Date.parse(at))
  const [from = 0, to = 0] = [times[0], times.at(-1)]
  const spots = valid.map(({ n }, at) => {
    const x = to === from ? WIDTH / 2 : (((times[at] ?? 0) - from) / (to - from)) * WIDTH
    const y = HEIGHT - (n / Math.max(most, 1)) * HEIGHT
    return `${x.toFixed(1)} ${y.toFixed(1)}`
  })
  if (spots.length === 0) return []
  const line = `M${spots.join('L')}`
  const [left, right] = [spots[0]?.split(' ')[0], spots.at(-1)?.split(' ')[0]]
  return [
    h('path', { class: 'ground', d: `M0 ${HEIGHT}H${WIDTH}` }),
    h('path', { class: 'area', d: `${line}L${right} ${HEIGHT}L${left} ${HEIGHT}z` }),
    h('path', { class: 'line', d: line }),
    // A line without length, drawn with a round end, is a dot whatever the drawing is stretched to.
    h('path', { class: 'dots', d: spots.map(spot => `M${spot}h0`).join('') })
  ]
}

/** A share of a whole as a bar, for tables that say the number, too. */
export function bar(part: number, whole: number): Element {
  const width = whole === 0 ? 0 : Math.round((part / whole) * 100)
  return h(
    'svg',
    { class: 'meter', 'aria-hidden': 'true', viewBox: '0 0 100 10', preserveAspectRatio: 'none' },
    h('path', { d: `M0 0h${width}v10h${-width}z` })
  )
}

import { formatNumber } from '../../core/values/text.ts'
import type { Overview, StateCount } from '../overview/overview.ts'
import { html, type Markup, type Part } from './markup.ts'

/** The colour of a state; the text next to it has the same meaning. */
export function swatch(state: string): Markup {
  return html`<i class="s ${state}"></i>`
}

/** The view box of a bar, in SVG units; CSS stretches it. */
const WIDTH = 1000

const MIN_WIDTH = 6

export function statesBar({ states, notDeclared }: Overview): Part {
  if (states.length === 0) return undefined
  const label = states.map(({ count, label }) => `${formatNumber(count)} ${label}`).join(', ')
  const entries = states.map(
    ({ state, label, count }) => html`
      <li><a href="#q=s:${state}">${swatch(state)}<b>${formatNumber(count)}</b> ${label}</a></li>`
  )
  return html`
    <svg class="states" role="img" aria-label="${label}" viewBox="0 0 ${WIDTH} 1" preserveAspectRatio="none">
      ${columnsOf(states).map(
        ({ state, from, width }) => html`
          <rect class="s ${state}" x="${from}" width="${width}" height="1"/>`
      )}
    </svg>
    <ul class="legend quiet">
      ${entries}
      ${notDeclared > 0 && html`<li class="faint"><b>${formatNumber(notDeclared)}</b> not declared</li>`}
    </ul>`
}

/** The place of each state in the bar; a state that would be invisible takes its minimum from the others. */
function columnsOf(states: readonly StateCount[]) {
  const total = states.reduce((sum, { count }) => sum + count, 0)
  const widths = states.map(({ count }) => Math.max(MIN_WIDTH, (count / total) * WIDTH))
  const scale = WIDTH / widths.reduce((sum, width) => sum + width, 0)
  let end = 0
  return states.map(({ state }, at) => {
    const from = end
    end += (widths[at] ?? 0) * scale
    return { state, from: from.toFixed(1), width: (end - from).toFixed(1) }
  })
}

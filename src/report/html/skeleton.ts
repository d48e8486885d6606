import { worstSitesOf } from './cells.ts'
import type { Mode, View } from './data.ts'
import { findingsPart } from './findings.ts'
import { firstPart, NAMED } from './first.ts'
import { factsPart, verdictPart } from './overview.ts'
import { titled, wide } from './pieces.ts'
import { type Element, h, type Tree } from './tree.ts'

/** What the list of WLANs is called. */
const titles: Readonly<Record<Mode, string>> = {
  plan: 'What would change',
  drift: 'What differs',
  outcomes: 'What became of it',
  findings: 'WLANs'
}

/** What the words of the legend are about, for who would take them for what is wrong now. */
const notes: Readonly<Record<Mode, readonly string[]>> = {
  plan: ['The words say what the changes will do to the clients.'],
  drift: ['The words say what putting it right would do to the clients, not how they fare now.'],
  outcomes: [],
  findings: []
}

/**
 * The body of the page: what is told without script, and the parts that the script fills, each under the
 * id by which it finds them.
 */
export function bodyOf(view: View): Tree[] {
  return [
    h(
      'a',
      { class: 'skip', href: '#main', 'data-act': 'skip', 'data-value': 'main' },
      'Skip to the report'
    ),
    h(
      'header',
      {},
      h('div', { id: 'verdict' }, verdictPart(view)),
      h('div', { id: 'runs', hidden: true })
    ),
    h(
      'main',
      { id: 'main', tabindex: -1 },
      h(
        'noscript',
        {},
        h(
          'p',
          { class: 'calm' },
          'The map, the changes and the filters need the script of this page.'
        )
      ),
      h(
        'div',
        { class: 'glance' },
        titled('first', 'Look here first', h('div', { id: 'first-list' }, firstOf(view))),
        madeByScript(
          'fleet',
          'The fleet',
          ...notes[view.mode].map(note => h('p', { class: 'faint' }, note)),
          h('div', { id: 'legend', role: 'group', 'aria-label': 'Legend: choose what is shown' }),
          filters(),
          map()
        )
      ),
      madeByScript(
        'changes',
        titles[view.mode],
        h('p', { id: 'groups-sum', class: 'faint', role: 'status' }),
        h('ol', { id: 'groups' }),
        h('div', { id: 'groups-more' })
      ),
      madeByScript(
        'timeline',
        'What was sent and verified when',
        h('div', { id: 'timeline-chart' }),
        wide('timeline-table', 'Table of what was sent'),
        h('div', { id: 'timeline-more' })
      ),
      madeByScript(
        'sites',
        'Sites',
        h('p', { id: 'sites-sum', class: 'faint' }),
        wide('sites-table', 'Table of sites'),
        h('div', { id: 'sites-more' })
      ),
      ...(view.findings.length === 0 ? [] : [findingsPart(view.findings, view.mode !== 'findings')])
    ),
    h('aside', { id: 'detail', 'aria-labelledby': 'detail-title', hidden: true }),
    h('footer', {}, h('div', { id: 'facts' }, factsPart(view)))
  ]
}

function firstOf(view: View): Element {
  const { sites, total } = worstSitesOf(view, NAMED)
  return firstPart(
    sites.flatMap(({ cells }) => cells),
    view.mode,
    [],
    total
  )
}

/** What is empty, and not seen, until the script fills it. */
function hidden(element: Element): Element {
  return { ...element, attributes: { ...element.attributes, hidden: true } }
}

function madeByScript(id: string, title: string, ...children: readonly Tree[]): Element {
  return hidden(titled(id, title, ...children))
}

function filters(): Element {
  return h(
    'div',
    { class: 'filters', role: 'search', 'aria-label': 'Filters' },
    h(
      'label',
      { class: 'choice' },
      h('span', { class: 'visually-hidden' }, 'Find'),
      h('input', {
        id: 'text',
        type: 'search',
        placeholder: 'Find a site, WLAN, field, value …  ( / )',
        autocomplete: 'off',
        spellcheck: 'false'
      })
    ),
    h('div', { id: 'lists' }),
    h(
      'label',
      { class: 'choice' },
      h('span', { class: 'visually-hidden' }, 'Order of the sites'),
      h(
        'select',
        { id: 'order', 'data-act': 'order' },
        h('option', { value: 'usual' }, 'By name'),
        h('option', { value: 'name', hidden: true }, 'By name'),
        h('option', { value: 'worst' }, 'Worst first')
      )
    ),
    h('div', { id: 'chosen' }),
    h('p', { id: 'count', class: 'faint', role: 'status' })
  )
}

function map(): Element {
  return h(
    'div',
    { id: 'map' },
    hidden(wide('matrix', 'Table of the fleet')),
    h(
      'div',
      { id: 'frame' },
      h(
        'div',
        { id: 'spacer' },
        h('canvas', {
          id: 'canvas',
          'data-key': 'canvas',
          tabindex: 0,
          role: 'application',
          'aria-label':
            'Map of the fleet: a tile for each site, a bar for each WLAN. Arrow keys go from site to site, Enter opens one. The table of sites says the same.',
          'aria-describedby': 'readout'
        })
      )
    ),
    h(
      'p',
      { id: 'readout', role: 'status' },
      'A row of bars is a site, each bar a WLAN: the taller, the worse. Point at one, or go there with the arrow keys.'
    )
  )
}

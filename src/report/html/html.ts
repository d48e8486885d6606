import { page } from '#page'
import { escapeScript } from '../escape.ts'
import type { Report } from '../report.ts'
import { refusalGroups, WEAKENED } from '../verdict.ts'
import { cellsOfConcern } from './cells.ts'
import { factsList, inlineCode, scrollRegion, section, verdictHeader } from './components.ts'
import { findingsOverview } from './findings.ts'
import { lookFirstList } from './look-first.ts'
import type { View, ViewMode } from './page-data.ts'
import { timesSections } from './times.ts'
import { type Child, h, renderToString, type VElement, type VNode } from './vdom.ts'
import { pageData } from './views.ts'

/**
 * A report as one HTML file that needs no network, server or other file; its main content needs no script.
 */
export function renderHtml(report: Report): string {
  const data = pageData(report)
  const [view] = data.views
  const body = [
    ...pageSkeleton(view).map(renderToString),
    `<script type="application/json" id="data">${escapeScript(JSON.stringify(data))}</script>`,
    `<script>${page.script}</script>`
  ]
  return htmlDocument(`${view.verdict.text} – wlanctl`, body.join(''), `'${page.scriptHash}'`)
}

/** A complete HTML document without script. */
export function staticPage(title: string, ...body: readonly VNode[]): string {
  return htmlDocument(title, body.map(renderToString).join(''), "'none'")
}

/**
 * A complete HTML document in one file. Its content security policy blocks all requests, and any script or
 * style other than those of the page, which it identifies by hash. `scripts`: the sources of `script-src`.
 */
function htmlDocument(title: string, body: string, scripts: string): string {
  const policy = [
    "default-src 'none'",
    `script-src ${scripts}`,
    `style-src '${page.styleHash}'`,
    "img-src 'none'",
    "base-uri 'none'",
    "form-action 'none'"
  ]
  const head = [
    h('meta', { charset: 'utf-8' }),
    h('meta', { 'http-equiv': 'Content-Security-Policy', content: policy.join('; ') }),
    h('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
    h('meta', { name: 'color-scheme', content: 'light dark' }),
    h('meta', { name: 'referrer', content: 'no-referrer' }),
    h('meta', { name: 'generator', content: 'wlanctl' }),
    h('title', {}, title)
  ]
  return [
    '<!doctype html><html lang="en"><head>',
    ...head.map(renderToString),
    `<style>${page.style}</style></head><body>${body}</body></html>\n`
  ].join('')
}

/** The title of the list of WLANs. */
const titles: Readonly<Record<ViewMode, string>> = {
  plan: 'Planned changes',
  drift: 'Drift',
  outcomes: 'Outcomes',
  findings: 'WLANs'
}

/** Explanations of the labels in the legend for this kind of report. */
const notes: Readonly<Record<ViewMode, string>> = {
  plan: 'The legend shows the effect of the changes on clients.',
  drift:
    'The legend shows the effect that fixing the drift has on clients, not their current state.',
  outcomes: '',
  findings: ''
}

/**
 * The body of the page: the content for readers without script, and the empty elements that the script finds
 * by id and fills.
 */
export function pageSkeleton(view: View): VElement[] {
  const { mode, findings, unwatched, times, weakened } = view
  return [
    h(
      'a',
      { class: 'skip', href: '#main', 'data-action': 'skip', 'data-value': 'main' },
      'Skip to content'
    ),
    h(
      'header',
      {},
      h('div', { id: 'verdict' }, verdictHeader(view)),
      h('div', { id: 'runs', hidden: true })
    ),
    h(
      'main',
      { id: 'main', tabindex: -1 },
      h(
        'noscript',
        {},
        h('p', { class: 'calm' }, 'The map, the changes and the filters need JavaScript.')
      ),
      weakened.length > 0 && findingsOverview(weakened, true, { id: 'weakened', title: WEAKENED }),
      h('div', { class: 'glance' }, lookFirstSection(view), fleetSection(mode)),
      times !== undefined && timesSections(times),
      refusalGroups(view, view.command).map(({ title, findings: refused }, at) =>
        findingsOverview(refused, true, { id: at === 0 ? 'refusals' : `refusals-${at}`, title })
      ),
      listSections(mode),
      findings.length > 0 && findingsOverview(findings, mode !== 'findings'),
      unwatched.length > 0 && unwatchedOverview(view)
    ),
    h('aside', { id: 'detail', 'aria-labelledby': 'detail-title', hidden: true }),
    h('footer', {}, h('div', { id: 'facts' }, factsList(view.facts)))
  ]
}

/** The sections below the map, which the script fills. */
function listSections(mode: ViewMode): VElement[] {
  return [
    scriptSection(
      'changes',
      titles[mode],
      h('p', { id: 'groups-sum', class: 'faint', role: 'status' }),
      h('ol', { id: 'groups' }),
      h('div', { id: 'groups-more' })
    ),
    scriptSection(
      'timeline',
      'Timeline of updates',
      h('div', { id: 'timeline-chart' }),
      scrollRegion('timeline-table', 'Table of updates'),
      h('div', { id: 'timeline-more' })
    ),
    scriptSection(
      'sites',
      'Sites',
      h('p', { id: 'sites-sum', class: 'faint' }),
      scrollRegion('sites-table', 'Table of sites'),
      h('div', { id: 'sites-more' })
    )
  ]
}

function lookFirstSection(view: View): VElement {
  const list = lookFirstList(cellsOfConcern(view), view.mode)
  return section('worst', 'Look here first', h('div', { id: 'worst-list' }, list))
}

/** The guard fields that no file declares. */
function unwatchedOverview({ unwatched }: View): VElement {
  const rows = unwatched.map(([where, fields]) => h('li', {}, inlineCode(where), ` ${fields}`))
  const title = 'Not watched: fields that can change unnoticed'
  return section('unwatched', title, h('ul', {}, rows))
}

function fleetSection(mode: ViewMode): VElement {
  return scriptSection(
    'fleet',
    'The fleet',
    notes[mode] !== '' && h('p', { class: 'faint' }, notes[mode]),
    h('div', { id: 'legend', role: 'group', 'aria-label': 'Legend and status filter' }),
    filters(),
    map()
  )
}

function hidden(element: VElement): VElement {
  return { ...element, attributes: { ...element.attributes, hidden: true } }
}

/** A section that stays hidden until the script fills it. */
function scriptSection(id: string, title: string, ...children: readonly Child[]): VElement {
  return hidden(section(id, title, children))
}

function filters(): VElement {
  return h(
    'div',
    { class: 'filters', role: 'search', 'aria-label': 'Filters' },
    h(
      'label',
      { class: 'choice' },
      h('span', { class: 'visually-hidden' }, 'Search'),
      h('input', {
        id: 'text',
        type: 'search',
        placeholder: 'Search sites, WLANs, fields  ( / )',
        autocomplete: 'off',
        spellcheck: 'false'
      })
    ),
    h('div', { id: 'choices' }),
    h(
      'label',
      { class: 'choice' },
      h('span', { class: 'visually-hidden' }, 'Sort sites'),
      h(
        'select',
        { id: 'order', 'data-action': 'order' },
        h('option', { value: 'default' }, 'By name'),
        h('option', { value: 'name', hidden: true }, 'By name'),
        h('option', { value: 'worst' }, 'Worst first')
      )
    ),
    h('div', { id: 'active-filters' }),
    h('p', { id: 'count', class: 'faint', role: 'status' })
  )
}

const MAP_LABEL =
  'Map of the fleet: a tile for each site, a bar for each WLAN. Arrow keys move between sites, Enter opens a site. The table of sites has the same content.'

const MAP_HELP =
  'Each row of bars is a site, each bar a WLAN: the taller, the worse. Point at a bar, or use the arrow keys.'

function map(): VElement {
  const canvas = h('canvas', {
    id: 'canvas',
    'data-key': 'canvas',
    tabindex: 0,
    role: 'application',
    'aria-label': MAP_LABEL,
    'aria-describedby': 'readout'
  })
  return h(
    'div',
    { id: 'map' },
    hidden(scrollRegion('matrix', 'Table of the fleet')),
    h('div', { id: 'frame' }, h('div', { id: 'spacer' }, canvas)),
    h('p', { id: 'readout', role: 'status' }, MAP_HELP)
  )
}

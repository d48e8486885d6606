import { page } from '#page'
import { escapeScript } from '../escape.ts'
import { troublesOf } from './cells.ts'
import type { PageData, View } from './data.ts'
import { findingsPart } from './findings.ts'
import { firstPart } from './first.ts'
import { factsPart, verdictPart } from './overview.ts'
import { type Element, h, markup, type Tree } from './tree.ts'

/**
 * The whole page, in one file. What somebody has to know is in it as HTML, for those who read without
 * script; the rest is made by its script from the data.
 */
export function documentOf(data: PageData): string {
  const [view] = data.views
  const body = [
    ...bodyOf(view).map(markup),
    `<script type="application/json" id="data">${escapeScript(JSON.stringify(data))}</script>`,
    `<script>${page.script}</script>`
  ]
  return pageOf(`${view.verdict.text} – wlanctl`, body.join(''), `'${page.scriptHash}'`)
}

/** A page that needs no script: it is all there. */
export function staticPage(title: string, ...body: readonly Tree[]): string {
  return pageOf(title, body.map(markup).join(''), "'none'")
}

/** Nothing is loaded, and nothing runs but the page's own script: that and the style are known by hash. */
function pageOf(title: string, body: string, scripts: string): string {
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
    ...head.map(markup),
    `<style>${page.style}</style></head><body>${body}</body></html>\n`
  ].join('')
}

function bodyOf(view: View): Tree[] {
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
        titled(
          'first',
          'Look here first',
          h('div', { id: 'first-list' }, firstPart(troublesOf(view), view.mode))
        ),
        madeByScript(
          'fleet',
          'The fleet',
          h('div', { id: 'legend', role: 'group', 'aria-label': 'Legend: choose what is shown' }),
          filters(),
          map()
        )
      ),
      madeByScript(
        'changes',
        'What there is to tell',
        h('p', { id: 'groups-sum', class: 'faint', role: 'status' }),
        h('ol', { id: 'groups' }),
        h('div', { id: 'groups-more' })
      ),
      madeByScript(
        'timeline',
        'What was sent and verified when',
        h('div', { id: 'timeline-chart' }),
        h('div', {
          id: 'timeline-table',
          class: 'wide',
          tabindex: 0,
          role: 'region',
          'aria-label': 'Table of what was sent'
        }),
        h('div', { id: 'timeline-more' })
      ),
      madeByScript(
        'sites',
        'Sites',
        h('p', { id: 'sites-sum', class: 'faint' }),
        h('div', {
          id: 'sites-table',
          class: 'wide',
          tabindex: 0,
          role: 'region',
          'aria-label': 'Table of sites'
        }),
        h('div', { id: 'sites-more' })
      ),
      ...(view.findings.length === 0 ? [] : [findingsPart(view.findings, view.mode !== 'findings')])
    ),
    h('aside', { id: 'detail', 'aria-labelledby': 'detail-title', hidden: true }),
    h('footer', {}, h('div', { id: 'facts' }, factsPart(view)))
  ]
}

/** A part that is empty, and not seen, until the script fills it. */
function madeByScript(id: string, title: string, ...children: readonly Tree[]): Element {
  const made = titled(id, title, ...children)
  return { ...made, attributes: { ...made.attributes, hidden: true } }
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
    h('div', {
      id: 'matrix',
      class: 'wide',
      tabindex: 0,
      role: 'region',
      'aria-label': 'Table of the fleet',
      hidden: true
    }),
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
    h('p', { id: 'readout', role: 'status' }, 'Point at a tile, or go there with the arrow keys')
  )
}

function titled(id: string, title: string, ...children: readonly Tree[]): Element {
  return h(
    'section',
    { id, 'aria-labelledby': `${id}-title` },
    h('h2', { id: `${id}-title` }, title),
    ...children
  )
}

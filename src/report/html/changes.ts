import { present } from '../../core/values/collections.ts'
import { plural } from '../../core/values/text.ts'
import { stillLabel } from '../overview/danger-words.ts'
import type { ChangedNetwork, ChangeGroup, FieldRow } from '../overview/overview.ts'
import { textOf } from '../render/document.ts'
import { dataTable, foldedRows, inlineParts, type PageSection, placeLink } from './blocks.ts'
import { html, joined, type Markup, type Part } from './markup.ts'
import { swatch } from './states.ts'
import type { Context } from './targets.ts'

const IN_LINE = 2

export function changesSections(context: Context): PageSection[] {
  const { changes, kind } = context.overview
  if (changes.length === 0) return []
  const count = changes.reduce((sum, { networks }) => sum + networks.length, 0)
  const title = kind === 'drift' ? 'What differs' : 'Changes'
  const items = changes.map(group => groupItem(group, context))
  return [{ id: 'changes', title, count, body: foldedRows(items, 'more kind') }]
}

function groupItem(group: ChangeGroup, context: Context): Markup {
  const { targets, source } = context
  const { state, title, networks, fields, effect, left, results = [] } = group
  const values = fields
    .slice(0, IN_LINE)
    .map(
      ({ name, value }) =>
        html`<div class="small"><code>${name}</code> ${inlineParts(value, source)}</div>`
    )
  return html`
    <li data-links id="${targets.idOf(group)}">
      <details>
        <summary class="row">
          ${swatch(state)}
          <div><b>${inlineParts(title, source)}</b> <span class="faint">${placeOf(group)}</span></div>
          <div>
            ${left !== undefined && html`<div class="less small">${stillLabel(left)}</div>`}
            ${results.map(text => html`<div class="small">${inlineParts(text, source)}</div>`)}
            ${values}
          </div>
          <div class="faint small">${effect}</div>
        </summary>
        <div>
          ${changeDetails(group, context)}
          <ul class="places small">
            ${networks.map(network => html`<li>${targets.link(network.address, nameOf(network, group))}</li>`)}
          </ul>
        </div>
      </details>
    </li>`
}

/** The site of a network of a group, with its SSID unless that is the name of all. */
function nameOf({ site, ssid }: ChangedNetwork, { title }: ChangeGroup): string {
  return textOf(title.slice(0, 1)) === ssid ? site : `${site} (${ssid})`
}

/** `at 3 sites`, or the name of the only one, unless the title has it. */
function placeOf({ title, networks }: ChangeGroup): string {
  const [site = '', ...others] = new Set(networks.map(network => network.site))
  if (others.length > 0) return `at ${plural(others.length + 1, 'site')}`
  return textOf(title).includes(site) ? '' : `at ${site}`
}

export function changeDetails(group: ChangeGroup, { overview, source }: Context): Part {
  const { fields, effect, notes, results = [] } = group
  const isRead = overview.kind === 'drift' || overview.kind === 'plan'
  const columns = ['Field', isRead ? 'Live now → should be' : 'Before → after']
  const rows = fields.map(field => fieldCells(field, source))
  return [
    results.map(text => html`<p>${inlineParts(text, source)}</p>`),
    rows.length > 0 && dataTable(columns, rows),
    effect !== undefined && html`<p class="faint">${effect}</p>`,
    notes.map(note => html`<p class="faint">${note}</p>`)
  ]
}

function fieldCells(field: FieldRow, source: Context['source']): Part[] {
  const { name, value, lines = [value], place, sources = [], cause, isDowngrade } = field
  const facts = present<Part>(place && html`declared in ${placeLink(place, source)}`, cause)
  return [
    html`<code>${name}</code>`,
    [
      lines.map(line => html`<div>${inlineParts(line, source)}</div>`),
      isDowngrade !== undefined && html`<div class="less small">less secure</div>`,
      sources.map(each => html`<div class="faint small">${each}</div>`),
      facts.length > 0 && html`<div class="faint small">${joined(facts, ' · ')}</div>`
    ]
  ]
}

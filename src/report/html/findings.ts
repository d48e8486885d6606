import { formatNumber, listFirst, plural } from '../../core/values/text.ts'
import { findingTitle } from '../overview/findings.ts'
import type { FindingGroup, FindingStatus } from '../overview/overview.ts'
import { inlineParts, placeLink } from './blocks.ts'
import type { Context } from './context.ts'
import { html, joined, type Markup } from './markup.ts'
import { fold, foldedRows, type PageSection } from './shell.ts'
import { ruleOf, tokens } from './targets.ts'

/** The number of findings before a fold. */
const LISTED = 20

/** The number of places in a list. */
const PLACES = 200

/** The statuses with a section of their own, and the last one with a fold for those behind it. */
const listed = ['weakened', 'refused', 'left-out', 'needed', 'new'] as const
const folded = ['known', 'note'] as const

/** What the files stop enforcing and what `apply` would refuse, then the findings; those that ask for nothing new are folded. */
export function findingsSections(context: Context): PageSection[] {
  const { kind, findings } = context.overview
  const by = kind === 'revert' ? 'revert' : 'apply'
  const ofStatus = (status: FindingStatus) => findings.filter(group => group.status === status)
  return listed.flatMap(status => {
    const groups = ofStatus(status)
    const rows = groups.map(group => findingItem(group, context))
    const folds = (status === 'new' ? folded : []).map(each => {
      const known = ofStatus(each)
      const items = known.map(group => findingItem(group, context))
      const title = `${findingTitle(each)} (${formatNumber(countOf(known))})`
      return known.length > 0 && fold(title, html`<ul class="rows">${items}</ul>`)
    })
    if (rows.length === 0 && folds.every(each => each === false)) return []
    const id = status === 'new' ? 'findings' : status
    const body = [foldedRows(rows, LISTED, 'more finding'), folds]
    return [{ id, title: findingTitle(status, by), count: countOf(groups), body }]
  })
}

function countOf(groups: readonly FindingGroup[]): number {
  return groups.reduce((sum, { count }) => sum + count, 0)
}

function findingItem(group: FindingGroup, { targets, source }: Context): Markup {
  const { level, code, message, hint, addresses, noun, places, path, owners, count } = group
  const shown = addresses.slice(0, PLACES)
  const rest = addresses.length - shown.length
  const facts = [
    code,
    ...(path === undefined ? [] : [path]),
    ...(owners.length === 0 ? [] : [`owner ${listFirst(owners, 5)}`])
  ]
  const data = tokens([
    ['level', level],
    ['rule', ruleOf(code)],
    ...owners.map(owner => ['owner', owner] as const),
    ...places.slice(0, PLACES).map(({ file }) => ['file', file] as const)
  ])
  const isShort = addresses.length + places.length <= 2
  const where = [
    shown.length > 0 &&
      html`
        <ul class="${isShort ? 'inline' : 'places'} small">
          ${shown.map(address => html`<li>${targets.link(address)}</li>`)}
          ${rest > 0 && html`<li>and ${formatNumber(rest)} more</li>`}
        </ul>`,
    places.length > 0 &&
      html`
        <ul class="inline small">
          ${places.slice(0, PLACES).map(place => html`<li>${placeLink(place, source)}</li>`)}
        </ul>`
  ]
  return html`
    <li data-links data-t="${data}">
      <div class="finding">
        <b class="level ${level}">${level}</b>
        <div>
          <p>${inlineParts(message, source)}</p>
          ${hint !== undefined && html`<p class="faint small">${inlineParts(hint, source)}</p>`}
          ${isShort ? where : html`<details><summary>${plural(addresses.length || count, noun)}</summary>${where}</details>`}
        </div>
        <div class="faint small">${joined(facts, ' · ')}</div>
      </div>
    </li>`
}

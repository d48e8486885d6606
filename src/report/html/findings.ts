import { formatNumber, plural } from '../../core/values/text.ts'
import { countOf, findingsWith, findingTitle } from '../overview/findings.ts'
import type { FindingGroup, FindingStatus } from '../overview/overview.ts'
import { textOf } from '../render/document.ts'
import { messageText } from '../wording/message.ts'
import { fold, foldedRows, inlineParts, type PageSection, placeLink } from './blocks.ts'
import { html, joined, type Markup, type Part } from './markup.ts'
import { type Context, ruleOf, tokens } from './targets.ts'

const PLACES = 200

/** The statuses of what a reader has to know before the changes, and of what is behind the findings. */
const first = ['refused', 'left-out', 'needed', 'removed'] as const
const folded = ['known', 'note'] as const

export function refusalSections(context: Context): PageSection[] {
  return first.flatMap(status => {
    const groups = findingsWith(context.overview, status)
    if (groups.length === 0) return []
    const title = findingTitle(status, context.overview)
    return [{ id: status, title, count: countOf(groups), body: findingRows(groups, context) }]
  })
}

export function findingsSections(context: Context): PageSection[] {
  const ofStatus = (status: FindingStatus) => findingsWith(context.overview, status)
  const groups = ofStatus('new')
  const folds = folded.flatMap(status => {
    const known = findingsWith(context.overview, status)
    const title = `${findingTitle(status, context.overview)} (${formatNumber(countOf(known))})`
    return known.length > 0 ? [fold(title, findingRows(known, context))] : []
  })
  if (groups.length + folds.length === 0) return []
  const body = [findingRows(groups, context), folds]
  return [
    { id: 'findings', title: findingTitle('new', context.overview), count: countOf(groups), body }
  ]
}

/** Next to other results, a page lists at most so many findings outside of a fold. */
const MAX_LISTED = 6

function findingRows(groups: readonly FindingGroup[], context: Context): Part {
  const items = groups.map(group => findingItem(group, context))
  const isAll = context.overview.kind === 'findings'
  return foldedRows(items, 'more finding', isAll ? undefined : MAX_LISTED)
}

function findingItem(group: FindingGroup, { targets, source }: Context): Markup {
  const { level, code, message, hint, addresses, where, places, path } = group
  const shown = addresses.slice(0, PLACES)
  const rest = addresses.length - shown.length
  const facts = path === undefined ? [code] : [code, path]
  const data = tokens([
    ['level', level],
    ['rule', ruleOf(code)],
    ...places.slice(0, PLACES).map(({ file }) => ['file', file] as const)
  ])
  const isShort = addresses.length < 2 && places.length < 2
  const title = addresses.length > 0 ? where.text : [plural(places.length, 'place')]
  const texts = isShort ? [textOf(where.text)] : where.places
  const lists = [
    shown.length > 0 &&
      html`
        <ul class="${isShort ? 'inline' : 'places'} small">
          ${shown.map((address, at) => html`<li>${targets.link(address, texts[at])}</li>`)}
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
          <p>${inlineParts(messageText(message), source)}</p>
          ${hint !== undefined && html`<p class="faint small">${inlineParts(messageText(hint), source)}</p>`}
          ${isShort ? lists : html`<details><summary>${inlineParts(title, source)}</summary>${lists}</details>`}
        </div>
        <div class="faint small">${joined(facts, ' · ')}</div>
      </div>
    </li>`
}

import { formatNumber } from '../../model/text.ts'
import { exchangeLine, fieldsOf, isSecretField } from '../field-changes.ts'
import { groupFindings } from '../group-findings.ts'
import { shownField } from '../shown.ts'
import { few } from '../words.ts'
import type { Cell } from './cells.ts'
import { isTrouble, pointersOf } from './cells.ts'
import type { Mode } from './data.ts'
import { type SiteIssues, siteIssuesOf } from './issues.ts'
import { badge, code, open } from './pieces.ts'
import { lookOf } from './status.ts'
import { type Element, h, type Tree } from './tree.ts'
import { count } from './words.ts'

/** Three are shown with what is wrong there, so many more by name and sum. */
const SHOWN = 3
export const NAMED = 12

/** Of a site so many WLANs are told, and of a WLAN so many fields. */
const WLANS = 3
const FIELDS = 2

/** A value takes at most so many characters. */
const LONGEST = 60

/** What the statuses say there, for who reads such a report for the first time. */
const meanings: Readonly<Record<Mode, string>> = {
  plan: 'Worst first: what the change does to safety and to the clients there.',
  drift:
    'Worst first: what putting it right does to safety and to the clients there. Live → declared.',
  outcomes: 'Worst first: what did not end as it should.',
  findings: ''
}

/**
 * The sites to look at first, worst first: what a reader wants to know before anything else. `hidden` are
 * the fields that are not looked at, `total` how many sites there are, if these are not all of them.
 */
export function firstPart(
  cells: readonly Cell[],
  mode: Mode,
  hidden: readonly string[] = [],
  total?: number
): Element {
  const worries = siteIssuesOf(cells.filter(isTrouble))
  const [seen, named, rest] = [
    worries.slice(0, SHOWN),
    worries.slice(SHOWN, NAMED),
    (total ?? worries.length) - NAMED
  ]
  if (worries.length === 0)
    return h('p', { class: 'calm' }, 'Nothing here asks for your attention.')
  return h(
    'div',
    {},
    h('p', { class: 'faint' }, meanings[mode]),
    h('ol', { class: 'worries' }, ...seen.map(worry => worryCard(worry, hidden))),
    ...(named.length === 0
      ? []
      : [
          h('h3', {}, 'Then'),
          h('ol', { class: 'then', start: SHOWN + 1 }, ...named.map(worryLine))
        ]),
    ...(rest <= 0
      ? []
      : [
          h(
            'p',
            { class: 'faint' },
            `and ${count(rest, 'more site')}; the map and the table of sites have them all`
          )
        ])
  )
}

function worryCard({ site, troubles }: SiteIssues<Cell>, hidden: readonly string[]): Element {
  const shown = troubles.slice(0, WLANS)
  const rest = troubles.length - shown.length
  return h(
    'li',
    { class: `worry s-${troubles[0]?.status ?? 'sync'}` },
    h('h3', {}, open(site, '', site)),
    ...ownerLine(troubles),
    h('ul', {}, ...shown.map(cell => troubleLine(cell, hidden))),
    ...(rest === 0 ? [] : [h('p', { class: 'faint' }, `and ${count(rest, 'more WLAN')}`)])
  )
}

function troubleLine(cell: Cell, hidden: readonly string[]): Element {
  const { status, site, handle, key } = cell
  const name: Tree[] = key === '' ? [] : [' ', open(site, handle, code(key))]
  return h('li', {}, badge(status), ...name, ...fieldLines(cell, hidden))
}

/** What differs in a few words: `enabled true → false`, or only the names where that is too long. */
function fieldLines(cell: Cell, hidden: readonly string[]): Element[] {
  const pointers = pointersOf(cell).filter(pointer => !hidden.includes(pointer))
  const { change } = cell
  const texts = pointers.slice(0, FIELDS).map(pointer => {
    const field = change && fieldsOf(change).find(({ path }) => path === pointer)
    if (change === undefined || field === undefined || isSecretField(field))
      return shownField(pointer)
    return `${shownField(pointer)}: ${exchangeLine(change, field, LONGEST)}`
  })
  const rest = pointers.length - texts.length
  const all = rest > 0 ? [...texts, `and ${count(rest, 'more field')}`] : texts
  return all.map(text => h('div', { class: 'faint field' }, text))
}

function ownerLine(troubles: readonly Cell[]): Element[] {
  const owners = [...new Set(troubles.flatMap(({ owner }) => owner ?? []))]
  if (owners.length === 0) return []
  return [
    h('p', { class: 'owner' }, `${owners.length === 1 ? 'Owner' : 'Owners'}: ${few(owners, 2)}`)
  ]
}

function worryLine({ site, troubles }: SiteIssues<Cell>): Element {
  return h('li', {}, open(site, '', site), ' ', h('span', { class: 'faint' }, sumOf(troubles)))
}

/** How many there are of each status, e.g. `1 outage, 2 reconnect`. */
export function sumOf(cells: readonly Cell[]): string {
  return groupFindings([...cells], ({ status }) => status)
    .map(alikes => `${formatNumber(alikes.length)} ${lookOf(alikes[0].status).label}`)
    .join(', ')
}

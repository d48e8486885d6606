import { groupBy } from '../../model/collections.ts'
import { formatNumber, listFirst } from '../../model/text.ts'
import { dangerTexts, leadingFields } from '../danger.ts'
import { beforeAfterLine, fieldsOf, isSecretField } from '../field-changes.ts'
import { formatField } from '../format-value.ts'
import { type SiteIssues, siteIssuesOf, statusInfo } from './cell-status.ts'
import { type Cell, differingFields, needsAttention } from './cells.ts'
import { detailsLink, formatCount, inlineCode, moreLine, statusBadge } from './components.ts'
import type { ViewMode } from './page-data.ts'
import { h, type VElement } from './vdom.ts'

/** The number of sites with details; those up to `LISTED_SITES` have a name and counts. */
const DETAILED_SITES = 3
export const LISTED_SITES = 12

/** Limits of the details of a site. */
const WLANS = 3
const FIELDS = 2

/** The longest value, in characters. */
const LONGEST = 60

/** What the order and the statuses mean, for readers who are new to the report. */
const explanations: Readonly<Record<ViewMode, string>> = {
  plan: 'Worst first, by the effect of the change on security and on clients.',
  drift:
    'Worst first, by what the live WLANs do now, then by the effect of fixing it. Live → declared.',
  outcomes: 'Worst first.',
  findings: ''
}

/**
 * The sites that need attention, worst first. Fields in `hidden` are omitted. `total` is the number of
 * these sites where `cells` does not have all of them.
 */
export function worstSitesList(
  cells: readonly Cell[],
  mode: ViewMode,
  hidden: readonly string[] = [],
  total?: number
): VElement {
  const sites = siteIssuesOf(cells.filter(needsAttention))
  if (sites.length === 0) return h('p', { class: 'calm' }, 'No site needs attention.')
  const listed = sites.slice(DETAILED_SITES, LISTED_SITES)
  return h(
    'div',
    {},
    h('p', { class: 'faint' }, explanations[mode]),
    h(
      'ol',
      { class: 'worst' },
      sites.slice(0, DETAILED_SITES).map(site => siteItem(site, hidden))
    ),
    listed.length > 0 && [
      h('h3', {}, 'Next'),
      h('ol', { class: 'next', start: DETAILED_SITES + 1 }, listed.map(siteLine))
    ],
    moreLine((total ?? sites.length) - LISTED_SITES, 'site', '; see the map and the table of sites')
  )
}

function siteItem({ site, issues }: SiteIssues<Cell>, hidden: readonly string[]): VElement {
  return h(
    'li',
    { class: `worst-site s-${issues[0]?.status ?? 'sync'}` },
    h('h3', {}, detailsLink(site, '', site)),
    ownersLine(issues),
    h(
      'ul',
      {},
      issues.slice(0, WLANS).map(cell => issueLine(cell, hidden))
    ),
    moreLine(issues.length - WLANS, 'WLAN')
  )
}

function issueLine(cell: Cell, hidden: readonly string[]): VElement {
  const { status, site, linkId, key, danger } = cell
  return h(
    'li',
    {},
    statusBadge(status),
    key !== '' && [' ', detailsLink(site, linkId, inlineCode(key))],
    danger && h('strong', { class: 'less' }, ` ${dangerTexts[danger]}`),
    fieldLines(cell, hidden)
  )
}

/** The fields that weigh most: `enabled: true → false`; only the names of secrets. */
function fieldLines(cell: Cell, hidden: readonly string[]): VElement[] {
  const pointers = differingFields(cell).filter(pointer => !hidden.includes(pointer))
  const { change } = cell
  const texts =
    change === undefined
      ? pointers.slice(0, FIELDS).map(formatField)
      : leadingFields(
          change,
          FIELDS,
          fieldsOf(change).filter(({ path }) => !hidden.includes(path))
        ).map(field =>
          isSecretField(field)
            ? formatField(field.path)
            : `${formatField(field.path)}: ${beforeAfterLine(change, field, LONGEST)}`
        )
  const rest = pointers.length - texts.length
  const lines = rest > 0 ? [...texts, `and ${formatCount(rest, 'more field')}`] : texts
  return lines.map(text => h('div', { class: 'faint field' }, text))
}

function ownersLine(issues: readonly Cell[]): VElement | undefined {
  const owners = ownersOf(issues)
  if (owners.length === 0) return undefined
  const label = owners.length === 1 ? 'Owner' : 'Owners'
  return h('p', { class: 'owner' }, `${label}: ${listFirst(owners, 2)}`)
}

/** The owners of WLANs, each once. */
export function ownersOf(cells: readonly Cell[]): string[] {
  return [...new Set(cells.flatMap(({ owner }) => owner ?? []))]
}

function siteLine({ site, issues }: SiteIssues<Cell>): VElement {
  const counts = h('span', { class: 'faint' }, statusCounts(issues))
  return h('li', {}, detailsLink(site, '', site), ' ', counts)
}

/** The number of WLANs of each status, in the order of the cells: `1 outage, 2 reconnect`. */
export function statusCounts(cells: readonly Cell[]): string {
  return [...groupBy(cells, ({ status }) => status)]
    .map(([status, group]) => `${formatNumber(group.length)} ${statusInfo(status).label}`)
    .join(', ')
}

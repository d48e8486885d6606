import { type DangerKind, dangerRank } from '../../core/model/danger.ts'
import { byCodeUnit, groupBy } from '../../core/values/collections.ts'
import { formatNumber, listFirst, plural } from '../../core/values/text.ts'
import { dangerTexts, leadingFields } from '../danger.ts'
import { beforeAfterLine, fieldsOf, isSecretField } from '../field-changes.ts'
import { formatField } from '../format-value.ts'
import { type CellStatus, countStatus, statusRank } from './cell-status.ts'
import { type Cell, type CellGroup, differingFields, groupCells, needsAttention } from './cells.ts'
import { detailsLink, inlineCode, moreLine, stateBadge, statusBadge } from './components.ts'
import { separated } from './findings.ts'
import type { ViewMode } from './page-data.ts'
import { h, type VElement } from './vdom.ts'

/** The number of classes with details; each further class is one line. */
const DETAILED = 3

/** The limits for the details of a class. */
const CHANGES = 4
const FIELDS = 2
const SITES = 6

/** The maximum number of names in the line of a class. */
const NAMES = 6

/** The maximum length of a value in characters. */
const MAX_VALUE_LENGTH = 60

/** Explanations of the order and the statuses, for readers who are new to the report. */
const explanations: Readonly<Record<ViewMode, string>> = {
  plan: 'What changes, by the effect on security and on clients; the worst first.',
  drift:
    'What differs: by what the live WLANs do now, then by the effect of fixing it; the worst first. Live → declared.',
  outcomes: 'By outcome; the worst first.',
  findings: ''
}

/** WLANs with the same danger, or with the same status if there is none. */
interface IssueClass {
  readonly danger: DangerKind | undefined
  readonly status: CellStatus
  readonly cells: readonly Cell[]
}

/**
 * The WLANs that need attention: by kind of difference, then equal changes, then their sites; the worst come
 * first. Fields in `hidden` are omitted.
 */
export function lookFirstList(
  cells: readonly Cell[],
  mode: ViewMode,
  hidden: readonly string[] = []
): VElement {
  const classes = issueClasses(cells.filter(needsAttention))
  if (classes.length === 0) return h('p', { class: 'calm' }, 'No site needs attention.')
  const listed = classes.slice(DETAILED)
  return h(
    'div',
    {},
    h('p', { class: 'faint' }, explanations[mode]),
    h(
      'ol',
      { class: 'worst' },
      classes.slice(0, DETAILED).map(each => classItem(each, hidden))
    ),
    listed.length > 0 && [
      h('h3', {}, 'Next'),
      h('ol', { class: 'next', start: DETAILED + 1 }, listed.map(classLine))
    ]
  )
}

/** The classes of WLANs, sorted by danger, then by status. */
function issueClasses(cells: readonly Cell[]): IssueClass[] {
  const classes = groupBy(cells, ({ danger, status }) => danger ?? status)
  return [...classes.values()]
    .flatMap(([first, ...others]) =>
      first === undefined
        ? []
        : [{ danger: first.danger, status: worstOf([first, ...others]), cells: [first, ...others] }]
    )
    .sort(
      (a, b) =>
        dangerRank(a.danger) - dangerRank(b.danger) || statusRank(a.status) - statusRank(b.status)
    )
}

function worstOf(cells: readonly Cell[]): CellStatus {
  return cells.reduce<CellStatus>(
    (worst, { status }) => (statusRank(status) < statusRank(worst) ? status : worst),
    'sync'
  )
}

function classItem({ danger, status, cells }: IssueClass, hidden: readonly string[]): VElement {
  const groups = changesOf(cells)
  return h(
    'li',
    { class: `worst-site s-${status}` },
    h(
      'h3',
      {},
      stateBadge({ status, ...(danger && { danger }) }),
      ' ',
      h('span', { class: 'faint' }, countOf(cells))
    ),
    h(
      'ul',
      {},
      groups.slice(0, CHANGES).map(group => changeItem(group, danger !== undefined, hidden))
    ),
    moreLine(groups.length - CHANGES, groups[0]?.first.change ? 'change' : 'group')
  )
}

/** The equal changes, sorted by the number of sites. Unread sites are one group. */
function changesOf(cells: readonly Cell[]): readonly CellGroup[] {
  const [first, ...rest] = cells
  if (first?.status === 'unread') return [{ key: '', first, cells: [first, ...rest] }]
  return groupCells(cells)
}

function changeItem(
  { first, cells }: CellGroup,
  hasDanger: boolean,
  hidden: readonly string[]
): VElement {
  const owners = ownersOf(cells)
  const isUnread = first.status === 'unread'
  return h(
    'li',
    {},
    isUnread || first.key === '' ? 'all WLANs' : inlineCode(first.key),
    hasDanger && [' ', statusBadge(first.status)],
    owners.length > 0 && [' ', h('span', { class: 'owner' }, `owner ${listFirst(owners, 2)}`)],
    fieldLines(first, hidden),
    siteLinks(cells, isUnread)
  )
}

function siteLinks(cells: readonly Cell[], isUnread: boolean): VElement {
  const bySite = new Map(cells.map(cell => [cell.site, cell]))
  const links = [...bySite.values()]
    .slice(0, SITES)
    .map(({ site, linkId }) => detailsLink(site, isUnread ? '' : linkId, site))
  const rest = bySite.size - links.length
  return h(
    'p',
    { class: 'sites' },
    separated(links, ' '),
    rest > 0 && h('span', { class: 'faint' }, ` and ${plural(rest, 'more site')}`)
  )
}

/** The most important fields: `enabled: true → false`; of secrets only the names. */
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
            : `${formatField(field.path)}: ${beforeAfterLine(change, field, MAX_VALUE_LENGTH)}`
        )
  const rest = pointers.length - texts.length
  const lines = rest > 0 ? [...texts, `and ${plural(rest, 'more field')}`] : texts
  return lines.map(text => h('div', { class: 'faint field' }, text))
}

/** A class on one line: its count and the WLANs, sorted by the number of sites. */
function classLine({ danger, status, cells }: IssueClass): VElement {
  const keys = [...groupBy(cells, ({ key }) => key)]
    .sort(([a, x], [b, y]) => y.length - x.length || byCodeUnit(a, b))
    .flatMap(([key]) => (key === '' ? [] : inlineCode(key)))
  const rest = keys.length - NAMES
  return h(
    'li',
    {},
    danger === undefined ? statusBadge(status) : dangerTexts[danger],
    ' ',
    h('span', { class: 'faint' }, countOf(cells)),
    ' ',
    separated(keys.slice(0, NAMES), ' '),
    rest > 0 && h('span', { class: 'faint' }, ` and ${formatNumber(rest)} more`)
  )
}

function countOf(cells: readonly Cell[]): string {
  const sites = new Set(cells.map(({ site }) => site)).size
  const onSites = plural(sites, 'site')
  return cells.some(({ key }) => key === '')
    ? onSites
    : `${plural(cells.length, 'WLAN')} on ${onSites}`
}

/** The distinct owners of WLANs. */
export function ownersOf(cells: readonly Cell[]): string[] {
  return [...new Set(cells.flatMap(({ owner }) => owner ?? []))]
}

/** The number of WLANs of each status, in the order of the cells: `2 outages, 1 in sync`. */
export function statusCounts(cells: readonly Cell[]): string {
  return [...groupBy(cells, ({ status }) => status)]
    .map(([status, group]) => countStatus(status, group.length))
    .join(', ')
}

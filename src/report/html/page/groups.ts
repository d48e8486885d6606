import type { Finding } from '../../../core/model/finding.ts'
import { formatNumber, listFirst, plural } from '../../../core/values/text.ts'
import { formatField } from '../../format-value.ts'
import { type CardOptions, cardBody, cardFacts, requestDetails } from '../card.ts'
import { type Cell, type CellGroup, differingFields } from '../cells.ts'
import { detailsLink, inlineCode, stateBadge, statusBadge } from '../components.ts'
import { separated } from '../findings.ts'
import { ownersOf } from '../look-first.ts'
import { type Child, h, type VElement } from '../vdom.ts'

/** The maximum number of sites in an open group; further sites are in a closed list. */
const LISTED = 24

/** The number of groups that are open initially. */
const OPEN = 2

/** The context for lists and details. */
export interface ListOptions extends CardOptions {
  readonly findingsOf: (cell: Cell) => readonly Finding[]
  /** The groups that the reader opened or closed, by key. */
  readonly openGroups: ReadonlyMap<string, boolean>
  /** True while the page is printed, with all groups open. */
  readonly isPrinted: boolean
}

/** A group with its headline; its content is created when it is opened (`groupContent`). */
export function groupItem(group: CellGroup, index: number, options: ListOptions): VElement {
  const { key, first } = group
  const isOpen = options.isPrinted || (options.openGroups.get(key) ?? index < OPEN)
  return h(
    'li',
    { class: `group s-${first.status}` },
    h(
      'details',
      { open: isOpen, 'data-group': key },
      h('summary', { 'data-key': `group ${key}` }, headline(group, options)),
      h('div', {}, isOpen && groupContent(group, options))
    )
  )
}

export function groupContent({ first, cells }: CellGroup, options: ListOptions): Child[] {
  if (cells.length > 1) return [siteLinks(cells, options), cardBody(first, [], options)]
  return [
    h('p', { class: 'sites' }, detailsLink(first.site, first.linkId, 'Show details')),
    cardFacts(first),
    cardBody(first, options.findingsOf(first), options),
    first.change && requestDetails(first.change, options.isPrinted)
  ]
}

function headline({ first, cells }: CellGroup, { hidden }: ListOptions): Child[] {
  const fields = differingFields(first)
    .filter(pointer => !hidden.includes(pointer))
    .map(formatField)
  const owners = ownersOf(cells)
  return [
    first.danger && [stateBadge(first), ' '],
    statusBadge(first.status),
    ' ',
    h('strong', {}, first.key === '' ? 'all WLANs' : inlineCode(first.key)),
    ` on ${cells.length === 1 ? first.site : plural(cells.length, 'site')} `,
    h('span', { class: 'faint' }, listFirst(fields, 4)),
    owners.length > 0 && [' ', h('span', { class: 'owner' }, `owner ${listFirst(owners, 2)}`)]
  ]
}

function siteLinks(cells: readonly Cell[], { isPrinted }: ListOptions): Child[] {
  const links = cells.map(({ site, linkId }) => detailsLink(site, linkId, site))
  const rest = links.slice(LISTED)
  return [
    h('p', { class: 'sites' }, separated(links.slice(0, LISTED), ' ')),
    rest.length > 0 &&
      h(
        'details',
        { open: isPrinted },
        h('summary', {}, `${formatNumber(rest.length)} more sites`),
        h('p', { class: 'sites' }, separated(rest, ' '))
      )
  ]
}

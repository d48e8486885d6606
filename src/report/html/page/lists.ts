import { formatNumber, plural } from '../../../core/values/text.ts'
import { type Cell, type CellGroup, groupCells } from '../cells.ts'
import { dataTable } from '../components.ts'
import { lookFirstList } from '../look-first.ts'
import { h, type VElement } from '../vdom.ts'
import { elementById, replaceContent } from './dom.ts'
import { groupContent, groupItem, type ListOptions } from './groups.ts'
import type { PreparedView } from './prepared-view.ts'
import { siteColumns, siteRow } from './sites.ts'
import { filterOf, isFiltered, type ViewState } from './state.ts'
import { timelineChart, timelineTable } from './timeline.ts'

/** The initial number of items in a list, and the number that `Show more` adds. */
const STEPS = { groups: 30, sites: 50, timeline: 25 } as const

/** The number of items in a printed list. */
const PRINTED = 2000

type ListName = keyof typeof STEPS

/** The lists below the map, which show more items on demand. */
export class ReportLists {
  #limits: Record<ListName, number> = { ...STEPS }
  /** The groups in the list, by key. */
  #groups: ReadonlyMap<string, CellGroup> = new Map()

  /** Resets all lists to their initial length. */
  reset(): void {
    this.#limits = { ...STEPS }
  }

  /** Extends the list of an action; false if the action does not name a list. */
  showMore(action: string): boolean {
    const list = (Object.keys(STEPS) as ListName[]).find(name => action === `more-${name}`)
    if (list !== undefined) this.#limits[list] += STEPS[list]
    return list !== undefined
  }

  /** Extends all lists for printing. */
  print(): void {
    this.#limits = { groups: PRINTED, sites: PRINTED, timeline: PRINTED }
  }

  show(prepared: PreparedView, state: ViewState, options: ListOptions): void {
    const isShown = filterOf(state)
    const { view, outOfSync } = prepared
    const cells = outOfSync.filter(isShown)
    replaceContent(elementById('worst-list'), lookFirstList(cells, view.mode, state.hidden))
    elementById('count').textContent = isFiltered(state)
      ? `${formatNumber(cells.length)} of ${plural(outOfSync.length, 'WLAN')} that are not in sync`
      : ''
    elementById('changes').hidden = outOfSync.length === 0
    this.#showGroups(cells, options)
    this.#showTimeline(prepared, isShown)
    this.#showSites(prepared, isShown, isFiltered(state))
  }

  /** Creates the content of a group when it is opened. */
  openGroup(details: HTMLDetailsElement, options: ListOptions): void {
    const group = this.#groups.get(details.dataset['group'] ?? '')
    const content = details.lastElementChild
    if (group !== undefined && content?.childElementCount === 0) {
      replaceContent(content, groupContent(group, options))
    }
  }

  #showGroups(cells: readonly Cell[], options: ListOptions): void {
    const groups = groupCells(cells)
    const shown = groups.slice(0, this.#limits.groups)
    this.#groups = new Map(shown.map(group => [group.key, group]))
    const sum = plural(cells.length, 'WLAN')
    elementById('groups-sum').textContent =
      groups.length === cells.length ? sum : `${sum} in ${plural(groups.length, 'group')}`
    replaceContent(
      elementById('groups'),
      shown.map((group, index) => groupItem(group, index, options))
    )
    showMoreButton('groups', groups.length - shown.length, 'group')
  }

  #showTimeline({ view, updates }: PreparedView, isShown: (cell: Cell) => boolean): void {
    elementById('timeline').hidden = updates.length === 0
    if (updates.length === 0) return
    const matching = updates.filter(({ cell }) => isShown(cell))
    const shown = matching.slice(0, this.#limits.timeline)
    replaceContent(elementById('timeline-chart'), timelineChart(updates, view.waves, isShown))
    replaceContent(elementById('timeline-table'), timelineTable(shown))
    showMoreButton('timeline', matching.length - shown.length, 'update')
  }

  #showSites(
    { sites, worstFirst }: PreparedView,
    isShown: (cell: Cell) => boolean,
    isFiltered: boolean
  ): void {
    const matching = isFiltered ? worstFirst.filter(({ cells }) => cells.some(isShown)) : worstFirst
    const shown = matching.slice(0, this.#limits.sites)
    elementById('sites').hidden = sites.length === 0
    elementById('sites-sum').textContent = plural(matching.length, 'site')
    const table = dataTable('Sites, worst first', siteColumns, shown.map(siteRow))
    replaceContent(elementById('sites-table'), table)
    showMoreButton('sites', matching.length - shown.length, 'site')
  }
}

/** Shows or removes the button after a list. */
function showMoreButton(list: ListName, rest: number, noun: string): void {
  replaceContent(elementById(`${list}-more`), rest > 0 && moreButton(list, rest, noun))
}

function moreButton(list: ListName, rest: number, noun: string): VElement {
  const action = `more-${list}`
  return h(
    'button',
    { type: 'button', 'data-action': action, 'data-key': action },
    `Show more: ${plural(rest, noun)} left`
  )
}

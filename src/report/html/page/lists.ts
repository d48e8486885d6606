import { formatNumber } from '../../../model/text.ts'
import { type Cell, samenessOf } from '../cells.ts'
import { firstPart } from '../first.ts'
import { table } from '../pieces.ts'
import { type Element, h } from '../tree.ts'
import { count } from '../words.ts'
import { fill, part } from './dom.ts'
import { filterOf } from './filter.ts'
import { type Around, type Group, groupBody, groupItem, groupsOf } from './groups.ts'
import { siteColumns, siteRow } from './sites.ts'
import { isFiltered, type State } from './state.ts'
import { chart, courseTable } from './timeline.ts'
import type { Prepared } from './view.ts'

/** The lists grow by so many at a time. */
const STEPS = { groups: 30, sites: 50, courses: 25 } as const

/** On paper, nothing can be asked for: so many are there. */
const PRINTED = 2000

type ListName = keyof typeof STEPS

/** What is told in words below the map, as much of it as was asked for. */
export class Lists {
  #limits: Record<ListName, number> = { ...STEPS }
  /** The groups that are there, by what is the same of their WLANs. */
  #shown: ReadonlyMap<string, Group> = new Map()

  /** To the beginning, as after another filter. */
  reset(): void {
    this.#limits = { ...STEPS }
  }

  /** More of a list; true if there is such a list. */
  grow(name: string): boolean {
    const list = (Object.keys(STEPS) as ListName[]).find(each => name === `more-${each}`)
    if (list !== undefined) this.#limits[list] += STEPS[list]
    return list !== undefined
  }

  print(): void {
    this.#limits = { groups: PRINTED, sites: PRINTED, courses: PRINTED }
  }

  show(prepared: Prepared, state: State, around: Around): void {
    const passes = filterOf(state)
    const { view } = prepared
    const told = prepared.told.filter(passes)
    fill(part('first-list'), firstPart(told, view.mode, state.hidden))
    part('count').textContent = isFiltered(state)
      ? `${formatNumber(told.length)} of ${count(prepared.told.length, 'WLAN')} that are not in sync`
      : ''
    part('changes').hidden = prepared.told.length === 0
    this.#groups(told, around)
    this.#courses(prepared, passes)
    this.#sites(prepared, passes, state)
  }

  /** Fills a group that was unfolded. */
  unfold(details: HTMLDetailsElement, around: Around): void {
    const group = this.#shown.get(details.dataset['fold'] ?? '')
    const body = details.lastElementChild
    if (group !== undefined && body?.childElementCount === 0) {
      fill(body, ...groupBody(group, around))
    }
  }

  #groups(told: readonly Cell[], around: Around): void {
    const groups = groupsOf(told)
    const shown = groups.slice(0, this.#limits.groups)
    this.#shown = new Map(shown.map(group => [samenessOf(group[0]), group]))
    const sum = count(told.length, 'WLAN')
    part('groups-sum').textContent =
      groups.length === told.length ? sum : `${sum} in ${count(groups.length, 'group')} of the same`
    fill(part('groups'), ...shown.map((group, at) => groupItem(group, at, around)))
    fill(part('groups-more'), ...more('groups', groups.length - shown.length, 'group'))
  }

  #courses({ view, courses }: Prepared, passes: (cell: Cell) => boolean): void {
    part('timeline').hidden = courses.length === 0
    if (courses.length === 0) return
    const chosen = courses.filter(({ cell }) => passes(cell))
    const shown = chosen.slice(0, this.#limits.courses)
    fill(part('timeline-chart'), chart(courses, view.waves, passes))
    fill(part('timeline-table'), courseTable(shown))
    fill(part('timeline-more'), ...more('courses', chosen.length - shown.length, 'update'))
  }

  #sites({ sites: all, worst }: Prepared, passes: (cell: Cell) => boolean, state: State): void {
    const sites = isFiltered(state) ? worst.filter(({ cells }) => cells.some(passes)) : worst
    const shown = sites.slice(0, this.#limits.sites)
    part('sites').hidden = all.length === 0
    part('sites-sum').textContent = count(sites.length, 'site')
    const caption = 'Sites, those to look at first on top'
    fill(part('sites-table'), table(caption, siteColumns, shown.map(siteRow)))
    fill(part('sites-more'), ...more('sites', sites.length - shown.length, 'site'))
  }
}

function more(list: ListName, rest: number, noun: string): Element[] {
  if (rest <= 0) return []
  const act = `more-${list}`
  const said = `Show more: ${count(rest, noun)} left`
  return [h('button', { type: 'button', 'data-act': act, 'data-key': act }, said)]
}

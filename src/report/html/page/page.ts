import type { Cell } from '../cells.ts'
import type { PageData, View } from '../data.ts'
import { firstPart } from '../first.ts'
import { factsPart, verdictPart } from '../overview.ts'
import { table } from '../pieces.ts'
import { h } from '../tree.ts'
import { count, number } from '../words.ts'
import { chosenParts, lists } from './bar.ts'
import { detail } from './detail.ts'
import { fill, focusAt, type Mark, markOf, part } from './dom.ts'
import { changed } from './events.ts'
import { filterOf } from './filter.ts'
import { type Around, groupItem, groupsOf } from './groups.ts'
import { legend } from './legend.ts'
import { FleetMap } from './map.ts'
import { fitsMatrix, matrix } from './matrix.ts'
import { siteColumns, siteRow } from './sites.ts'
import { fragmentOf, isFiltered, type Order, type State, stateIn } from './state.ts'
import { chart, courseTable } from './timeline.ts'
import { type Prepared, partsOf, prepare, worstFirst } from './view.ts'

/** Lists grow by so many at a time. */
const GROUPS = 30
const SITES = 50
const COURSES = 25

/** Shows what the fragment says. */
export class Page {
  readonly #data: PageData
  readonly #map: FleetMap
  readonly #folds = new Map<string, boolean>()
  #prepared: Prepared | undefined
  #shown: State | undefined
  #limits = { groups: GROUPS, sites: SITES, courses: COURSES }
  #unfolded = false
  /** What opened the part beside the map: it gets the focus back. */
  #opener: Mark | undefined

  constructor(data: PageData) {
    this.#data = data
    this.#map = new FleetMap(
      {
        frame: part('frame'),
        spacer: part('spacer'),
        canvas: part<HTMLCanvasElement>('canvas'),
        readout: part('readout')
      },
      (site, wlan) => this.open(site, wlan)
    )
  }

  get state(): State {
    return stateIn(location.hash)
  }

  /** Goes on to another state; `replace`: without a step for the back button. */
  go(change: Partial<State>, how: 'push' | 'replace' = 'push'): void {
    const fragment = fragmentOf({ ...this.state, ...change })
    if (how === 'replace') location.replace(fragment)
    else location.hash = fragment
    // The browser says so later: by then the focus has to be where it belongs.
    this.render()
  }

  open(site: string, wlan: string): void {
    const section = document.activeElement?.closest('section')
    // From one WLAN to the next beside the map, what opened the first one stays.
    if (section) this.#opener = markOf(section)
    this.go({ site, wlan })
    part('detail').querySelector<HTMLElement>('h2')?.focus()
  }

  act(act: string, value: string): void {
    if (act === 'more-groups') this.#limits.groups += GROUPS
    else if (act === 'more-sites') this.#limits.sites += SITES
    else if (act === 'more-courses') this.#limits.courses += COURSES
    else if (act === 'skip') part(value).focus()
    const change = changed(this.state, act, value)
    if (change === undefined) this.#lists()
    else if (act !== 'close') this.go(change)
    else if (this.state.site !== '') {
      this.go(change)
      this.#returnFocus()
    }
  }

  folded(key: string, isOpen: boolean): void {
    if (!this.#unfolded) this.#folds.set(key, isOpen)
  }

  /** For paper: everything there is, unfolded. */
  unfoldAll(isPrinted: boolean): void {
    this.#unfolded = isPrinted
    const most = 2000
    this.#limits = isPrinted
      ? { groups: most, sites: most, courses: most }
      : { groups: GROUPS, sites: SITES, courses: COURSES }
    this.#lists()
    if (isPrinted) for (const each of part('groups').querySelectorAll('details')) each.open = true
  }

  render(): void {
    const state = this.state
    const before = this.#shown
    if (before !== undefined && fragmentOf(before) === fragmentOf(state)) return
    const prepared = this.#prepare(state.run)
    if (before === undefined || before.run !== state.run) this.#renderView(prepared)
    if (before?.order !== state.order || before.run !== state.run) this.#renderMap(prepared, state)
    if (
      before !== undefined &&
      fragmentOf({ ...before, site: '', wlan: '' }) !== fragmentOf({ ...state, site: '', wlan: '' })
    ) {
      this.#limits = { groups: GROUPS, sites: SITES, courses: COURSES }
    }
    this.#shown = state
    this.#renderBar(prepared, state)
    this.#lists()
    this.#renderDetail(prepared, state)
  }

  #prepare(run: string): Prepared {
    const view = this.#data.views.find(({ name }) => name === run) ?? this.#data.views[0]
    if (this.#prepared?.view !== view) this.#prepared = prepare(view)
    return this.#prepared
  }

  #renderView({ view, cells }: Prepared): void {
    fill(part('verdict'), verdictPart(view))
    fill(part('facts'), factsPart(view))
    this.#renderRuns(view)
    part('fleet').hidden = cells.length === 0 && view.fleet.unnamed === 0
    part('first').hidden = view.mode === 'findings'
  }

  #renderRuns({ name }: View): void {
    const { views } = this.#data
    part('runs').hidden = views.length < 2
    const options = views.map(view =>
      h(
        'option',
        { value: view.name, selected: view.name === name },
        `${view.accounts} – ${view.verdict.text}`
      )
    )
    fill(
      part('runs'),
      h(
        'label',
        {},
        `Runs of this record (${views.length}) `,
        h('select', { 'data-act': 'run', 'data-key': 'run' }, ...options)
      )
    )
  }

  #renderMap({ sites, columns, ...prepared }: Prepared, { order }: State): void {
    const isSmall = fitsMatrix(sites, columns)
    part('matrix').hidden = !isSmall
    part('frame').hidden = isSmall || sites.length === 0
    part('readout').hidden = isSmall
    this.#renderOrder(prepared.view, order)
    this.#map.show(partsOf({ sites, columns, ...prepared }, order), columns)
  }

  #renderOrder({ waves }: View, order: Order): void {
    const select = part<HTMLSelectElement>('order')
    const [usual, name] = select.options
    if (usual !== undefined) usual.text = waves.length === 0 ? 'By name' : 'By wave'
    if (name !== undefined) name.hidden = waves.length === 0
    select.value = order
  }

  #renderBar(prepared: Prepared, state: State): void {
    const { view, cells, offer } = prepared
    const passes = filterOf(state)
    fill(part('legend'), ...legend(cells, state.statuses, view.fleet.unnamed))
    fill(part('lists'), ...lists(offer, state))
    fill(part('chosen'), ...chosenParts(state))
    const text = part<HTMLInputElement>('text')
    if (document.activeElement !== text || text.value.trim() === '') text.value = state.text
    this.#map.mark(passes, state.site)
    const columns = prepared.columns
    if (fitsMatrix(prepared.sites, columns)) {
      fill(part('matrix'), matrix(partsOf(prepared, state.order), columns, passes))
    }
  }

  #lists(): void {
    const prepared = this.#prepare(this.state.run)
    const state = this.state
    const passes = filterOf(state)
    const told = prepared.told.filter(passes)
    fill(
      part('first-list'),
      firstPart(prepared.cells.filter(passes), prepared.view.mode, state.hidden)
    )
    part('count').textContent = isFiltered(state)
      ? `${number(told.length)} of ${count(prepared.told.length, 'WLAN')} that have something to tell`
      : ''
    this.#groups(told, this.#around(prepared, state))
    this.#timeline(prepared, passes)
    this.#sites(prepared, passes, state)
  }

  #groups(told: readonly Cell[], around: Around): void {
    const groups = groupsOf(told)
    const shown = groups.slice(0, this.#limits.groups)
    part('changes').hidden = this.#prepared?.told.length === 0
    part('groups-sum').textContent =
      groups.length === told.length
        ? count(told.length, 'WLAN')
        : `${count(told.length, 'WLAN')} in ${count(groups.length, 'group')} of the same`
    fill(part('groups'), ...shown.map((group, at) => groupItem(group, at, around)))
    fill(part('groups-more'), ...more('more-groups', groups.length - shown.length, 'group'))
  }

  #sites(prepared: Prepared, passes: (cell: Cell) => boolean, state: State): void {
    const all = worstFirst(prepared)
    const sites = isFiltered(state) ? all.filter(({ cells }) => cells.some(passes)) : all
    const shown = sites.slice(0, this.#limits.sites)
    part('sites').hidden = prepared.sites.length === 0
    part('sites-sum').textContent = count(sites.length, 'site')
    fill(
      part('sites-table'),
      table('Sites, those to look at first on top', siteColumns, shown.map(siteRow))
    )
    fill(part('sites-more'), ...more('more-sites', sites.length - shown.length, 'site'))
  }

  #timeline({ view, courses }: Prepared, passes: (cell: Cell) => boolean): void {
    part('timeline').hidden = courses.length === 0
    if (courses.length === 0) return
    const chosen = courses.filter(({ cell }) => passes(cell))
    const shown = chosen.slice(0, this.#limits.courses)
    fill(part('timeline-chart'), chart(courses, view.waves, passes))
    fill(part('timeline-table'), courseTable(shown))
    fill(part('timeline-more'), ...more('more-courses', chosen.length - shown.length, 'update'))
  }

  #around({ view, findingsOf }: Prepared, state: State): Around {
    const dated = view.facts.some(([name]) => name === 'Held against')
    return { mode: view.mode, hidden: state.hidden, dated, findingsOf, folds: this.#folds }
  }

  #renderDetail(prepared: Prepared, state: State): void {
    const site = prepared.siteOf.get(state.site)
    part('detail').hidden = site === undefined
    document.body.classList.toggle('with-detail', site !== undefined)
    fill(
      part('detail'),
      ...(site === undefined ? [] : detail(site, state.wlan, this.#around(prepared, state)))
    )
  }

  #returnFocus(): void {
    if (this.#opener !== undefined) focusAt(this.#opener)
    else part('main').focus({ preventScroll: true })
  }
}

function more(act: string, rest: number, noun: string) {
  if (rest <= 0) return []
  return [
    h(
      'button',
      { type: 'button', 'data-act': act, 'data-key': act },
      `Show more: ${count(rest, noun)} left`
    )
  ]
}

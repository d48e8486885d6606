import type { PageData, View } from '../data.ts'
import { factsPart, verdictPart } from '../overview.ts'
import { h } from '../tree.ts'
import { chosenParts, lists } from './bar.ts'
import { detail } from './detail.ts'
import { fill, focusAt, type Mark, markOf, part } from './dom.ts'
import { changed } from './events.ts'
import { filterOf } from './filter.ts'
import type { Around } from './groups.ts'
import { legend } from './legend.ts'
import { Lists } from './lists.ts'
import { FleetMap } from './map.ts'
import { fitsMatrix, matrix } from './matrix.ts'
import { fragmentOf, type Order, type State, stateIn } from './state.ts'
import { type Prepared, partsOf, prepare } from './view.ts'

/** Shows what the fragment says, and of that only what changed. */
export class Page {
  readonly #data: PageData
  readonly #map: FleetMap
  readonly #lists = new Lists()
  readonly #folds = new Map<string, boolean>()
  #prepared: Prepared
  #shown: State | undefined
  #isPrinted = false
  /** What opened the part beside the map: it gets the focus back. */
  #opener: Mark | undefined

  constructor(data: PageData) {
    this.#data = data
    this.#prepared = prepare(data.views[0])
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
    if (this.#lists.grow(act)) this.#showLists()
    else if (act === 'skip') part(value).focus()
    else if (act === 'close') this.#close()
    else this.go(changed(this.state, act, value))
  }

  folded(details: HTMLDetailsElement): void {
    const { fold } = details.dataset
    if (fold === undefined || this.#isPrinted) return
    this.#folds.set(fold, details.open)
    if (details.open) this.#lists.unfold(details, this.#around(this.state))
  }

  /** For paper: everything there is, unfolded. */
  print(isPrinted: boolean): void {
    this.#isPrinted = isPrinted
    if (isPrinted) this.#lists.print()
    else this.#lists.reset()
    this.#showLists()
  }

  render(): void {
    const state = this.state
    const before = this.#shown
    if (before !== undefined && fragmentOf(before) === fragmentOf(state)) return
    this.#shown = state
    const isOther = before?.run !== state.run
    if (isOther) this.#showView(state)
    if (isOther || before.order !== state.order) this.#showMap(state)
    if (before === undefined || filtersOf(before) !== filtersOf(state)) {
      this.#lists.reset()
      this.#showFilters(state)
      this.#showLists()
    }
    this.#map.mark(filterOf(state), state.site)
    this.#showDetail(state)
  }

  #showView({ run }: State): void {
    const view = this.#data.views.find(({ name }) => name === run) ?? this.#data.views[0]
    if (this.#prepared.view !== view) this.#prepared = prepare(view)
    fill(part('verdict'), verdictPart(view))
    fill(part('facts'), factsPart(view))
    this.#showRuns(view)
    part('fleet').hidden = this.#prepared.cells.length === 0 && view.fleet.unnamed === 0
    part('first').hidden = view.mode === 'findings'
  }

  #showRuns({ name: shown }: View): void {
    const { views } = this.#data
    part('runs').hidden = views.length < 2
    const options = views.map(({ name, accounts, verdict }) =>
      h('option', { value: name, selected: name === shown }, `${accounts} – ${verdict.text}`)
    )
    const select = h('select', { 'data-act': 'run', 'data-key': 'run' }, ...options)
    fill(part('runs'), h('label', {}, `Runs of this record (${views.length}) `, select))
  }

  #showMap({ order }: State): void {
    const { sites, columns, view } = this.#prepared
    const isSmall = fitsMatrix(sites, columns)
    part('matrix').hidden = !isSmall
    part('frame').hidden = isSmall || sites.length === 0
    part('readout').hidden = isSmall
    showOrder(view, order)
    this.#map.show(isSmall ? [] : partsOf(this.#prepared, order), columns)
  }

  #showFilters(state: State): void {
    const { view, cells, offer, sites, columns } = this.#prepared
    fill(part('legend'), ...legend(cells, state.statuses, view.fleet.unnamed))
    fill(part('lists'), ...lists(offer, state))
    fill(part('chosen'), ...chosenParts(state))
    const text = part<HTMLInputElement>('text')
    if (text.value.trim() !== state.text) text.value = state.text
    if (!fitsMatrix(sites, columns)) return
    const parts = partsOf(this.#prepared, state.order)
    fill(part('matrix'), matrix(parts, columns, filterOf(state)))
  }

  #showLists(): void {
    const { state } = this
    this.#lists.show(this.#prepared, state, this.#around(state))
  }

  #around({ hidden }: State): Around {
    const { view, findingsOf } = this.#prepared
    const dated = view.facts.some(([name]) => name === 'Held against')
    return {
      mode: view.mode,
      hidden,
      dated,
      findingsOf,
      folds: this.#folds,
      isPrinted: this.#isPrinted
    }
  }

  #showDetail(state: State): void {
    const site = this.#prepared.siteOf.get(state.site)
    part('detail').hidden = site === undefined
    document.body.classList.toggle('with-detail', site !== undefined)
    const trees = site === undefined ? [] : detail(site, state.wlan, this.#around(state))
    fill(part('detail'), ...trees)
  }

  #close(): void {
    if (this.state.site === '') return
    this.go({ site: '', wlan: '' })
    if (this.#opener !== undefined) focusAt(this.#opener)
    else part('main').focus({ preventScroll: true })
  }
}

/** All of a state but what is open beside the map. */
function filtersOf(state: State): string {
  return fragmentOf({ ...state, site: '', wlan: '' })
}

function showOrder({ waves }: View, order: Order): void {
  const select = part<HTMLSelectElement>('order')
  const [usual, name] = select.options
  if (usual !== undefined) usual.text = waves.length === 0 ? 'By name' : 'By wave'
  if (name !== undefined) name.hidden = waves.length === 0
  select.value = order
}

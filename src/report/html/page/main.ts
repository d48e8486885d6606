import { factsList, verdictHeader } from '../components.ts'
import type { PageData, View } from '../page-data.ts'
import { h } from '../vdom.ts'
import {
  elementById,
  type FocusTarget,
  focusTargetIn,
  replaceContent,
  restoreFocus
} from './dom.ts'
import { activeFilters, filterMenus, legend } from './filter-controls.ts'
import type { ListOptions } from './groups.ts'
import { ReportLists } from './lists.ts'
import { FleetMap } from './map.ts'
import { mapSections, type PreparedView, prepareView } from './prepared-view.ts'
import { changedColumnsFirst, fitsMatrix, matrix, siteDetails } from './sites.ts'
import {
  applyAction,
  filterOf,
  formatFragment,
  parseFragment,
  type SiteOrder,
  type ViewState
} from './state.ts'

/** Renders the state in the fragment of the address; updates only the parts that changed. */
class ReportPage {
  readonly #data: PageData
  readonly #map: FleetMap
  readonly #lists = new ReportLists()
  readonly #openGroups = new Map<string, boolean>()
  #prepared: PreparedView
  #rendered: ViewState | undefined
  #isPrinted = false
  /** The element that opened the details; it gets the focus back when they are closed. */
  #opener: FocusTarget | undefined

  constructor(data: PageData) {
    this.#data = data
    this.#prepared = prepareView(data.views[0])
    this.#map = new FleetMap(
      {
        frame: elementById('frame'),
        spacer: elementById('spacer'),
        canvas: elementById<HTMLCanvasElement>('canvas'),
        readout: elementById('readout')
      },
      (site, wlan) => this.open(site, wlan)
    )
  }

  get state(): ViewState {
    return parseFragment(location.hash)
  }

  /** Changes the state; `replace` adds no history entry. */
  go(change: Partial<ViewState>, history: 'push' | 'replace' = 'push'): void {
    const fragment = formatFragment({ ...this.state, ...change })
    if (history === 'replace') location.replace(fragment)
    else location.hash = fragment
    // `hashchange` is dispatched later, but callers set the focus right after this.
    this.render()
  }

  /** Opens the details of a site or a WLAN, and focuses their title. */
  open(site: string, wlan: string): void {
    const section = document.activeElement?.closest('section')
    // The details are not a section: a link in them keeps the first opener.
    if (section) this.#opener = focusTargetIn(section)
    this.go({ site, wlan })
    elementById('detail').querySelector<HTMLElement>('h2')?.focus()
  }

  /** Runs a user action (`data-action`). */
  act(action: string, value: string): void {
    if (this.#lists.showMore(action)) this.#showLists()
    else if (action === 'skip') elementById(value).focus()
    else if (action === 'close') this.#close()
    else this.go(applyAction(this.state, action, value))
  }

  /** Records that the reader opened or closed a group. */
  toggled(details: HTMLDetailsElement): void {
    const { group } = details.dataset
    if (group === undefined || this.#isPrinted) return
    this.#openGroups.set(group, details.open)
    if (details.open) this.#lists.openGroup(details, this.#listOptions(this.state))
  }

  /** Shows all items for printing, and restores the lists afterwards. */
  print(isPrinted: boolean): void {
    this.#isPrinted = isPrinted
    if (isPrinted) this.#lists.print()
    else this.#lists.reset()
    this.#showLists()
  }

  render(): void {
    const { state } = this
    const before = this.#rendered
    if (before !== undefined && formatFragment(before) === formatFragment(state)) return
    this.#rendered = state
    const isOtherRun = before?.run !== state.run
    if (isOtherRun) this.#showView(state)
    if (isOtherRun || before.order !== state.order) this.#showMap(state)
    if (before === undefined || filterFragment(before) !== filterFragment(state)) {
      this.#lists.reset()
      this.#showFilters(state)
      this.#showLists()
    }
    this.#map.mark(filterOf(state), state.site)
    this.#showDetails(state)
  }

  #showView({ run }: ViewState): void {
    const view = this.#data.views.find(({ name }) => name === run) ?? this.#data.views[0]
    if (this.#prepared.view !== view) this.#prepared = prepareView(view)
    replaceContent(elementById('verdict'), verdictHeader(view))
    replaceContent(elementById('facts'), factsList(view.facts))
    this.#showRuns(view)
    elementById('fleet').hidden = this.#prepared.cells.length === 0 && view.fleet.unnamed === 0
    elementById('worst').hidden = view.mode === 'findings'
  }

  #showRuns(current: View): void {
    const { views } = this.#data
    elementById('runs').hidden = views.length < 2
    const options = views.map(({ name, accounts, verdict }) =>
      h('option', { value: name, selected: name === current.name }, `${accounts} – ${verdict.text}`)
    )
    const select = h('select', { 'data-action': 'run', 'data-key': 'run' }, options)
    const label = `Runs of this record (${views.length}) `
    replaceContent(elementById('runs'), h('label', {}, label, select))
  }

  #showMap({ order }: ViewState): void {
    const { sites, columns, view } = this.#prepared
    const isSmall = fitsMatrix(sites, columns)
    elementById('matrix').hidden = !isSmall
    elementById('frame').hidden = isSmall || sites.length === 0
    elementById('readout').hidden = isSmall
    showOrder(view, order)
    this.#map.show(isSmall ? [] : mapSections(this.#prepared, order), columns)
  }

  #showFilters(state: ViewState): void {
    const { view, cells, choices, sites, columns } = this.#prepared
    replaceContent(elementById('legend'), legend(cells, state.statuses, view.fleet.unnamed))
    replaceContent(elementById('choices'), filterMenus(choices, state))
    replaceContent(elementById('active-filters'), activeFilters(state))
    const input = elementById<HTMLInputElement>('text')
    if (input.value.trim() !== state.text) input.value = state.text
    if (!fitsMatrix(sites, columns)) return
    const sections = mapSections(this.#prepared, state.order)
    const shown = matchMedia(NARROW).matches ? changedColumnsFirst(sites, columns) : columns
    replaceContent(elementById('matrix'), matrix(sections, shown, filterOf(state)))
  }

  #showLists(): void {
    const { state } = this
    this.#lists.show(this.#prepared, state, this.#listOptions(state))
  }

  #listOptions({ hidden }: ViewState): ListOptions {
    const { view, findingsOf } = this.#prepared
    return {
      mode: view.mode,
      dated: view.dated,
      hidden,
      findingsOf,
      openGroups: this.#openGroups,
      isPrinted: this.#isPrinted
    }
  }

  #showDetails(state: ViewState): void {
    const site = this.#prepared.siteByName.get(state.site)
    elementById('detail').hidden = site === undefined
    document.body.classList.toggle('with-detail', site !== undefined)
    const details = site && siteDetails(site, state.wlan, this.#listOptions(state))
    replaceContent(elementById('detail'), details)
  }

  #close(): void {
    if (this.state.site === '') return
    this.go({ site: '', wlan: '' })
    if (this.#opener !== undefined) restoreFocus(this.#opener)
    else elementById('main').focus({ preventScroll: true })
  }
}

/** Matches a window with room for two or three columns of a matrix, such as on a phone. */
const NARROW = '(max-width: 40rem)'

/** The fragment of a state without open details. */
function filterFragment(state: ViewState): string {
  return formatFragment({ ...state, site: '', wlan: '' })
}

function showOrder({ waves }: View, order: SiteOrder): void {
  const select = elementById<HTMLSelectElement>('order')
  const [first, name] = select.options
  if (first !== undefined) first.text = waves.length === 0 ? 'By name' : 'By wave'
  if (name !== undefined) name.hidden = waves.length === 0
  select.value = order
}

/** The delay between a key press and the search, in milliseconds. */
const SEARCH_DELAY = 120

const page = new ReportPage(JSON.parse(elementById('data').textContent ?? '') as PageData)
addEventListener('hashchange', () => page.render())
document.addEventListener('click', onClick)
document.addEventListener('change', onChange)
document.addEventListener('keydown', onKey)
document.addEventListener('toggle', onToggle, true)
addEventListener('beforeprint', () => page.print(true))
addEventListener('afterprint', () => page.print(false))
searchWhileTyping(elementById<HTMLInputElement>('text'))
page.render()

function searchWhileTyping(input: HTMLInputElement): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  input.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(() => page.go({ text: input.value.trim() }, 'replace'), SEARCH_DELAY)
  })
}

function onClick(event: MouseEvent): void {
  const { target } = event
  const found = target instanceof Element ? target.closest<HTMLElement>('[data-action],a') : null
  if (found === null || found instanceof HTMLSelectElement) return
  // With one of these keys, the browser opens a link in another tab or window.
  if (event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  const { action, value = '' } = found.dataset
  if (action !== undefined) page.act(action, value)
  else if (found instanceof HTMLAnchorElement) {
    const { site, wlan } = parseFragment(found.hash)
    page.open(site, wlan)
  }
}

function onChange(event: Event): void {
  if (!(event.target instanceof HTMLSelectElement)) return
  const { action } = event.target.dataset
  const { value } = event.target
  if (action !== undefined && (value !== '' || action === 'order')) page.act(action, value)
}

function onKey(event: KeyboardEvent): void {
  const isTyping =
    event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement
  if (event.key === 'Escape') page.act('close', '')
  else if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey) {
    event.preventDefault()
    elementById('text').focus()
  }
}

function onToggle({ target }: Event): void {
  if (target instanceof HTMLDetailsElement) page.toggled(target)
}

import { type CellStatus, looks } from '../status.ts'
import { part } from './dom.ts'
import type { Page } from './page.ts'
import { orders, type State, start, stateIn } from './state.ts'

/** So long after the last key the text is taken for what is meant, in milliseconds. */
const PAUSE = 120

/** Listens to all that a reader does. What it comes to is in the fragment, and shown from there. */
export function listen(page: Page): void {
  addEventListener('hashchange', () => page.render())
  document.addEventListener('click', event => onClick(event, page))
  document.addEventListener('change', event => onChoice(event, page))
  document.addEventListener('keydown', event => onKey(event, page))
  document.addEventListener('toggle', event => onFold(event, page), true)
  addEventListener('beforeprint', () => page.print(true))
  addEventListener('afterprint', () => page.print(false))
  let timer: ReturnType<typeof setTimeout> | undefined
  const text = part<HTMLInputElement>('text')
  text.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(() => page.go({ text: text.value.trim() }, 'replace'), PAUSE)
  })
}

function onClick(event: MouseEvent, page: Page): void {
  const { target } = event
  const found = target instanceof Element ? target.closest<HTMLElement>('[data-act],a') : null
  // With one of these keys a browser opens a link elsewhere: let it.
  if (found === null || found instanceof HTMLSelectElement) return
  if (event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  const { act, value = '' } = found.dataset
  if (act !== undefined) page.act(act, value)
  else if (found instanceof HTMLAnchorElement) {
    const { site, wlan } = stateIn(found.hash)
    page.open(site, wlan)
  }
}

function onChoice(event: Event, page: Page): void {
  if (!(event.target instanceof HTMLSelectElement)) return
  const { act } = event.target.dataset
  const { value } = event.target
  if (act !== undefined && (value !== '' || act === 'order')) page.act(act, value)
}

function onKey(event: KeyboardEvent, page: Page): void {
  const isTyping =
    event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement
  if (event.key === 'Escape') page.act('close', '')
  else if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey) {
    event.preventDefault()
    part('text').focus()
  }
}

function onFold({ target }: Event, page: Page): void {
  if (target instanceof HTMLDetailsElement) page.folded(target)
}

/** What an act makes of the state. */
export function changed(state: State, act: string, value: string): Partial<State> {
  switch (act) {
    case 'status': {
      const status = looks.find(each => each.status === value)?.status
      return status === undefined ? {} : { statuses: toggled<CellStatus>(state.statuses, status) }
    }
    case 'field':
      return { fields: toggled(state.fields, value) }
    case 'owner':
      return { owners: toggled(state.owners, value) }
    case 'impact':
      return { impacts: toggled(state.impacts, value) }
    case 'hide':
      return { hidden: toggled(state.hidden, value) }
    case 'order':
      return { order: orders.find(order => order === value) ?? 'usual' }
    case 'run':
      return { ...start, run: value }
    case 'reset':
      return { ...start, run: state.run, order: state.order, site: state.site, wlan: state.wlan }
    default:
      return {}
  }
}

function toggled<T>(values: readonly T[], value: T): readonly T[] {
  return values.includes(value) ? values.filter(each => each !== value) : [...values, value]
}

import type { PageData } from '../page-data.ts'
import { elementById } from './dom.ts'
import { ReportPage } from './page.ts'
import { parseFragment } from './state.ts'

/** The delay between the last key press and the search, in milliseconds. */
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
  // With one of these keys the browser opens a link in another tab or window.
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

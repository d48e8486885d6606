import { csv } from '../../data/csv.ts'

/**
 * The script of the page: it searches, opens, copies and saves what the document contains.
 *
 * | markup       | meaning                                                                                       |
 * |--------------|-----------------------------------------------------------------------------------------------|
 * | `data-t`     | an item, with the tokens that find it: `\|s:off\|wlan:guest`; a network also by those of its site |
 * | `data-links` | an item that is also found if a site or network is to which it links                          |
 * | `.fold`      | is open while it contains what was found                                                      |
 * | `.alike`     | the networks of many sites that change alike, as one; each site is an item in it                |
 * | `#squares a` | a site; all together are one tab stop                                                         |
 * | `.command`   | a command to copy                                                                             |
 */
const input = find<HTMLInputElement>('#q')
const texts = new Map<Element, string>()
const openedByPage = new Set<HTMLDetailsElement>()

function find<E extends HTMLElement>(selector: string, within: ParentNode = document): E | null {
  return within.querySelector<E>(selector)
}

function all<E extends HTMLElement>(selector: string, within: ParentNode = document): E[] {
  return [...within.querySelectorAll<E>(selector)]
}

function itemOf(element: Element | null | undefined): HTMLElement | null {
  return element?.closest<HTMLElement>('[data-t]') ?? null
}

/** The tokens and the text of an item, in lower case; of a site only its line, without its networks. */
function textOf(item: HTMLElement): string {
  const known = texts.get(item)
  if (known !== undefined) return known
  const outer = itemOf(item.parentElement)
  const line = find(':scope > details > summary', item) ?? item
  const own = `${item.dataset['t']}|\n${line.textContent}`.toLowerCase()
  const text = outer === null ? own : `${textOf(outer)}\n${own}`
  texts.set(item, text)
  return text
}

/** The terms of a query by key, `''` for words: `s:off site:"saint anne" lake`. Quotes demand the whole value. */
function termsOf(query: string): Map<string, string[]> {
  const terms = new Map<string, string[]>()
  const parts = query.toLowerCase().matchAll(/(?:([a-z]+):)?(?:"([^"]*)"?|([^\s"]+))/g)
  for (const [, key = '', quoted, word = ''] of parts) {
    const value = quoted === undefined ? word : key === '' ? quoted : `${quoted}|`
    terms.set(key, [...(terms.get(key) ?? []), value])
  }
  return terms
}

/** Values of one key are alternatives; all words must occur. */
function matches(text: string, terms: Iterable<readonly [string, string[]]>): boolean {
  return [...terms].every(([key, values]) =>
    key === ''
      ? values.every(word => text.includes(word))
      : values.some(value => text.includes(`|${key}:${value}`))
  )
}

/** True unless an item has other values of a key: a finding has one rule, whatever its sites break. */
function admits(item: HTMLElement, terms: Map<string, string[]>): boolean {
  const text = item.dataset['t'] === undefined ? '' : textOf(item)
  return matches(
    text,
    [...terms].filter(([key]) => key !== '' && text.includes(`|${key}:`))
  )
}

function search(): void {
  if (input === null) return
  const terms = termsOf(input.value)
  const isActive = terms.size > 0
  const items = all('[data-t]')
  const found = new Set<Element>(
    isActive ? items.filter(item => matches(textOf(item), terms)) : items
  )
  for (const item of items) {
    const outer = itemOf(item.parentElement)
    if (outer !== null && found.has(item)) found.add(outer)
  }
  for (const link of all<HTMLAnchorElement>('#squares a, [data-links] a[href^="#at/"]')) {
    link.hidden =
      isActive && !found.has(itemOf(document.getElementById(link.hash.slice(1))) ?? link)
    const item = link.closest<HTMLElement>('[data-links]')
    if (isActive && !link.hidden && item !== null && admits(item, terms)) found.add(item)
  }
  for (const item of all('[data-t], [data-links]')) item.hidden = isActive && !found.has(item)
  for (const group of all('.group')) group.hidden = isActive && !find('a:not([hidden])', group)
  for (const fold of all<HTMLDetailsElement>('.fold')) {
    const inside = all('[data-t], [data-links]', fold)
    const isFound = isActive && inside.some(item => !item.hidden)
    fold.hidden = isActive && !isFound && inside.length > 0
    setOpen(fold, isFound)
  }
  for (const section of all('main > section')) {
    const inside = all('[data-t], [data-links]', section)
    const isEmpty = inside.length > 0 && inside.every(item => item.hidden)
    // Without the input, a reader could not change the query.
    section.hidden = isActive && isEmpty && !section.contains(input)
  }
  const sites = all('#sites li[data-t]').filter(site => isActive && !site.hidden)
  for (const details of all<HTMLDetailsElement>('#sites li[data-t] > details')) {
    setOpen(details, sites.length <= 3 && sites.some(site => site === details.parentElement))
  }
  const networks = all('article[data-t]:not(.alike), .alike li').filter(network =>
    found.has(network)
  )
  const count = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`
  const text = `${count(sites.length, 'site')}, ${count(networks.length, 'network')} to look at`
  find('#count')?.replaceChildren(isActive ? text : '')
  document.body.classList.toggle('searching', isActive)
  for (const link of all<HTMLAnchorElement>('.legend a')) {
    if (queryOf(link.hash) === input.value) link.setAttribute('aria-current', 'true')
    else link.removeAttribute('aria-current')
  }
  makeOneTabStop()
}

/** Opens an element, or closes it if the page opened it. */
function setOpen(details: HTMLDetailsElement, isOpen: boolean): void {
  if (isOpen && !details.open) openedByPage.add(details)
  if (isOpen) details.open = true
  else if (openedByPage.delete(details)) details.open = false
}

/** The query in a fragment such as `#q=s:off+lake`; undefined for another one. */
function queryOf(fragment: string): string | undefined {
  return new URLSearchParams(fragment.slice(1)).get('q') ?? undefined
}

/** Shows what the address asks for: a query, or an element, also within what is closed or hidden. */
function go(): void {
  const query = queryOf(location.hash)
  const target = document.getElementById(location.hash.slice(1))
  if (input === null || (query === undefined && target === null)) return
  if (query !== undefined || target?.closest('[hidden]')) {
    input.value = query ?? ''
    search()
  }
  if (query !== undefined) find('#sites')?.scrollIntoView()
  if (target === null) return
  for (let at: Element | null = target; at !== null; at = at.parentElement) {
    if (at instanceof HTMLDetailsElement) at.open = true
  }
  find<HTMLDetailsElement>(':scope > details', target)?.setAttribute('open', '')
  target.scrollIntoView()
  if (target.tabIndex < 0) target.tabIndex = -1
  target.focus({ preventScroll: true })
}

/** Of all squares, only one is a tab stop: the first, or the last that had the focus. */
function makeOneTabStop(current?: HTMLElement): void {
  const squares = all('#squares a')
  const one = current ?? squares.find(square => !square.hidden)
  for (const square of squares) square.tabIndex = square === one ? 0 : -1
}

/** Moves the focus from a square: in reading order, or to the nearest one in another line. */
function moveFrom(square: HTMLElement, key: string): boolean {
  const squares = all('#squares a:not([hidden])')
  const at = squares.indexOf(square)
  const from = square.getBoundingClientRect()
  const step = { ArrowRight: 1, ArrowLeft: -1, Home: -at, End: squares.length - 1 - at }[key]
  const isDown = key === 'ArrowDown'
  if (step === undefined && !isDown && key !== 'ArrowUp') return false
  const others = isDown ? squares.slice(at + 1) : squares.slice(0, at).reverse()
  const below = others.map(each => ({ each, to: each.getBoundingClientRect() }))
  const line = below.find(({ to }) => (isDown ? to.top > from.top + 2 : to.top < from.top - 2))?.to
    .top
  const inLine = below.filter(({ to }) => line !== undefined && Math.abs(to.top - line) < 2)
  inLine.sort((a, b) => Math.abs(a.to.left - from.left) - Math.abs(b.to.left - from.left))
  const next = step === undefined ? inLine[0]?.each : squares[at + step]
  next?.focus()
  return true
}

/** Shows the name of the square under the pointer or with the focus. */
function readOut({ target }: Event): void {
  const square = (target as Element).closest?.('#squares a[title]')
  if (square) find('#readout')?.replaceChildren(square.getAttribute('title') ?? '')
}

/** Copies a text, and says so on the button; without permission, the reader can copy what is selected. */
async function copy(text: string, button: HTMLElement, source?: HTMLElement | null): Promise<void> {
  const label = button.textContent
  try {
    await navigator.clipboard.writeText(text)
    button.textContent = 'Copied'
  } catch {
    if (source) getSelection()?.selectAllChildren(source)
    button.textContent = source ? 'Selected' : 'Not allowed'
  }
  setTimeout(() => {
    button.textContent = label
  }, 1500)
}

/** Adds the buttons that copy commands; those in a fold get one when it opens. */
function addCopyButtons(within: ParentNode): void {
  for (const command of all('.command:not(:has(button))', within)) {
    if (command.closest('details:not([open])') !== null) continue
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = 'Copy'
    const code = find('code', command)
    button.addEventListener('click', () => copy(code?.textContent ?? '', button, code))
    code?.after(button)
  }
}

function tableOfShown(): string {
  const rows = all('article[data-t]:not([hidden])').flatMap(article => {
    const state = find('h3 span', article)?.textContent ?? ''
    const fields = all<HTMLTableRowElement>('tbody tr', article)
    const values = fields.map(({ cells }) => [...cells].map(cell => cell.textContent))
    const networks = article.id === '' ? all('li:not([hidden])', article) : [article]
    return networks.flatMap(({ id }) => {
      const [site = '', key = ''] = id.split('/').slice(1).map(decodeURIComponent)
      return (values.length > 0 ? values : [[]]).map(cells => [site, key, state, ...cells])
    })
  })
  return csv([['site', 'network', 'state', 'field', 'value'], ...rows])
}

input?.addEventListener('input', () => {
  const query = encodeURIComponent(input.value.trim()).replaceAll('%20', '+').replaceAll('%3A', ':')
  history.replaceState(null, '', query === '' ? '#main' : `#q=${query}`)
  search()
})
addEventListener('hashchange', go)
addEventListener('mouseover', readOut)
addEventListener('focusin', event => {
  readOut(event)
  if (event.target instanceof HTMLElement && event.target.matches('#squares a')) {
    makeOneTabStop(event.target)
  }
})
addEventListener('keydown', event => {
  const { key, target } = event
  const isSquare = target instanceof HTMLElement && target.matches('#squares a')
  if (isSquare && moveFrom(target, key)) event.preventDefault()
  if (key === '/' && !(target instanceof HTMLInputElement)) {
    event.preventDefault()
    input?.focus()
  }
})
document.addEventListener('toggle', ({ target }) => addCopyButtons(target as HTMLElement), true)
find('#link')?.addEventListener('click', ({ target }) => copy(location.href, target as HTMLElement))
find('#csv')?.addEventListener('click', () => {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([`\ufeff${tableOfShown()}`], { type: 'text/csv' }))
  link.download = 'networks.csv'
  link.click()
})
for (const part of all('search')) part.hidden = false
addCopyButtons(document)
makeOneTabStop()
go()

import type { CellStatus } from '../status.ts'
import { looks } from '../status.ts'

/** The order of the sites; the usual one is by wave where there are waves, else by name. */
export type Order = (typeof orders)[number]

export const orders = ['usual', 'name', 'worst'] as const

/** What of the report is shown. It is in the fragment of the address, so that a view can be shared. */
export interface State {
  readonly text: string
  /** Empty: all of them; so are the others. */
  readonly statuses: readonly CellStatus[]
  readonly impacts: readonly string[]
  readonly fields: readonly string[]
  readonly owners: readonly string[]
  /** Fields that are not looked at. */
  readonly hidden: readonly string[]
  readonly order: Order
  /** The run of a record. */
  readonly run: string
  /** What is open beside the map: a site, or one of its WLANs. */
  readonly site: string
  readonly wlan: string
}

export const start: State = {
  text: '',
  statuses: [],
  impacts: [],
  fields: [],
  owners: [],
  hidden: [],
  order: 'usual',
  run: '',
  site: '',
  wlan: ''
}

const known: ReadonlySet<string> = new Set(looks.map(({ status }) => status))

/** What a fragment says; what it does not say, or what means nothing, is as at the start. */
export function stateIn(fragment: string): State {
  const words = new URLSearchParams(fragment.replace(/^#/, ''))
  return {
    text: words.get('text') ?? '',
    statuses: words.getAll('status').filter((name): name is CellStatus => known.has(name)),
    impacts: words.getAll('impact'),
    fields: words.getAll('field'),
    owners: words.getAll('owner'),
    hidden: words.getAll('hide'),
    order: orders.find(order => order === words.get('order')) ?? 'usual',
    run: words.get('run') ?? '',
    site: words.get('site') ?? '',
    wlan: words.get('wlan') ?? ''
  }
}

/** The fragment that says so, `#` in front. It is never empty: for that browsers go to the top. */
export function fragmentOf(state: State): string {
  const words = new URLSearchParams()
  const put = (name: string, ...values: readonly string[]) => {
    for (const value of values) if (value !== '') words.append(name, value)
  }
  put('run', state.run)
  put('text', state.text)
  put('status', ...state.statuses)
  put('impact', ...state.impacts)
  put('field', ...state.fields)
  put('owner', ...state.owners)
  put('hide', ...state.hidden)
  put('order', state.order === 'usual' ? '' : state.order)
  put('site', state.site)
  put('wlan', state.wlan)
  return `#${String(words) || 'all'}`
}

/** The same without what is open, and in the order of the start: true if nothing is filtered. */
export function isFiltered({ text, statuses, impacts, fields, owners, hidden }: State): boolean {
  return text !== '' || [statuses, impacts, fields, owners, hidden].some(list => list.length > 0)
}

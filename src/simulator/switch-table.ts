import { exit, Failure } from '../model/failure.ts'
import { faultKinds } from './faults/kinds.ts'
import { isJsonList, isJsonObject, type JsonObject, parsed } from './json.ts'
import { documentedCoupling, hidings, type Switches } from './switches.ts'

/** How one switch is written on a command line. */
export interface SwitchText<T> {
  /** What its value looks like, e.g. `MS`. */
  readonly value: string
  readonly description: string
  /** The value that a text stands for; undefined if it stands for none. */
  read(text: string): T | undefined
}

/** Every switch, in the order in which they are best explained. */
export const switchTable: { readonly [K in keyof Switches]: SwitchText<Switches[K]> } = {
  latency: { value: 'MS', description: 'wait before every answer', read: number },
  pageSize: { value: 'N', description: 'WLANs on a page of a list (100)', read: positive },
  hiddenSecrets: {
    value: hidings.join('|'),
    description: 'how secrets are shown',
    read: text => hidings.find(hiding => hiding === text)
  },
  staleFor: { value: 'MS', description: 'reads are behind for so long after a PUT', read: number },
  merge: { value: 'on|off', description: 'a PUT merges objects instead of replacing', read: flag },
  normalise: { value: 'on|off', description: 'values are stored in another form', read: flag },
  tokenAsList: { value: 'on|off', description: 'a created token comes in an array', read: flag },
  dropFields: {
    value: 'POINTER,…',
    description: 'fields that are accepted and not stored',
    read: pointers
  },
  coupled: {
    value: 'on|off',
    description: 'turning bonjour on moves limit_bcast and allow_mdns',
    read: text => {
      const on = flag(text)
      return on === undefined ? undefined : on ? documentedCoupling : {}
    }
  },
  editBetween: { value: 'JSON', description: 'fields somebody edits after each PUT', read: object },
  faults: {
    value: 'KIND=RATE,…',
    description: `what goes wrong by chance, from 0 to 1: ${faultKinds.join(', ')}`,
    read: rates
  },
  fail: {
    value: 'JSON',
    description: 'a list of rules: what goes wrong with which calls',
    read: rules
  },
  retryAfter: { value: 'S', description: 'what an injected 429 asks for (1)', read: number },
  rateLimit: {
    value: 'CALLS/S',
    description: 'calls each token may make in so many seconds',
    read: allowance
  },
  redirectTo: {
    value: 'URL',
    description: 'redirect every call',
    read: text => (URL.canParse(text) ? text : undefined)
  }
}

/**
 * The switches that texts such as `latency=20` and `faults=503=0.1,reset=0.05` set, later ones
 * winning. Throws a `Failure` for a name or a value that is none.
 */
export function readSwitches(texts: readonly string[]): Partial<Switches> {
  return Object.fromEntries(texts.map(readSwitch))
}

function readSwitch(text: string): [string, unknown] {
  const [, name = text, value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? []
  const known = Object.hasOwn(switchTable, name)
  if (!known) {
    const names = Object.keys(switchTable).join(', ')
    throw new Failure(exit.wrongInput, `there is no switch ${name}`, `there are: ${names}`)
  }
  const entry: SwitchText<unknown> = switchTable[name as keyof Switches]
  const read = entry.read(value)
  if (read !== undefined) return [name, read]
  throw new Failure(exit.wrongInput, `${name} is not understood`, `write ${name}=${entry.value}`)
}

function number(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

function positive(text: string): number | undefined {
  return number(text) || undefined
}

function flag(text: string): boolean | undefined {
  return text === 'on' ? true : text === 'off' ? false : undefined
}

function pointers(text: string): string[] | undefined {
  const list = text.split(',')
  return list.every(pointer => pointer.startsWith('/')) ? list : undefined
}

function object(text: string): JsonObject | undefined {
  const value = parsed(text)
  return isJsonObject(value) ? value : undefined
}

function allowance(text: string): Switches['rateLimit'] | undefined {
  const [calls, perSeconds, ...rest] = text.split('/').map(positive)
  if (calls === undefined || perSeconds === undefined || rest.length > 0) return undefined
  return { calls, perSeconds }
}

function rates(text: string): Switches['faults'] | undefined {
  const entries = text.split(',').map(each => {
    const [kind = '', rate = ''] = each.split('=')
    return [faultKinds.find(known => known === kind), rate] as const
  })
  const right = entries.every(([kind, rate]) => kind !== undefined && /^(0(\.\d+)?|1)$/.test(rate))
  return right ? Object.fromEntries(entries.map(([kind, rate]) => [kind, Number(rate)])) : undefined
}

/** Rules as JSON; a path in them is text, and each names a kind that there is. */
function rules(text: string): Switches['fail'] | undefined {
  const list = parsed(text)
  if (!isJsonList(list)) return undefined
  const right = list.every(
    rule => isJsonObject(rule) && faultKinds.some(kind => kind === rule['kind'])
  )
  return right ? (list as unknown as Switches['fail']) : undefined
}

import { exit, Failure } from '../model/failure.ts'
import type { Pointer } from '../model/pointer.ts'
import { type FailRule, type FaultRates, faultKinds } from './faults.ts'
import { DEFAULT_PAGE_SIZE } from './http.ts'
import { isJsonList, isJsonObject, type JsonObject, parseJson } from './json.ts'
import type { CallBudget } from './service.ts'

/** How the service shows a secret: not hidden, `********`, `te*****23`, `""`, or left out. */
export const secretMaskings = ['no', 'masked', 'partly', 'empty', 'absent'] as const

export type SecretMasking = (typeof secretMaskings)[number]

/** The manners of the service that tests and trials vary. All may be set while it runs. */
export interface Switches {
  /** Milliseconds before any answer. */
  readonly latency: number
  /** The WLANs on a page where the request gives no `limit`. */
  readonly pageSize: number
  readonly hiddenSecrets: SecretMasking
  /** Milliseconds for which reads show the old record after a PUT. */
  readonly staleFor: number
  /** Whether a PUT merges objects below the top level; the service replaces them. */
  readonly merge: boolean
  /** Whether values are stored in another form that means the same, and empty objects added. */
  readonly normalise: boolean
  /** Whether the answer to a created token is an array that holds it. */
  readonly tokenAsList: boolean
  /** Fields that a PUT is answered for as if they were stored, and that are not. */
  readonly dropFields: readonly Pointer[]
  /** A field, and what moves with it when a PUT turns it on. */
  readonly coupled: Readonly<Record<string, JsonObject>>
  /** Fields that somebody edits right after each PUT. */
  readonly editBetween: JsonObject | null
  readonly faults: FaultRates
  readonly fail: readonly FailRule[]
  /** Seconds that an injected 429 asks for. */
  readonly retryAfter: number
  readonly rateLimit: CallBudget | null
  /** Where every call is redirected to (302), as by a proxy. */
  readonly redirectTo: string | null
}

/** The one documented case of a field that moves others. */
export const documentedCoupling: Switches['coupled'] = {
  bonjour: { limit_bcast: true, allow_mdns: false }
}

/** The service on a good day. */
export const defaultSwitches: Switches = {
  latency: 0,
  pageSize: DEFAULT_PAGE_SIZE,
  hiddenSecrets: 'no',
  staleFor: 0,
  merge: false,
  normalise: false,
  tokenAsList: false,
  dropFields: [],
  coupled: {},
  editBetween: null,
  faults: {},
  fail: [],
  retryAfter: 1,
  rateLimit: null,
  redirectTo: null
}

/** How one switch is written on a command line. */
export interface SwitchSyntax<T> {
  /** What its value looks like, e.g. `MS`. */
  readonly value: string
  readonly description: string
  /** The value that a text stands for; undefined if it stands for none. */
  parse(text: string): T | undefined
}

/** Every switch, in the order in which they are best explained. */
export const switchTable: { readonly [K in keyof Switches]: SwitchSyntax<Switches[K]> } = {
  latency: { value: 'MS', description: 'wait before every answer', parse: parseInteger },
  pageSize: { value: 'N', description: 'WLANs on a page of a list (100)', parse: parsePositive },
  hiddenSecrets: {
    value: secretMaskings.join('|'),
    description: 'how secrets are shown',
    parse: text => secretMaskings.find(hiding => hiding === text)
  },
  staleFor: {
    value: 'MS',
    description: 'reads are behind for so long after a PUT',
    parse: parseInteger
  },
  merge: {
    value: 'on|off',
    description: 'a PUT merges objects instead of replacing',
    parse: parseOnOff
  },
  normalise: {
    value: 'on|off',
    description: 'values are stored in another form',
    parse: parseOnOff
  },
  tokenAsList: {
    value: 'on|off',
    description: 'a created token comes in an array',
    parse: parseOnOff
  },
  dropFields: {
    value: 'POINTER,…',
    description: 'fields that are accepted and not stored',
    parse: parsePointers
  },
  coupled: {
    value: 'on|off',
    description: 'turning bonjour on moves limit_bcast and allow_mdns',
    parse: text => {
      const on = parseOnOff(text)
      return on === undefined ? undefined : on ? documentedCoupling : {}
    }
  },
  editBetween: {
    value: 'JSON',
    description: 'fields somebody edits after each PUT',
    parse: parseObject
  },
  faults: {
    value: 'KIND=RATE,…',
    description: `what goes wrong by chance, from 0 to 1: ${faultKinds.join(', ')}`,
    parse: parseFaultRates
  },
  fail: {
    value: 'JSON',
    description: 'a list of rules: what goes wrong with which calls',
    parse: parseFailRules
  },
  retryAfter: { value: 'S', description: 'what an injected 429 asks for (1)', parse: parseInteger },
  rateLimit: {
    value: 'CALLS/S',
    description: 'calls each token may make in so many seconds',
    parse: parseRateLimit
  },
  redirectTo: {
    value: 'URL',
    description: 'redirect every call',
    parse: text => (URL.canParse(text) ? text : undefined)
  }
}

/**
 * The switches that texts such as `latency=20` and `faults=503=0.1,reset=0.05` set, later ones
 * winning. Throws a `Failure` for a name or a value that is none.
 */
export function parseSwitches(texts: readonly string[]): Partial<Switches> {
  return Object.fromEntries(texts.map(parseSwitch))
}

function parseSwitch(text: string): [string, unknown] {
  const [, name = text, value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? []
  const known = Object.hasOwn(switchTable, name)
  if (!known) {
    const names = Object.keys(switchTable).join(', ')
    throw new Failure(exit.wrongInput, `there is no switch ${name}`, `there are: ${names}`)
  }
  const entry: SwitchSyntax<unknown> = switchTable[name as keyof Switches]
  const read = entry.parse(value)
  if (read !== undefined) return [name, read]
  throw new Failure(exit.wrongInput, `${name} is not understood`, `write ${name}=${entry.value}`)
}

function parseInteger(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

function parsePositive(text: string): number | undefined {
  return parseInteger(text) || undefined
}

function parseOnOff(text: string): boolean | undefined {
  return text === 'on' ? true : text === 'off' ? false : undefined
}

function parsePointers(text: string): string[] | undefined {
  const list = text.split(',')
  return list.every(pointer => pointer.startsWith('/')) ? list : undefined
}

function parseObject(text: string): JsonObject | undefined {
  const value = parseJson(text)
  return isJsonObject(value) ? value : undefined
}

function parseRateLimit(text: string): Switches['rateLimit'] | undefined {
  const [calls, perSeconds, ...rest] = text.split('/').map(parsePositive)
  if (calls === undefined || perSeconds === undefined || rest.length > 0) return undefined
  return { calls, perSeconds }
}

function parseFaultRates(text: string): Switches['faults'] | undefined {
  const entries = text.split(',').map(each => {
    const [kind = '', rate = ''] = each.split('=')
    return [faultKinds.find(known => known === kind), rate] as const
  })
  const right = entries.every(([kind, rate]) => kind !== undefined && /^(0(\.\d+)?|1)$/.test(rate))
  return right ? Object.fromEntries(entries.map(([kind, rate]) => [kind, Number(rate)])) : undefined
}

/** Rules as JSON; a path in them is text, and each names a kind that there is. */
function parseFailRules(text: string): Switches['fail'] | undefined {
  const list = parseJson(text)
  if (!isJsonList(list)) return undefined
  const right = list.every(
    rule => isJsonObject(rule) && faultKinds.some(kind => kind === rule['kind'])
  )
  return right ? (list as unknown as Switches['fail']) : undefined
}

import { wrongInput } from '../core/model/failure.ts'
import type { Pointer } from '../core/values/pointer.ts'
import { type FailRule, type FaultRates, faultKinds } from './faults.ts'
import { DEFAULT_PAGE_SIZE } from './http.ts'
import { isJsonList, isJsonObject, type JsonObject, tryParseJson } from './json.ts'
import type { CallBudget } from './rate-limiter.ts'

/** How the service shows a secret: in full, as `********`, `te*****23` or `""`, or not at all. */
export const secretMaskings = ['no', 'masked', 'partly', 'empty', 'absent'] as const

export type SecretMasking = (typeof secretMaskings)[number]

/** The behaviour of the simulated service. All switches may be set while it runs. */
export interface Switches {
  /** Milliseconds before each response. */
  readonly latency: number
  /** WLANs per page for requests without `limit`. */
  readonly pageSize: number
  readonly hiddenSecrets: SecretMasking
  /** The tokens whose role hides secrets; empty: all of them. */
  readonly hiddenFrom: readonly string[]
  /** Milliseconds for which reads may return the old record after a PUT. */
  readonly staleFor: number
  /** The share of reads during `staleFor` that return the old record, as from a lagging replica. */
  readonly staleReads: number
  /** Whether a PUT merges objects below the top level; the service replaces them. */
  readonly merge: boolean
  /** Whether values are stored in an equivalent form, and empty objects added. */
  readonly normalise: boolean
  /** Whether a created token is returned in an array. */
  readonly tokenAsList: boolean
  /** Fields that a PUT accepts but does not store. */
  readonly dropFields: readonly Pointer[]
  /** Fields that change when a PUT turns the keyed field on. */
  readonly coupled: Readonly<Record<string, JsonObject>>
  /** Fields that another client edits right after each PUT. */
  readonly editBetween: JsonObject | null
  readonly faults: FaultRates
  readonly fail: readonly FailRule[]
  /** `Retry-After` of an injected 429, in seconds. */
  readonly retryAfter: number
  readonly rateLimit: CallBudget | null
  /** The target of a 302 for every request, as from a proxy. */
  readonly redirectTo: string | null
}

/** The only documented case of a field that changes others. */
export const documentedCoupling: Switches['coupled'] = {
  bonjour: { limit_bcast: true, allow_mdns: false }
}

/** The service without faults or deviations. */
export const defaultSwitches: Switches = {
  latency: 0,
  pageSize: DEFAULT_PAGE_SIZE,
  hiddenSecrets: 'no',
  hiddenFrom: [],
  staleFor: 0,
  staleReads: 1,
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

/** The syntax of one switch on a command line. */
export interface SwitchSyntax<T> {
  /** A placeholder for its value, e.g. `MS`. */
  readonly value: string
  readonly description: string
  /** A value for an error message, where the placeholder does not say enough. */
  readonly example?: string
  /** The parsed value; undefined if the text is invalid. */
  parse(text: string): T | undefined
}

/** Every switch, in the order of the help. */
export const switchTable: { readonly [K in keyof Switches]: SwitchSyntax<Switches[K]> } = {
  latency: { value: 'MS', description: 'wait before every response', parse: parseInteger },
  pageSize: {
    value: 'N',
    description: 'WLANs per page of a list (default 100)',
    parse: parsePositive
  },
  hiddenSecrets: {
    value: secretMaskings.join('|'),
    description: 'how the service shows secrets',
    parse: text => secretMaskings.find(hiding => hiding === text)
  },
  hiddenFrom: {
    value: 'TOKEN,…',
    description: 'hide secrets from these tokens only',
    parse: text => text.split(',').filter(token => token !== '')
  },
  staleFor: {
    value: 'MS',
    description: 'how long reads return the old record after a PUT',
    parse: parseInteger
  },
  staleReads: {
    value: 'SHARE',
    description: 'the share of these reads that do, from 0 to 1 (default 1)',
    parse: parseRate
  },
  merge: {
    value: 'on|off',
    description: 'merge objects on PUT instead of replacing them',
    parse: parseOnOff
  },
  normalise: {
    value: 'on|off',
    description: 'store values in an equivalent form',
    parse: parseOnOff
  },
  tokenAsList: {
    value: 'on|off',
    description: 'return a created token in an array',
    parse: parseOnOff
  },
  dropFields: {
    value: 'POINTER,…',
    description: 'accept these fields in a PUT, but do not store them',
    parse: parsePointers
  },
  coupled: {
    value: 'on|off',
    description: 'change limit_bcast and allow_mdns when a PUT turns bonjour on',
    parse: text => {
      const on = parseOnOff(text)
      return on === undefined ? undefined : on ? documentedCoupling : {}
    }
  },
  editBetween: {
    value: 'JSON',
    description: 'fields that another client edits after each PUT',
    parse: parseObject
  },
  faults: {
    value: 'KIND=RATE,…',
    description: `inject random faults, each at a rate from 0 to 1: ${faultKinds.join(', ')}`,
    parse: parseFaultRates
  },
  fail: {
    value: 'JSON',
    description: 'inject faults by rule: a list of the matching requests and their faults',
    example: `'[{"method":"PUT","kind":"503"}]': a list of rules, each with one of the kinds ${faultKinds.join(', ')}`,
    parse: parseFailRules
  },
  retryAfter: {
    value: 'S',
    description: 'seconds in the Retry-After header of an injected 429 (default 1)',
    parse: parseInteger
  },
  rateLimit: {
    value: 'CALLS/S',
    description: 'requests that each token may send in S seconds',
    parse: parseRateLimit
  },
  redirectTo: {
    value: 'URL',
    description: 'redirect every request (302)',
    parse: text => (URL.canParse(text) ? text : undefined)
  }
}

/**
 * Parses switches such as `latency=20` and `faults=503=0.1,reset=0.05`; the last value of a switch wins.
 * Throws a `Failure` for an unknown name or an invalid value.
 */
export function parseSwitches(texts: readonly string[]): Partial<Switches> {
  return Object.fromEntries(texts.map(parseSwitch))
}

function parseSwitch(text: string): [string, unknown] {
  const [, name = text, value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? []
  if (!Object.hasOwn(switchTable, name)) {
    const names = Object.keys(switchTable).join(', ')
    throw wrongInput(`unknown switch ${name}`, `the switches are: ${names}`)
  }
  const entry: SwitchSyntax<unknown> = switchTable[name as keyof Switches]
  const parsed = entry.parse(value)
  if (parsed !== undefined) return [name, parsed]
  throw wrongInput(
    `invalid value for the switch ${name}`,
    `write ${name}=${entry.example ?? entry.value}`
  )
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
  const value = tryParseJson(text)
  return isJsonObject(value) ? value : undefined
}

function parseRateLimit(text: string): Switches['rateLimit'] | undefined {
  const [calls, perSeconds, ...rest] = text.split('/').map(parsePositive)
  if (calls === undefined || perSeconds === undefined || rest.length > 0) return undefined
  return { calls, perSeconds }
}

function parseRate(text: string): number | undefined {
  return /^(0(\.\d+)?|1)$/.test(text) ? Number(text) : undefined
}

function parseFaultRates(text: string): Switches['faults'] | undefined {
  const entries = text.split(',').map(each => {
    const [kind = '', rate = ''] = each.split('=')
    return [faultKinds.find(known => known === kind), parseRate(rate)] as const
  })
  const isValid = entries.every(([kind, rate]) => kind !== undefined && rate !== undefined)
  return isValid ? Object.fromEntries(entries) : undefined
}

/** Rules as JSON: paths are strings, and each rule names a known kind of fault. */
function parseFailRules(text: string): Switches['fail'] | undefined {
  const list = tryParseJson(text)
  if (!isJsonList(list)) return undefined
  const isValid = list.every(
    rule => isJsonObject(rule) && faultKinds.some(kind => kind === rule['kind'])
  )
  return isValid ? (list as unknown as Switches['fail']) : undefined
}

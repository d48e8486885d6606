import { conditionNames } from '../schema/condition.ts'
import { fieldAt } from '../schema/field.ts'
import { fieldName, type Pointer } from '../values/pointer.ts'
import { isEquivalent, serviceVariablesIn } from './formats.ts'
import type { WlanView } from './view.ts'

/*
 * The conditions of rules in `rules.json`. Like those of `--where`, they name fields; unlike them, they are met only if
 * that is certain, so that an unknown value breaks no rule.
 *
 * | condition                      | a WLAN meets it if                                                       |
 * |--------------------------------|--------------------------------------------------------------------------|
 * | `isolation`, `!isolation`      | the switch is on, or off                                                 |
 * | `ap_ids`, `!ap_ids`            | the value is set, or empty                                               |
 * | `auth.type=psk`, `roam_mode=11r|okc` | it is one of these values, or a list that has one                  |
 * | `auth.type!=psk`               | the value is set, and none of these, or a list that has none             |
 * | `bands=5`                      | the list has the band 5, also as `5-dedicated`                           |
 * | `auth.pairwise=!wpa3`, `=*b`   | the list has another value than this, or one with this end               |
 * | `dtim<1`, `>`, `<=`, `>=`      | the number is in the range, also if it is a text of digits; the bound may be another field |
 * | `declared vlan_id`             | the files declare the value                                              |
 * | `new vlan_id`                  | the files declare the value, which was not live before the change        |
 * | `decided bands`                | the files or the service set the value                                   |
 * | `changing`                     | the state before the change is known                                     |
 * | `stated disable_11be`          | the value is known, and not the documented default of an absent one      |
 * | `was isolation`, `was (…)`     | the state before the change is known, and meets the condition            |
 * | `eap`, `!eap`                  | it meets the condition of the schema with that name, or does not         |
 * | `only-on-6`                    | it meets one of the conditions below                                     |
 *
 * Parts are joined by `and`, alternatives by `or` in parentheses; `and` binds more strongly.
 */

type Test = (wlan: WlanView, before?: WlanView) => boolean

/** Conditions that the language cannot express. */
const special: ReadonlyMap<string, Test> = new Map<string, Test>([
  ['changing', (_, before) => before !== undefined],
  ['without-coa-server', lacksCoaServer],
  ['declares-new-psk', declaresNewPsk],
  ['hides-no-psk', (wlan, before) => hidesNone('/auth/psk', 'psk', wlan, before)],
  ['names-unknown-variable', namesUnknownVariable],
  ['only-on-6', isOnlyOnSix],
  ['lowers-max-clients', lowersMaxClients]
])

const shared: Readonly<Record<string, string>> = {
  'radsec-without-server':
    '!radsec.servers and !radsec.proxy_hosts and !radsec.mxcluster_ids and !radsec.use_mxedge and !radsec.use_site_mxedge',
  'on-air-without-login':
    'enabled and auth.type=open and auth.owe=disabled|enabled and !portal.enabled and !auth.enable_mac_auth and !cisco_cwa.enabled'
}

export interface When {
  readonly test: Test
  /** The fields that the condition names, in order. */
  readonly fields: readonly Pointer[]
  /** The field of the first part, if that is met only where the field is set. */
  readonly given: Pointer | undefined
}

/** Parses a condition of `rules.json`. */
export function parseWhen(text: string): When {
  const words = text.match(/[()]|(?:declared|new|decided|stated) [^\s()]+|[^\s()]+/g) ?? []
  const fields = new Set<Pointer>()
  const joined = (word: string, part: () => Test, join: (a: Test, b: Test) => Test): Test => {
    let test = part()
    while (words[0] === word) {
      words.shift()
      test = join(test, part())
    }
    return test
  }
  const either = () => joined('or', both, (a, b) => (now, was) => a(now, was) || b(now, was))
  const both = () => joined('and', group, (a, b) => (now, was) => a(now, was) && b(now, was))
  const group = (): Test => {
    const word = words.shift() ?? ''
    if (word === 'was') {
      const inner = group()
      return (_, before) => before !== undefined && inner(before, undefined)
    }
    if (word !== '(') return testOf(word, fields)
    const inner = either()
    words.shift()
    return inner
  }
  const [first = ''] = words
  const test = both()
  const [field] = fields
  const given = field !== undefined && fieldName(field) === first ? field : undefined
  return { test, fields: [...fields], given }
}

function testOf(word: string, fields: Set<Pointer>): Test {
  const known = special.get(word)
  if (known !== undefined) return known
  const text = Object.hasOwn(shared, word) ? shared[word] : undefined
  if (text !== undefined) return parseWhen(text).test
  const [, prefix, name = '', operator, rest = ''] =
    /^(declared |new |decided |stated |!)?([\w.-]+?)(?:(!?=|[<>]=?)(.*))?$/.exec(word) ?? []
  if (conditionNames.includes(name))
    return prefix === '!' ? wlan => wlan.lacks(name) : wlan => wlan.meets(name)
  const field = pointerOf(name)
  fields.add(field)
  if (operator !== undefined) return comparison(field, operator, rest)
  const isSwitch = fieldAt(field).types.has('boolean')
  switch (prefix) {
    case 'declared ':
      return wlan => wlan.declares(field)
    case 'new ':
      return (wlan, before) => wlan.declares(field) && !isStored(wlan, before, field)
    case 'decided ':
      return wlan => wlan.isDecided(field)
    case 'stated ':
      return wlan => wlan.value(field) !== undefined && wlan.origin(field) !== 'default'
    case '!':
      return isSwitch ? wlan => wlan.off(field) : wlan => wlan.empty(field)
    default:
      return isSwitch ? wlan => wlan.on(field) : wlan => wlan.filled(field)
  }
}

function comparison(field: Pointer, operator: string, rest: string): Test {
  if (operator !== '=' && operator !== '!=') return range(field, operator, rest)
  const values = rest.split('|')
  const isList = fieldAt(field).types.has('array')
  if (!isList) {
    return operator === '='
      ? wlan => wlan.is(field, ...values)
      : wlan => wlan.isOther(field, ...values)
  }
  const tests = values.map(value => (field === '/bands' ? isOnBand(value) : entryTest(value)))
  const test = (entry: string) => tests.some(each => each(entry))
  return operator === '='
    ? wlan => wlan.hasEntry(field, test)
    : wlan => wlan.lacksEntry(field, test)
}

function entryTest(value: string): (entry: string) => boolean {
  const rest = value.slice(1)
  if (value.startsWith('!')) return entry => entry !== rest
  return value.startsWith('*') ? entry => entry.endsWith(rest) : entry => entry === value
}

function range(field: Pointer, operator: string, rest: string): Test {
  const other = /^-?\d+$/.test(rest) ? undefined : pointerOf(rest)
  const isBelow = operator.startsWith('<')
  const isIncluded = operator.endsWith('=')
  return wlan => {
    const number = wlan.number(field)
    const bound = other === undefined ? Number(rest) : wlan.number(other)
    if (number === undefined || bound === undefined) return false
    return number === bound ? isIncluded : number < bound === isBelow
  }
}

function lacksCoaServer(wlan: WlanView): boolean {
  const list = '/coa_servers'
  return (
    wlan.value(list) !== undefined && wlan.elements(list).every(server => server.off('/enabled'))
  )
}

/** True if the change sets a pre-shared key; one that is already live is a leftover that `import` wrote to the file. */
function declaresNewPsk(wlan: WlanView, before: WlanView | undefined): boolean {
  const keyOf = (view: WlanView) => view.secret('/auth/psk')?.reveal()
  return wlan.declares('/auth/psk') && (before === undefined || keyOf(wlan) !== keyOf(before))
}

/** True if the change lowers the limit; 0 is unlimited. */
function lowersMaxClients(wlan: WlanView, before: WlanView | undefined): boolean {
  const [most, was] = [wlan.number('/max_num_clients') ?? 0, before?.number('/max_num_clients')]
  return most !== 0 && was !== undefined && (was === 0 || most < was)
}

const circuitVariables = ['AP_MAC', 'AP_MAC_DASHED', 'AP_MODEL', 'AP_NAME', 'SITE_NAME', 'SSID']

function namesUnknownVariable(wlan: WlanView): boolean {
  const id = wlan.written('/inject_dhcp_option_82/circuit_id')
  return (
    typeof id === 'string' && serviceVariablesIn(id).some(name => !circuitVariables.includes(name))
  )
}

/** The pointer `/auth/psk` for `auth.psk`. Throws for a word in `rules.json` that is no field. */
export function pointerOf(name: string): Pointer {
  const pointer = `/${name.replaceAll('.', '/')}`
  if (!fieldAt(pointer).known) throw new Error(`no field ${name} in the schema`)
  return pointer
}

/** True if the value was live before the change: the change does not bring it in. */
function isStored(wlan: WlanView, before: WlanView | undefined, field: Pointer): boolean {
  const [now, was] = [wlan.written(field), before?.written(field)]
  return now !== undefined && was !== undefined && isEquivalent(now, was)
}

// Conditions that the functions in `rules/` use, too.

export const rateBands = ['24', '5', '6'] as const

/** True if a change needs a secret that is neither declared nor hidden: the live WLAN, without this condition, uses none. */
export function hidesNone(
  secret: Pointer,
  condition: string,
  wlan: WlanView,
  before: WlanView | undefined
): boolean {
  return wlan.written(secret) === undefined && before?.lacks(condition) === true
}

/** Returns a test for entries of `bands`: `5-dedicated` counts as band 5. */
export function isOnBand(band: string): (entry: string) => boolean {
  const prefix = `${band}-`
  return entry => entry === band || entry.startsWith(prefix)
}

const isSix = isOnBand('6')

/** True if the files or the service set the bands, and all of them are 6 GHz bands. */
export function isOnlyOnSix(wlan: WlanView): boolean {
  return wlan.lacksEntry('/bands', band => !isSix(band)) && wlan.isDecided('/bands')
}

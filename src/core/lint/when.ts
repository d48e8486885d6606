import { conditionNames } from '../schema/condition.ts'
import { fieldAt } from '../schema/field.ts'
import type { Pointer } from '../values/pointer.ts'
import { isOnBand, isOnlyOnSix, isSentOn, isWpa3, lacksRadsecServer } from './conditions.ts'
import { serviceVariablesIn } from './formats.ts'
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
 * | `auth.type!=psk`               | the value is set, and none of these                                      |
 * | `declared vlan_id`             | the files declare the value                                              |
 * | `eap`, `!eap`                  | it meets the condition of the schema with that name, or does not         |
 * | `only-on-6`                    | it meets one of the conditions below                                     |
 *
 * Parts are joined by `and`, alternatives by `or` in parentheses; `and` binds more strongly.
 */

type Test = (wlan: WlanView, before: WlanView | undefined) => boolean

/** Conditions that the language cannot express. */
const special: ReadonlyMap<string, Test> = new Map<string, Test>([
  ['radsec-without-server', lacksRadsecServer],
  ['without-coa-server', lacksCoaServer],
  ['declares-new-psk', declaresNewPsk],
  ['offers-other-than-wpa3', offersOtherThanWpa3],
  ['names-unknown-variable', namesUnknownVariable],
  ['without-24', wlan => wlan.lacksEntry('/bands', isOnBand('24'))],
  ['without-5', wlan => wlan.lacksEntry('/bands', isOnBand('5'))],
  ['sent-on-24', wlan => isSentOn(wlan, '24')],
  ['sent-on-6', wlan => isSentOn(wlan, '6')],
  ['only-on-6', isOnlyOnSix]
])

export interface When {
  readonly test: Test
  /** The fields that the condition names, in order. */
  readonly fields: readonly Pointer[]
  /** The field of the first part, if that is met only where the field is set. */
  readonly given: Pointer | undefined
}

/** Parses a condition of `rules.json`. */
export function parseWhen(text: string): When {
  const words = text.match(/[()]|declared \S+|[^\s()]+/g) ?? []
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
    if (word !== '(') return testOf(word, fields)
    const inner = either()
    words.shift()
    return inner
  }
  const [first = ''] = words
  const test = both()
  const [field] = fields
  return { test, fields: [...fields], given: field === pointerOf(first) ? field : undefined }
}

function testOf(word: string, fields: Set<Pointer>): Test {
  const known = special.get(word)
  if (known !== undefined) return known
  const [, prefix, name = '', operator, rest = ''] =
    /^(declared |!)?([\w.-]+?)(?:(!?=)(.*))?$/.exec(word) ?? []
  if (conditionNames.includes(name))
    return prefix === '!' ? wlan => wlan.lacks(name) : wlan => wlan.meets(name)
  const field = pointerOf(name)
  fields.add(field)
  if (operator !== undefined) return comparison(field, operator === '=', rest.split('|'))
  const isSwitch = fieldAt(field).types.has('boolean')
  switch (prefix) {
    case 'declared ':
      return wlan => wlan.declares(field)
    case '!':
      return isSwitch ? wlan => wlan.off(field) : wlan => wlan.empty(field)
    default:
      return isSwitch ? wlan => wlan.on(field) : wlan => wlan.filled(field)
  }
}

function comparison(field: Pointer, isEqual: boolean, values: readonly string[]): Test {
  if (!isEqual) return wlan => wlan.isOther(field, ...values)
  const isList = fieldAt(field).types.has('array')
  if (isList) return wlan => wlan.hasEntry(field, entry => values.includes(entry))
  return wlan => wlan.is(field, ...values)
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

function offersOtherThanWpa3(wlan: WlanView): boolean {
  return wlan.isDecided('/auth/pairwise') && wlan.hasEntry('/auth/pairwise', pair => !isWpa3(pair))
}

const circuitVariables = ['AP_MAC', 'AP_MAC_DASHED', 'AP_MODEL', 'AP_NAME', 'SITE_NAME', 'SSID']

function namesUnknownVariable(wlan: WlanView): boolean {
  const id = wlan.written('/inject_dhcp_option_82/circuit_id')
  return (
    typeof id === 'string' && serviceVariablesIn(id).some(name => !circuitVariables.includes(name))
  )
}

/** The pointer of a field: `/auth/psk` for `auth.psk`. */
export function pointerOf(name: string): Pointer {
  return `/${name.replaceAll('.', '/')}`
}

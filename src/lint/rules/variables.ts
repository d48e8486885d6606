import { child, type Pointer } from '../../model/pointer.ts'
import { isList, isObject, type Value } from '../../model/value.ts'
import { fieldAt } from '../../schema/field.ts'
import { describedName } from '../describe.ts'
import type { Violation, WlanRule } from '../rule.ts'
import { hasBrokenVariable } from '../text-forms.ts'
import { holdsVariable } from '../written.ts'

/** The live fields that may hold variables; of declared ones all are searched. */
const liveFields = [
  '/ssid',
  '/vlan_id',
  '/vlan_ids',
  '/auth_servers_nas_id',
  '/auth_servers_nas_ip'
]

/** Fields with names of their own in braces. */
const otherBraces: ReadonlySet<Pointer> = new Set([
  '/inject_dhcp_option_82/circuit_id',
  '/portal/smsMessageFormat'
])

/** Rules about variables of the service. */
export const variableRules: readonly WlanRule[] = [
  {
    // A secret may hold any characters, two braces included: secrets are not searched.
    id: 'variable-misspelt',
    severity: 'error',
    view: 'D',
    fields: liveFields,
    message: 'a variable of the service is not written as one',
    why: 'the service replaces only {{name}} of letters, digits and underscores; other text goes on the air as it is',
    condition:
      'a text has "{{" without a name of letters, digits and underscores and "}}" after it; or a switch has a variable as its value',
    advice: 'write the variable as {{name}}; switches take true or false',
    source: 'J-VAR: no spaces or special characters except for underscores (documented)',
    falseAlarms: 'low',
    check: wlan => {
      const texts = new Map<Pointer, string>()
      for (const field of liveFields) collectTexts(texts, wlan.written(field), field)
      collectTexts(texts, wlan.declared, '')
      return texts.size === 0 ? [] : [...texts].flatMap(([field, text]) => problemsOf(field, text))
    }
  }
]

/** Adds the texts with braces in a value; a secret is none. */
function collectTexts(texts: Map<Pointer, string>, value: Value | undefined, at: Pointer): void {
  if (typeof value === 'string') {
    if (holdsVariable(value)) texts.set(at, value)
  } else if (isList(value)) {
    for (const [place, entry] of value.entries()) collectTexts(texts, entry, child(at, place))
  } else if (isObject(value)) {
    for (const name of Object.keys(value)) {
      const inner = value[name]
      if (typeof inner === 'object' || (typeof inner === 'string' && holdsVariable(inner))) {
        collectTexts(texts, inner, child(at, name))
      }
    }
  }
}

function problemsOf(field: Pointer, text: string): readonly Violation[] {
  const common = { fields: [field], subject: field }
  if (typeof fieldAt(field).default === 'boolean') {
    return [
      {
        ...common,
        message: `\`${describedName(field)}\` takes no variable: expected true or false`
      }
    ]
  }
  if (otherBraces.has(field) || fieldAt(field).secret || !hasBrokenVariable(text)) return []
  return [common]
}

import { child, type Pointer } from '../../model/pointer.ts'
import { isList, isObject, type Value } from '../../model/value.ts'
import { nameOf } from '../describe.ts'
import type { Violation, WlanRule } from '../rule.ts'
import { hasBrokenVariable } from '../text-forms.ts'
import type { View } from '../view.ts'
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
      const written = liveFields.map(field => [field, wlan.written(field)] as const)
      const declared = wlan.declared === undefined ? [] : textsIn(wlan.declared, '')
      const texts = new Map([...written.flatMap(textAt), ...declared])
      return [...texts].flatMap(([field, text]) => problemsOf(wlan, field, text))
    }
  }
]

type TextAt = readonly [field: Pointer, text: string]

function textAt([field, value]: readonly [Pointer, Value | undefined]): readonly TextAt[] {
  return typeof value === 'string' && holdsVariable(value) ? [[field, value]] : []
}

/** The texts with braces in a value; a secret is none. */
function textsIn(value: Value, at: Pointer): TextAt[] {
  if (typeof value === 'string') return holdsVariable(value) ? [[at, value]] : []
  if (isList(value)) return value.flatMap((entry, place) => textsIn(entry, child(at, place)))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === 'string' || (typeof inner === 'object' && inner !== null)
      ? textsIn(inner, child(at, name))
      : []
  )
}

function problemsOf(wlan: View, field: Pointer, text: string): readonly Violation[] {
  const common = { fields: [field], subject: field }
  if (typeof wlan.field(field).default === 'boolean') {
    return [
      { ...common, message: `\`${nameOf(field)}\` takes no variable: expected true or false` }
    ]
  }
  if (otherBraces.has(field) || wlan.field(field).secret || !hasBrokenVariable(text)) return []
  return [common]
}

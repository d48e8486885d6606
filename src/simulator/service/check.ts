import { isPsk, ssidProblem } from '../../model/names.ts'
import { isJsonObject, type Json, type JsonObject, memberOf } from '../json.ts'

/** Says what is wrong with a value, or undefined; never quotes it, for it may be a secret. */
type Check = (value: Json) => string | undefined

const VLAN_VARIABLE = /^\{\{.+\}\}$/

/** The few fields the simulator looks at; the service's own rules are its secret. */
const checks: Readonly<Record<string, Check>> = {
  ssid: value => (typeof value === 'string' ? ssidProblem(value) : 'Not a valid string.'),
  enabled: value => (typeof value === 'boolean' ? undefined : 'Must be a valid boolean.'),
  vlan_id: value => (isVlanId(value) ? undefined : 'Must be from 1 to 4094.'),
  auth: value => (isJsonObject(value) ? pskProblem(value) : 'Must be an object.')
}

/** The complaints about the fields of a PUT's body, by field; empty if there are none. */
export function problemsOf(body: JsonObject): Readonly<Record<string, string>> {
  const problems = Object.entries(checks).flatMap(([field, check]) => {
    const value = memberOf(body, field)
    const problem = value === undefined ? undefined : check(value)
    return problem === undefined ? [] : [[field, problem] as const]
  })
  return Object.fromEntries(problems)
}

function isVlanId(value: Json): boolean {
  if (value === null || value === '') return true
  if (typeof value === 'string' && VLAN_VARIABLE.test(value)) return true
  if (typeof value !== 'number' && typeof value !== 'string') return false
  const id = Number(value)
  return Number.isInteger(id) && id >= 1 && id <= 4094
}

function pskProblem(auth: JsonObject): string | undefined {
  const psk = memberOf(auth, 'psk')
  if (psk === undefined || psk === null || psk === '') return undefined
  return typeof psk === 'string' && isPsk(psk) ? undefined : 'psk: 8 to 63 characters.'
}

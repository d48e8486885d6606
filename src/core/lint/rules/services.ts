import { fieldAt } from '../../schema/field.ts'
import { child, fieldName, type Pointer } from '../../values/pointer.ts'
import { quote } from '../../values/text.ts'
import { isList, isObject, type Value } from '../../values/value.ts'
import { hasBrokenVariable, holdsVariable } from '../formats.ts'
import type { Violation, WlanCheck } from '../rule.ts'
import type { WlanView } from '../view.ts'

const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'].map(day => `/schedule/hours/${day}`)

/** The live fields that may contain variables; declared WLANs are searched completely. */
const liveFields = [
  '/ssid',
  '/vlan_id',
  '/vlan_ids',
  '/auth_servers_nas_id',
  '/auth_servers_nas_ip'
]

/** Fields that contain names in braces which are not variables of the service. */
const otherBraces: ReadonlySet<Pointer> = new Set([
  '/inject_dhcp_option_82/circuit_id',
  '/portal/smsMessageFormat'
])

export const serviceChecks: Readonly<Record<string, WlanCheck>> = {
  'schedule-unfit': wlan => [...days.map(day => hourProblem(wlan, day))],
  // Secrets are not searched: a secret may contain braces.
  'variable-misspelt': wlan => {
    const texts = new Map<Pointer, string>()
    for (const field of liveFields) collectTexts(texts, wlan.written(field), field)
    collectTexts(texts, wlan.declaredVariables, '')
    return [...texts].map(([field, text]) => misspelt(field, text))
  },
  'hardening-locks-out': (wlan, before) =>
    before === undefined ? [] : requiredAuthenticators(wlan, before)
}

function hourProblem(wlan: WlanView, day: Pointer): Violation | undefined {
  const hours = wlan.text(day)
  if (hours === undefined) return undefined
  const common = { fields: [day], subject: day }
  const [begin, end] = hours.split('-').map(minutesOf)
  if (begin === undefined || end === undefined || begin === 24 * 60 || begin === end) {
    const message = `expected hours such as 08:00-20:00 in \`${fieldName(day)}\`, got ${quote(hours, 20)}`
    return { ...common, message }
  }
  if (begin < end) return undefined
  return { ...common, level: 'warning', message: 'the API does not document hours over midnight' }
}

/** Minutes since midnight; undefined if the string is not a time of day. */
function minutesOf(time: string): number | undefined {
  const match = /^([01]\d|2[0-3]):([0-5]\d)$|^(24):(00)$/.exec(time.trim())
  if (match === null) return undefined
  return Number(match[1] ?? match[3]) * 60 + Number(match[2] ?? match[4])
}

/** Adds the strings with braces in a value; skips secrets. */
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

function misspelt(field: Pointer, text: string): Violation | undefined {
  const { default: usual, secret } = fieldAt(field)
  const common = { fields: [field], subject: field }
  if (typeof usual === 'boolean') {
    const message = `\`${fieldName(field)}\` takes no variable: expected true or false`
    return { ...common, message }
  }
  return otherBraces.has(field) || secret || !hasBrokenVariable(text) ? undefined : common
}

function requiredAuthenticators(now: WlanView, was: WlanView): Violation[] {
  const field = '/require_message_authenticator'
  const strict = now.elements('/auth_servers').filter(server => server.on(field))
  if (strict.length === 0) return []
  const lenient = was.elements('/auth_servers').filter(server => server.off(field))
  const hosts = new Set(lenient.map(server => server.text('/host')))
  return strict.flatMap(server => {
    const host = server.text('/host')
    if (host === undefined || !hosts.has(host)) return []
    const message = `the RADIUS server ${quote(host)} must send a Message-Authenticator, or it refuses all clients`
    return [{ message, fields: ['/auth_servers'], subject: host }]
  })
}

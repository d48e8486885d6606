import { fieldAt } from '../../schema/field.ts'
import { child, type Pointer } from '../../values/pointer.ts'
import { quote } from '../../values/text.ts'
import { isList, isObject, type Value } from '../../values/value.ts'
import { isWpa3 } from '../conditions.ts'
import { hasBrokenVariable, holdsVariable, serviceVariablesIn } from '../formats.ts'
import { type Violation, violationsOf, type WlanRule, when } from '../rule.ts'
import { describedName } from '../rule-finding.ts'
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

/** Switches that may lock clients out when they are turned on, and those clients. */
const lockedOut: ReadonlyMap<Pointer, string> = new Map([
  ['/no_static_ip', 'clients with a fixed address'],
  ['/block_blacklist_clients', 'clients that the site has blocked'],
  ['/disable_when_gateway_unreachable', 'all clients while the gateway does not answer'],
  ['/disable_when_mxtunnel_down', 'all clients while the tunnel is down'],
  ['/auth/enable_mac_auth', 'devices whose address the RADIUS server does not know'],
  ['/mist_nac/enabled', 'clients that no policy of the cloud NAC lets in'],
  ['/radsec/enabled', 'all clients if a RadSec server does not accept the access points'],
  ['/airwatch/enabled', 'devices that AirWatch does not manage']
])

/** Rules about admission control, schedules, variables of the service, and changes that may lock clients out. */
export const serviceRules: readonly WlanRule[] = [
  {
    id: 'option82-unfit',
    severity: 'warning',
    view: 'D',
    given: ['/inject_dhcp_option_82/enabled'],
    fields: ['/inject_dhcp_option_82/enabled', '/inject_dhcp_option_82/circuit_id'],
    message: 'the circuit ID of DHCP option 82 is empty or names an unknown variable',
    why: 'the DHCP server gets no usable circuit ID',
    condition:
      '`inject_dhcp_option_82` is on, and `circuit_id` is empty, or names another variable than AP_MAC, AP_MAC_DASHED, AP_MODEL, AP_NAME, SITE_NAME, SSID',
    advice: 'use the documented variables, such as {{AP_MAC}}:{{SSID}}',
    source: 'OAS `wlan_inject_dhcp_option_82` (documented)',
    falseAlarms: 'medium: variables of the site may work, too',
    check: wlan =>
      when(wlan.empty('/inject_dhcp_option_82/circuit_id') || namesUnknownVariable(wlan))
  },
  {
    id: 'airwatch-incomplete',
    severity: 'error',
    given: ['/airwatch/enabled'],
    fields: ['/airwatch/enabled'],
    message: 'the admission by AirWatch lacks a part',
    why: 'access points cannot ask AirWatch whether a device may join',
    condition:
      '`airwatch` is on, and `console_url`, `username`, `password` or `api_key` is known to be empty',
    advice: 'declare the missing fields',
    source: 'TFP RequiredWhenValueIs, all four (a check of the provider)',
    check: wlan => {
      const empty = airwatchParts.filter(field => wlan.empty(field))
      return violationsOf(
        empty.length > 0 && { fields: ['/airwatch/enabled', ...empty], extent: empty.length }
      )
    }
  },
  {
    id: 'schedule-unfit',
    severity: 'error',
    view: 'D',
    given: ['/schedule/enabled'],
    fields: ['/schedule/enabled', ...days],
    message: 'the hours of the schedule are not usable',
    why: 'the network is on the air at other times than intended',
    condition:
      'the schedule is on, and an hour is not 00:00 to 23:59 (24:00 as an end), or begin equals end; a warning where the end is before the begin, where no day has hours, or where every day is closed',
    advice: 'write hours as 08:00-20:00; split hours over midnight between two days',
    source: 'OAS `hour` (documented); TFP AtLeastNAttributes',
    falseAlarms: 'low; hours over midnight are not documented',
    check: wlan => {
      const isClosed = wlan.meets('closed')
      return [
        ...days.flatMap(day => hourProblems(wlan, day)),
        ...violationsOf(
          wlan.lacks('hours') && {
            level: 'warning',
            message: 'the schedule is on and no day has hours: the network is always on',
            fields: ['/schedule/enabled'],
            subject: 'always'
          },
          isClosed && {
            level: 'warning',
            message: 'the schedule closes every day: the network is never on the air',
            fields: ['/schedule/enabled', ...days],
            subject: 'closed'
          }
        )
      ]
    }
  },
  {
    id: 'schedule-not-enabled',
    severity: 'info',
    given: ['/schedule/hours'],
    fields: ['/schedule/enabled', ...days],
    message: 'the declared hours are ignored: the schedule is off',
    why: 'the network is always on',
    condition: '`schedule.hours` is declared, and `schedule.enabled` is off',
    advice: 'turn on `schedule.enabled`, or remove the hours',
    source: 'OAS `wlan_schedule`: the default is disabled (documented)',
    check: wlan => {
      if (!wlan.off('/schedule/enabled') || !wlan.declares('/schedule/hours')) return []
      const declared = days.filter(day => wlan.declares(day))
      return violationsOf(
        declared.length > 0 && { fields: ['/schedule/enabled', ...declared], ignored: declared }
      )
    }
  },
  {
    // Secrets are not searched: a secret may contain braces.
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
    check: wlan => {
      const texts = new Map<Pointer, string>()
      for (const field of liveFields) collectTexts(texts, wlan.written(field), field)
      collectTexts(texts, wlan.declaredVariables, '')
      return texts.size === 0 ? [] : [...texts].flatMap(([field, text]) => problemsOf(field, text))
    }
  },
  {
    id: 'hardening-locks-out',
    severity: 'warning',
    view: 'T',
    fields: [
      ...lockedOut.keys(),
      '/auth_servers',
      '/disable_message_authenticator_check',
      '/auth/pairwise',
      '/auth/owe',
      '/max_num_clients'
    ],
    message: 'the change may lock clients out',
    why: 'some clients or servers do not fulfil the stricter setting',
    condition:
      'a server begins to require the Message-Authenticator, or its check is no longer disabled; `pairwise` goes to wpa3 alone; `owe` to required; `enable_mac_auth`, `mist_nac`, `radsec`, `airwatch`, the portal of an open network, `no_static_ip`, `block_blacklist_clients`, `disable_when_gateway_unreachable` or `disable_when_mxtunnel_down` goes on; `max_num_clients` is lowered',
    advice: 'roll the change out in waves, with a canary first',
    source: 'OAS-log 2602.1.4 (documented); WPA3; TWIN, client-affecting attributes (code)',
    falseAlarms: 'medium: a hint to use a canary',
    check: (wlan, before) => (before === undefined ? [] : lockouts(wlan, before))
  }
]

const airwatchParts = [
  '/airwatch/console_url',
  '/airwatch/username',
  '/airwatch/password',
  '/airwatch/api_key'
]

const circuitVariables = new Set([
  'AP_MAC',
  'AP_MAC_DASHED',
  'AP_MODEL',
  'AP_NAME',
  'SITE_NAME',
  'SSID'
])

function namesUnknownVariable(wlan: WlanView): boolean {
  const id = wlan.written('/inject_dhcp_option_82/circuit_id')
  return (
    typeof id === 'string' &&
    holdsVariable(id) &&
    serviceVariablesIn(id).some(name => !circuitVariables.has(name))
  )
}

function hourProblems(wlan: WlanView, day: Pointer): readonly Violation[] {
  const hours = wlan.text(day)
  if (hours === undefined) return []
  const common = { fields: [day], subject: day }
  const [begin, end] = hours.split('-').map(minutesOf)
  const isUnfit = begin === undefined || end === undefined || begin === 24 * 60 || begin === end
  if (isUnfit) {
    const message = `expected hours such as 08:00-20:00 in \`${describedName(day)}\`, got ${quote(hours, 20)}`
    return [{ ...common, message }]
  }
  const message = 'the API does not document hours over midnight'
  return violationsOf(end < begin && { ...common, level: 'warning', message })
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

function lockouts(wlan: WlanView, before: WlanView): readonly Violation[] {
  const hasOnlyWpa3 = wlan.lacksEntry('/auth/pairwise', cipher => !isWpa3(cipher))
  return [
    ...[...lockedOut].flatMap(([field, clients]) =>
      wlan.on(field) && before.off(field)
        ? [{ message: locksOut(clients), fields: [field], subject: field }]
        : []
    ),
    ...violationsOf(
      wlan.on('/portal/enabled') &&
        before.off('/portal/enabled') &&
        wlan.meets('unencrypted') && {
          message: locksOut('devices without a browser'),
          fields: ['/portal/enabled'],
          subject: 'portal'
        },
      wlan.off('/disable_message_authenticator_check') &&
        before.on('/disable_message_authenticator_check') && {
          message: locksOut('all clients of a RADIUS server without a Message-Authenticator'),
          fields: ['/disable_message_authenticator_check'],
          subject: 'check'
        },
      hasOnlyWpa3 &&
        before.hasEntry('/auth/pairwise', cipher => !isWpa3(cipher)) && {
          message: locksOut('clients without WPA3'),
          fields: ['/auth/pairwise'],
          subject: 'wpa3'
        },
      wlan.is('/auth/owe', 'required') &&
        before.is('/auth/owe', 'disabled', 'enabled') && {
          message: locksOut('clients without OWE'),
          fields: ['/auth/owe'],
          subject: 'owe'
        },
      isLowered(wlan, before) && {
        message: locksOut('clients above the lower limit'),
        fields: ['/max_num_clients'],
        subject: 'clients'
      }
    ),
    ...requiredAuthenticators(wlan, before)
  ]
}

function locksOut(clients: string): string {
  return `the change may lock out ${clients}`
}

/** True if the change lowers the limit; 0 is unlimited. */
function isLowered(wlan: WlanView, before: WlanView): boolean {
  const now = wlan.number('/max_num_clients') ?? 0
  if (now === 0) return false
  const was = before.number('/max_num_clients')
  return was !== undefined && (was === 0 || now < was)
}

function requiredAuthenticators(wlan: WlanView, before: WlanView): readonly Violation[] {
  const field = '/require_message_authenticator'
  const strict = (wlan.elements('/auth_servers') ?? []).filter(server => server.on(field))
  if (strict.length === 0) return []
  const lenient = new Set(
    (before.elements('/auth_servers') ?? [])
      .filter(server => server.off(field))
      .map(server => server.text('/host'))
  )
  return strict.flatMap(server => {
    const host = server.text('/host')
    if (host === undefined || !lenient.has(host)) return []
    const message = `the RADIUS server ${quote(host)} must send a Message-Authenticator, or it refuses all clients`
    return [{ message, fields: ['/auth_servers'], subject: host }]
  })
}

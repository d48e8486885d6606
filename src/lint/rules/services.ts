import { type Violation, violationsOf, type WlanRule, when } from '../rule.ts'
import { variableNames } from '../text-forms.ts'
import type { WlanView } from '../view.ts'
import { holdsVariable } from '../written.ts'

/** Rules about limits, DHCP and admission. */
export const serviceRules: readonly WlanRule[] = [
  {
    id: 'limit-not-enabled',
    severity: 'warning',
    view: 'M',
    fields: ['/wlan_limit_up', '/wlan_limit_down', '/client_limit_up', '/client_limit_down'],
    message: 'a declared limit is not enabled',
    why: 'the bandwidth is not limited',
    condition:
      'a `*_limit_*` is declared and its `…_enabled` is off, or `app_limit.apps` or `app_qos.apps` is declared and its `enabled` is off; an error where `…_enabled` is on and the limit is absent',
    advice: 'turn on the limit, or remove it',
    source: 'OAS `wlan.*_enabled` (documented)',
    falseAlarms:
      'medium: the web console stores 10000, 20000, 512 and 1000 in every WLAN; such a value that is live already passes',
    check: (wlan, before) => [
      ...limits.flatMap(limit => limitProblems(wlan, before, limit)),
      ...appBlocks.flatMap(block => appProblems(wlan, block))
    ]
  },
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
      when(
        wlan.on('/inject_dhcp_option_82/enabled') &&
          (wlan.empty('/inject_dhcp_option_82/circuit_id') || namesUnknownVariable(wlan))
      )
  },
  {
    id: 'airwatch-incomplete',
    severity: 'error',
    view: 'M',
    given: ['/airwatch/enabled'],
    fields: ['/airwatch/enabled'],
    message: 'the admission by AirWatch lacks a part',
    why: 'access points cannot ask AirWatch whether a device may join',
    condition:
      '`airwatch` is on, and `console_url`, `username`, `password` or `api_key` is known to be empty',
    advice: 'declare the missing fields',
    source: 'TFP RequiredWhenValueIs, all four (a check of the provider)',
    falseAlarms: 'low',
    check: wlan => {
      if (!wlan.on('/airwatch/enabled')) return []
      const empty = airwatchParts.filter(field => wlan.empty(field))
      return violationsOf(
        empty.length > 0 && { fields: ['/airwatch/enabled', ...empty], extent: empty.length }
      )
    }
  }
]

/** The limits with their switches, and the value of each that the web console stores in every WLAN. */
const limits = [
  ['/wlan_limit_up', '/wlan_limit_up_enabled', 10000],
  ['/wlan_limit_down', '/wlan_limit_down_enabled', 20000],
  ['/client_limit_up', '/client_limit_up_enabled', 512],
  ['/client_limit_down', '/client_limit_down_enabled', 1000]
] as const

/** Lists of applications with their switches. */
const appBlocks = [
  ['/app_limit/apps', '/app_limit/enabled'],
  ['/app_qos/apps', '/app_qos/enabled']
] as const

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

function limitProblems(
  wlan: WlanView,
  before: WlanView | undefined,
  [limit, enabled, stored]: (typeof limits)[number]
): readonly Violation[] {
  const fields = [limit, enabled]
  const isLeftover = () => wlan.number(limit) === stored && before?.number(limit) === stored
  return violationsOf(
    wlan.off(enabled) && wlan.declares(limit) && !isLeftover() && { fields, subject: limit },
    wlan.on(enabled) &&
      wlan.empty(limit) && {
        level: 'error',
        message: 'a limit is enabled and has no value',
        fields,
        subject: limit
      }
  )
}

function appProblems(
  wlan: WlanView,
  [apps, enabled]: (typeof appBlocks)[number]
): readonly Violation[] {
  return violationsOf(
    wlan.off(enabled) &&
      wlan.declares(apps) && {
        message: 'declared applications have no effect: they are not enabled',
        fields: [apps, enabled],
        subject: apps
      }
  )
}

function namesUnknownVariable(wlan: WlanView): boolean {
  const id = wlan.written('/inject_dhcp_option_82/circuit_id')
  return (
    typeof id === 'string' &&
    holdsVariable(id) &&
    variableNames(id).some(name => !circuitVariables.has(name))
  )
}

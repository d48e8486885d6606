import { isSentOn, isStored } from '../conditions.ts'
import { type Violation, violationsOf, type WlanRule } from '../rule.ts'
import type { WlanView } from '../view.ts'

/** In kbps; a client with less cannot load a login page. */
const MIN_CLIENT_LIMIT = 256

const MIN_IDLE_SECONDS = 300

const limits = [
  ['/wlan_limit_up', '/wlan_limit_up_enabled'],
  ['/wlan_limit_down', '/wlan_limit_down_enabled'],
  ['/client_limit_up', '/client_limit_up_enabled'],
  ['/client_limit_down', '/client_limit_down_enabled']
] as const

const appBlocks = [
  ['/app_limit/apps', '/app_limit/enabled'],
  ['/app_qos/apps', '/app_qos/enabled']
] as const

/** Rules about limits of bandwidth, clients and idle time. */
export const limitRules: readonly WlanRule[] = [
  {
    id: 'limit-not-enabled',
    severity: 'warning',
    given: [...limits.flat(), ...appBlocks.map(([apps]) => apps)],
    fields: ['/wlan_limit_up', '/wlan_limit_down', '/client_limit_up', '/client_limit_down'],
    message: 'a declared limit is not enabled',
    why: 'the bandwidth is not limited',
    condition:
      'a `*_limit_*` is declared and its `…_enabled` is off, or `app_limit.apps` or `app_qos.apps` is declared and its `enabled` is off; an error where `…_enabled` is on and the limit is absent',
    advice: 'turn on the limit, or remove it',
    source: 'OAS `wlan.*_enabled` (documented)',
    falseAlarms:
      'low: the web console stores limits in every WLAN, so a limit that is live already passes, and files alone do not break the rule',
    check: (wlan, before) => [
      ...limits.flatMap(limit => limitProblems(wlan, before, limit)),
      ...appBlocks.flatMap(block => appProblems(wlan, before, block))
    ]
  },
  {
    id: 'limit-tiny',
    severity: 'error',
    given: ['/client_limit_up_enabled', '/client_limit_down_enabled'],
    fields: limits.map(([limit]) => limit),
    message: 'a limit for each client is too low to work with: its unit is kbps',
    why: 'a client cannot even load a login page below 256 kbps; 20 Mbps are 20000',
    condition:
      'an enabled limit for each client is below 256 kbps; a warning where it is above the enabled limit of the WLAN',
    advice: 'write the limit in kbps, such as 20000 for 20 Mbps',
    source: 'OAS `wlan.client_limit_up` (documented); knowledge',
    falseAlarms: 'low: networks for meters',
    check: wlan => ['up', 'down'].flatMap(way => clientLimitProblems(wlan, way))
  },
  {
    id: 'one-client',
    severity: 'warning',
    given: ['/max_num_clients', '/max_idletime'],
    fields: ['/max_num_clients', '/max_idletime', '/bands'],
    message: 'almost no client can join',
    why: 'the limit counts all clients of an access point; a short idle time drops sleeping devices, which mostly use 2.4 GHz',
    condition:
      '`max_num_clients` is 1 to 4; or `max_idletime` is below 300 seconds, and `bands` is known and has 24',
    advice: 'use 0 for no limit, and an idle time of 1800 seconds',
    source: 'knowledge',
    falseAlarms: 'medium: links between two devices',
    check: wlan => {
      const clients = wlan.number('/max_num_clients') ?? 0
      const seconds = wlan.number('/max_idletime') ?? MIN_IDLE_SECONDS
      return violationsOf(
        clients >= 1 &&
          clients <= 4 && { fields: ['/max_num_clients'], subject: 'clients', extent: -clients },
        seconds < MIN_IDLE_SECONDS &&
          isSentOn(wlan, '24') && {
            message: 'sleeping devices are dropped, and have to join again',
            fields: ['/max_idletime', '/bands'],
            subject: 'idle',
            extent: -seconds
          }
      )
    }
  }
]

function limitProblems(
  wlan: WlanView,
  before: WlanView | undefined,
  [limit, enabled]: (typeof limits)[number]
): readonly Violation[] {
  const fields = [limit, enabled]
  return violationsOf(
    before !== undefined &&
      wlan.off(enabled) &&
      wlan.declares(limit) &&
      !isStored(wlan, before, limit) && { fields, subject: limit },
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
  before: WlanView | undefined,
  [apps, enabled]: (typeof appBlocks)[number]
): readonly Violation[] {
  return violationsOf(
    before !== undefined &&
      wlan.off(enabled) &&
      wlan.declares(apps) &&
      !isStored(wlan, before, apps) && {
        message: 'declared applications have no effect: they are not enabled',
        fields: [apps, enabled],
        subject: apps
      }
  )
}

function clientLimitProblems(wlan: WlanView, way: string): readonly Violation[] {
  const [limit, ofWlan] = [`/client_limit_${way}`, `/wlan_limit_${way}`]
  const kbps = wlan.number(limit)
  if (kbps === undefined || kbps === 0 || !wlan.on(`${limit}_enabled`)) return []
  if (kbps < MIN_CLIENT_LIMIT) return [{ fields: [limit], subject: limit, extent: -kbps }]
  const most = wlan.on(`${ofWlan}_enabled`) ? (wlan.number(ofWlan) ?? 0) : 0
  return violationsOf(
    most > 0 &&
      kbps > most && {
        level: 'warning',
        message: 'the limit for each client is above the limit for the whole WLAN',
        fields: [limit, ofWlan],
        subject: limit,
        extent: kbps - most
      }
  )
}

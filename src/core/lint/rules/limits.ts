import type { Pointer } from '../../values/pointer.ts'
import { isSentOn, isStored } from '../conditions.ts'
import type { Violation, WlanCheck } from '../rule.ts'
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

/** Limits of bandwidth, clients and idle time. */
export const limitChecks: Readonly<Record<string, WlanCheck>> = {
  'limit-not-enabled': (wlan, before) => {
    const ofApps = 'declared applications have no effect: they are not enabled'
    return [
      ...limits.flatMap(([limit, enabled]) => [
        isNotEnabled(wlan, before, limit, enabled),
        wlan.on(enabled) &&
          wlan.empty(limit) && {
            level: 'error' as const,
            message: 'a limit is enabled and has no value',
            fields: [limit, enabled],
            subject: limit
          }
      ]),
      ...appBlocks.map(([apps, enabled]) => {
        const found = isNotEnabled(wlan, before, apps, enabled)
        return found && { ...found, message: ofApps }
      })
    ]
  },
  'limit-tiny': wlan => ['up', 'down'].map(way => clientLimitProblem(wlan, way)),
  'one-client': wlan => {
    const clients = wlan.number('/max_num_clients') ?? 0
    const seconds = wlan.number('/max_idletime') ?? MIN_IDLE_SECONDS
    return [
      clients >= 1 &&
        clients <= 4 && { fields: ['/max_num_clients'], subject: 'clients', extent: -clients },
      seconds < MIN_IDLE_SECONDS &&
        isSentOn(wlan, '24') && {
          message: 'sleeping devices are dropped, and have to join again',
          fields: ['/max_idletime', '/bands'],
          subject: 'idle',
          extent: -seconds
        }
    ]
  }
}

function isNotEnabled(
  wlan: WlanView,
  before: WlanView | undefined,
  field: Pointer,
  enabled: Pointer
): Violation | false {
  const isIgnored = before !== undefined && wlan.off(enabled) && wlan.declares(field)
  return isIgnored && !isStored(wlan, before, field) && { fields: [field, enabled], subject: field }
}

function clientLimitProblem(wlan: WlanView, way: string): Violation | undefined {
  const [limit, ofWlan] = [`/client_limit_${way}`, `/wlan_limit_${way}`]
  const kbps = wlan.number(limit)
  if (kbps === undefined || kbps === 0 || !wlan.on(`${limit}_enabled`)) return undefined
  if (kbps < MIN_CLIENT_LIMIT) return { fields: [limit], subject: limit, extent: -kbps }
  const most = wlan.on(`${ofWlan}_enabled`) ? (wlan.number(ofWlan) ?? 0) : 0
  if (most <= 0 || kbps <= most) return undefined
  return {
    level: 'warning',
    message: 'the limit for each client is above the limit for the whole WLAN',
    fields: [limit, ofWlan],
    subject: limit,
    extent: kbps - most
  }
}

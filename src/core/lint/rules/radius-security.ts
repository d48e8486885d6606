import { isIpv4, isPublicIpv4 } from '../../values/address.ts'
import { groupsBy } from '../../values/collections.ts'
import type { Pointer } from '../../values/pointer.ts'
import { secretIdentity } from '../../values/secret.ts'
import { listFirst, quote } from '../../values/text.ts'
import { isObject, valueText } from '../../values/value.ts'
import { radiusLists } from '../conditions.ts'
import { aboutEach, quotedName, type Violation, type WlanRule, when } from '../rule.ts'
import { describedName } from '../rule-finding.ts'
import type { WlanView } from '../view.ts'

const DISABLED = '/disable_message_authenticator_check'
const REQUIRED = '/require_message_authenticator'
const GROUPS = '/dns_server_rewrite/radius_groups'

/** The minimum length of a shared secret (RFC 2865, section 3). */
const MIN_SECRET_LENGTH = 16

const tooShort = `is shorter than ${MIN_SECRET_LENGTH} characters`
const taken = 'is the SSID or the host'

/** Seconds after which clients give up an 802.1X login. */
const MAX_LOGIN_SECONDS = 60

const allLists = [...radiusLists, ['/radsec/servers', '/host']] as const

/** Rules about how safely and how fast RADIUS servers are reached. */
export const radiusSecurityRules: readonly WlanRule[] = [
  {
    id: 'weak-radius-secret',
    severity: 'warning',
    given: radiusLists.map(([list]) => list),
    fields: radiusLists.map(([list]) => list),
    message: `the shared secret of a RADIUS server ${tooShort}`,
    why: 'a recorded message is enough to search the secret offline, and with it to forge logins',
    condition:
      'the known `secret` of a RADIUS or CoA server has fewer than 16 characters, or is the SSID or the host of the server',
    advice: 'use a random secret of 16 characters or more for each server',
    source: 'RFC 2865, section 3 (knowledge)',
    falseAlarms: 'low; never part of a saved plan or a record',
    fromSecret: true,
    check: wlan => radiusLists.flatMap(([list, host]) => weakSecrets(wlan, list, host))
  },
  {
    id: 'message-authenticator-off',
    severity: 'warning',
    given: [DISABLED, '/auth_servers'],
    fields: [DISABLED, '/auth_servers'],
    message: 'RADIUS messages are accepted without a Message-Authenticator',
    why: 'an attacker between access point and server can turn a refused login into an accepted one',
    condition:
      '`disable_message_authenticator_check` is on while RADIUS servers are in use without RadSec; an info where `require_message_authenticator` of an authentication server is declared or live as false',
    advice:
      'update the RADIUS server, turn off `disable_message_authenticator_check` and turn on `require_message_authenticator`',
    source: 'CVE-2024-3596, Blast-RADIUS; OAS-log 2602.1.4 (documented)',
    check: wlan => {
      if (!isPlainRadius(wlan)) return []
      if (wlan.on(DISABLED)) return [{ fields: [DISABLED], subject: 'check' }]
      const isLenient = (server: WlanView) =>
        server.off(REQUIRED) && server.origin(REQUIRED) !== 'default'
      const message = (hosts: string) => `${hosts} may answer without a Message-Authenticator`
      const lenient = aboutServers(wlan, ['/auth_servers', '/host'], isLenient, message)
      return lenient.map(violation => ({ ...violation, level: 'info' }))
    }
  },
  {
    id: 'radius-in-the-clear',
    severity: 'warning',
    given: ['/auth_servers', '/acct_servers'],
    fields: ['/auth_servers', '/acct_servers', '/radsec/enabled'],
    message: 'RADIUS crosses the internet without encryption',
    why: 'names of users and devices are readable on the way, and logins can be forged',
    condition:
      'RADIUS servers are in use, the host of an authentication or accounting server is a public IPv4 address, and `radsec` is off',
    advice: 'turn on `radsec`, or reach the server through a tunnel at a private address',
    source: 'CVE-2024-3596, Blast-RADIUS (knowledge)',
    falseAlarms: 'medium: organizations that use public addresses inside their own network',
    check: wlan =>
      isPlainRadius(wlan)
        ? ['/auth_servers', '/acct_servers'].flatMap(list =>
            aboutServers(
              wlan,
              [list, '/host'],
              server => isPublicIpv4(server.text('/host') ?? ''),
              hosts => `RADIUS to ${hosts} crosses the internet without encryption`
            )
          )
        : []
  },
  {
    id: 'radius-loopback',
    severity: 'error',
    given: allLists.map(([list]) => list),
    fields: allLists.map(([list]) => list),
    message: 'a RADIUS server has an address that no access point can reach',
    why: 'the access point asks itself, and no client can log in',
    condition:
      'the host of a RADIUS, accounting, CoA or RadSec server is in 127.0.0.0/8, is 0.0.0.0 or localhost, or is empty',
    advice: 'declare the address of the server, or remove the server',
    source: 'RFC 1122, section 3.2.1.3 (knowledge)',
    falseAlarms: 'none',
    check: wlan =>
      allLists.flatMap(([list, host]) =>
        aboutServers(
          wlan,
          [list, host],
          server => isUnreachable(server, host),
          hosts => `expected the address of a server in \`${describedName(list)}\`, got ${hosts}`
        )
      )
  },
  {
    id: 'failover-too-slow',
    severity: 'info',
    given: ['/auth_servers'],
    fields: ['/auth_servers_timeout', '/auth_servers_retries', '/auth_servers'],
    message: 'clients give up before the last RADIUS server is asked',
    why: 'a client waits about a minute for a login, and unreachable servers are asked one after the other',
    condition:
      'RADIUS servers are in use, and `auth_servers_timeout` × (`auth_servers_retries` + 1) × the number of `auth_servers` is above 60 seconds',
    advice: 'lower `auth_servers_timeout` or `auth_servers_retries`, or list fewer servers',
    source: '802.1X supplicants (knowledge)',
    falseAlarms: 'medium: how the access points use the retries is not documented',
    check: wlan => {
      const seconds = wlan.meets('radius-servers') ? secondsToLastServer(wlan) : 0
      const message = `unreachable RADIUS servers take ${seconds} seconds: clients give up before`
      return seconds > MAX_LOGIN_SECONDS ? [{ message, extent: seconds }] : []
    }
  },
  {
    id: 'dns-rewrite-public',
    severity: 'warning',
    given: ['/dns_server_rewrite/enabled'],
    fields: ['/dns_server_rewrite/enabled', GROUPS],
    message: 'DNS queries of clients go to a public server',
    why: 'the server sees and answers all names that the clients of the group look up',
    condition:
      '`dns_server_rewrite` is on, and a value of `radius_groups` is a public IPv4 address',
    advice: 'use the resolver of the site, or waive the rule for a filter that you chose',
    source: 'knowledge',
    falseAlarms: 'medium: filters of DNS queries are public servers',
    check: wlan => {
      const groups = wlan.value(GROUPS)
      const servers = isObject(groups) ? Object.values(groups).map(valueText) : []
      return when(servers.some(isPublicIpv4))
    }
  }
]

function isPlainRadius(wlan: WlanView): boolean {
  return wlan.meets('radius-servers') && wlan.off('/radsec/enabled')
}

/** One violation for the servers of a list that satisfy a test. */
function aboutServers(
  wlan: WlanView,
  [list, host]: readonly [list: Pointer, host: Pointer],
  test: (server: WlanView) => boolean,
  message: (hosts: string) => string
): readonly Violation[] {
  const hosts = (wlan.elements(list) ?? []).filter(test).map(server => quote(server.name(host)))
  const text = message(listFirst(hosts, 3))
  return aboutEach(hosts, () => ({ message: text, fields: [list], subject: list }))
}

/** One violation for each secret of a list that is weak. */
function weakSecrets(wlan: WlanView, list: Pointer, host: Pointer): readonly Violation[] {
  const weak = (wlan.elements(list) ?? []).flatMap(server => {
    const secret = server.secret('/secret')
    if (secret === undefined) return []
    const key = secret.reveal()
    const isShort = key.length < MIN_SECRET_LENGTH
    const names = [wlan.text('/ssid'), server.text(host)]
    if (!isShort && !names.includes(key)) return []
    return [{ secret, host: quote(server.name(host)), problem: isShort ? tooShort : taken }]
  })
  return groupsBy(weak, ({ secret }) => secretIdentity(secret)).map(same => {
    const [{ secret, problem }] = same
    const hosts = same.map(({ host }) => host)
    const message = `the shared secret${quotedName(secret)} of ${listFirst(hosts, 3)} ${problem}`
    return { message, fields: [list], subject: list, extent: weak.length, secret }
  })
}

function isUnreachable(server: WlanView, host: Pointer): boolean {
  const name = server.text(host)?.toLowerCase() ?? ''
  if (name === '') return server.empty(host)
  return name === 'localhost' || name === '0.0.0.0' || (isIpv4(name) && name.startsWith('127.'))
}

function secondsToLastServer(wlan: WlanView): number {
  const timeout = wlan.number('/auth_servers_timeout') ?? 0
  const retries = wlan.number('/auth_servers_retries') ?? 0
  return timeout * (retries + 1) * (wlan.elements('/auth_servers') ?? []).length
}

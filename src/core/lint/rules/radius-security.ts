import { isIpv4, isPublicIpv4 } from '../../values/address.ts'
import { groupsBy } from '../../values/collections.ts'
import type { Pointer } from '../../values/pointer.ts'
import { secretIdentity } from '../../values/secret.ts'
import { listFirst, quote } from '../../values/text.ts'
import { aboutEach, quotedName, type Violation, type WlanCheck } from '../rule.ts'
import { describedName } from '../rule-finding.ts'
import type { WlanView } from '../view.ts'
import { radiusLists, type ServerList, serverLists } from './radius.ts'

const DISABLED = '/disable_message_authenticator_check'
const REQUIRED = '/require_message_authenticator'

const [authentication, accounting, , radsec] = serverLists

/** The minimum length of a shared secret (RFC 2865, section 3). */
const MIN_SECRET_LENGTH = 16

/** Seconds after which clients give up an 802.1X login. */
const MAX_LOGIN_SECONDS = 60

/** How safely and how fast RADIUS servers are reached. */
export const radiusSecurityChecks: Readonly<Record<string, WlanCheck>> = {
  'weak-radius-secret': wlan => radiusLists.flatMap(list => weakSecrets(wlan, list)),
  'message-authenticator-off': wlan => {
    if (!isPlainRadius(wlan)) return []
    if (wlan.on(DISABLED)) return [{ fields: [DISABLED], subject: 'check' }]
    const isLenient = (server: WlanView) =>
      server.off(REQUIRED) && server.origin(REQUIRED) !== 'default'
    const lenient = aboutServers(wlan, authentication, isLenient, hosts => hosts)
    const message = `${lenient?.message} may answer without a Message-Authenticator`
    return [lenient && { ...lenient, level: 'info', message }]
  },
  'radius-in-the-clear': wlan =>
    isPlainRadius(wlan)
      ? [authentication, accounting].map(list =>
          aboutServers(
            wlan,
            list,
            server => isPublicIpv4(server.text('/host') ?? ''),
            hosts => `RADIUS to ${hosts} crosses the internet without encryption`
          )
        )
      : [],
  'radius-loopback': wlan =>
    [...radiusLists, radsec].map(each =>
      aboutServers(
        wlan,
        each,
        server => isUnreachable(server, each.host),
        hosts => `expected the address of a server in \`${describedName(each.list)}\`, got ${hosts}`
      )
    ),
  'failover-too-slow': wlan => {
    const seconds = wlan.meets('radius-servers') ? secondsToLastServer(wlan) : 0
    const message = `unreachable RADIUS servers take ${seconds} seconds: clients give up before`
    return [seconds > MAX_LOGIN_SECONDS && { message, extent: seconds }]
  }
}

function isPlainRadius(wlan: WlanView): boolean {
  return wlan.meets('radius-servers') && wlan.off('/radsec/enabled')
}

/** One violation for the servers of a list that satisfy a test. */
function aboutServers(
  wlan: WlanView,
  { list, host }: ServerList,
  test: (server: WlanView) => boolean,
  message: (hosts: string) => string
): Violation | undefined {
  const hosts = wlan.elements(list).filter(test)
  const names = hosts.map(server => quote(server.name(host)))
  return aboutEach(names, () => ({
    message: message(listFirst(names, 3)),
    fields: [list],
    subject: list
  }))
}

/** One violation for each secret of a list that is weak. */
function weakSecrets(wlan: WlanView, { list, host }: ServerList): Violation[] {
  const weak = wlan.elements(list).flatMap(server => {
    const secret = server.secret('/secret')
    if (secret === undefined) return []
    const key = secret.reveal()
    const isShort = key.length < MIN_SECRET_LENGTH
    if (!isShort && key !== wlan.text('/ssid') && key !== server.text(host)) return []
    const problem = isShort
      ? `is shorter than ${MIN_SECRET_LENGTH} characters`
      : 'is the SSID or the host'
    return [{ secret, host: quote(server.name(host)), problem }]
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
  return timeout * (retries + 1) * wlan.elements('/auth_servers').length
}

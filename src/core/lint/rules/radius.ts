import { isIpv4, isPublicIpv4 } from '../../values/address.ts'
import { groupsBy } from '../../values/collections.ts'
import { fieldName, type Pointer } from '../../values/pointer.ts'
import { secretIdentity } from '../../values/secret.ts'
import { listFirst, quote } from '../../values/text.ts'
import { isObject, valueText } from '../../values/value.ts'
import { bytesOf, holdsVariable, holdsVariables, hostProblem } from '../formats.ts'
import { aboutEach, quotedName, type Violation, type Violations, type WlanCheck } from '../rule.ts'
import type { WlanView } from '../view.ts'

/** The lists of servers: the member that contains the host, the usual port, and the ports of other services. */
const serverLists = [
  { list: '/auth_servers', host: '/host', usual: 1812, odd: [1813, 1646] },
  { list: '/acct_servers', host: '/host', usual: 1813, odd: [1812, 1645] },
  { list: '/coa_servers', host: '/ip', usual: 3799, odd: [1812, 1813] },
  { list: '/radsec/servers', host: '/host', usual: 2083, odd: [1812] }
] as const

type ServerList = (typeof serverLists)[number]

const [authentication, accounting, changes, radsec] = serverLists

/** The lists whose servers share a secret with the access points. */
const radiusLists = [accounting, authentication, changes] as const

const DISABLED = '/disable_message_authenticator_check'
const REQUIRED = '/require_message_authenticator'

/** The minimum length of a shared secret (RFC 2865, section 3). */
const MIN_SECRET_LENGTH = 16

/** Seconds after which clients give up an 802.1X login. */
const MAX_LOGIN_SECONDS = 60

export const radiusChecks: Readonly<Record<string, WlanCheck>> = {
  'interim-interval-unfit': wlan => [
    intervalProblem(wlan, '/acct_interim_interval'),
    wlan.on('/mist_nac/enabled') && intervalProblem(wlan, '/mist_nac/acct_interim_interval'),
    (wlan.number('/acct_interim_interval') ?? 0) > 0 &&
      wlan.empty('/acct_servers') &&
      wlan.off('/mist_nac/enabled') && {
        level: 'info',
        message: '`acct_interim_interval` has no effect without accounting servers',
        fields: ['/acct_interim_interval', '/acct_servers'],
        subject: 'servers'
      }
  ],
  'radius-server-without-secret': wlan =>
    eachServer(
      wlan,
      radiusLists,
      (server, host, list) =>
        server.empty('/secret') && `the RADIUS server ${host} has no shared secret, in ${list}`
    ),
  'address-unfit': wlan => [
    ...eachServer(wlan, [authentication, accounting, radsec], (server, host, list) => {
      const problem = hostProblem(server.name('/host'))
      return problem !== undefined && `the host ${host} in ${list} ${problem}`
    }),
    ...addressProblems(wlan)
  ],
  'radius-port-odd': wlan =>
    serverLists.flatMap(({ odd, ...each }) =>
      eachServer(wlan, [each], (server, host, list) => {
        const port = server.number('/port')
        const isOdd = odd.some(other => other === port)
        return isOdd && `port ${port} of ${host} in ${list} belongs to another service`
      })
    ),
  'radius-server-twice': wlan => serverLists.flatMap(list => duplicateServers(wlan, list)),
  'keywrap-incomplete': wlan =>
    eachServer(wlan, radiusLists, (server, host, list) => {
      const parts = ['/keywrap_kek', '/keywrap_mack', '/keywrap_format']
      return (
        server.on('/keywrap_enabled') &&
        parts.some(part => server.empty(part)) &&
        `key wrap of the RADIUS server ${host} lacks a key or its format, in ${list}`
      )
    }),
  'dns-rewrite-public': wlan => [rewritesOf(wlan).some(isPublicIpv4) && {}],
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
        hosts => `expected the address of a server in \`${fieldName(each.list)}\`, got ${hosts}`
      )
    ),
  'failover-too-slow': wlan => {
    const seconds = wlan.meets('radius-servers') ? secondsToLastServer(wlan) : 0
    const message = `unreachable RADIUS servers take ${seconds} seconds: clients give up before`
    return [seconds > MAX_LOGIN_SECONDS && { message, extent: seconds }]
  }
}

/** A violation by each server with a problem. `problemOf`: the message with the host and the list as they are written. */
function eachServer(
  wlan: WlanView,
  lists: readonly Pick<ServerList, 'list' | 'host'>[],
  problemOf: (server: WlanView, host: string, list: string) => string | false
): Violation[] {
  return lists.flatMap(({ list, host }) =>
    wlan.elements(list).flatMap(server => {
      const name = server.name(host)
      const message = problemOf(server, quote(name), `\`${fieldName(list)}\``)
      return message === false
        ? []
        : { message, fields: [list], subject: `${list} ${name} ${message}` }
    })
  )
}

function intervalProblem(wlan: WlanView, field: string): Violation | undefined {
  const seconds = wlan.number(field) ?? 0
  if (seconds <= 0 || seconds >= 600) return undefined
  const common = { fields: [field], subject: field }
  if (seconds < 60) return common
  const message = `${seconds} seconds between accounting reports load the server: 600 or more is recommended`
  return { ...common, level: 'warning', message, extent: -seconds }
}

function addressProblems(wlan: WlanView): Violations {
  const coa = wlan.elements('/coa_servers').map(server => server.text('/ip'))
  const groups = wlan.on('/dns_server_rewrite/enabled') ? rewritesOf(wlan) : []
  const nac = wlan.on('/mist_nac/enabled') ? [wlan.text('/mist_nac/source_ip')] : []
  const nasId = wlan.text('/auth_servers_nas_id')
  return [
    ...noAddress('/coa_servers', coa),
    ...noAddress('/auth_servers_nas_ip', [wlan.text('/auth_servers_nas_ip')]),
    ...noAddress('/mist_nac/source_ip', nac),
    ...noAddress('/dns_server_rewrite/radius_groups', groups),
    nasId !== undefined &&
      bytesOf(nasId) > 48 && {
        message: '`auth_servers_nas_id` has more than 48 bytes',
        fields: ['/auth_servers_nas_id'],
        subject: 'nas_id'
      }
  ]
}

function rewritesOf(wlan: WlanView): string[] {
  const groups = wlan.value('/dns_server_rewrite/radius_groups')
  const servers = isObject(groups ?? null) ? Object.values(groups ?? {}) : []
  return servers.filter(server => typeof server === 'string' && !holdsVariable(server))
}

function noAddress(field: string, texts: readonly (string | undefined)[]): Violation[] {
  return texts.flatMap(text => {
    if (text === undefined || isIpv4(text)) return []
    const message = `${quote(text)} in \`${fieldName(field)}\` is not an IPv4 address`
    return [{ message, fields: [field], subject: `${field} ${text}` }]
  })
}

function duplicateServers(wlan: WlanView, { list, host, usual }: ServerList): Violation[] {
  const seen = new Set<string>()
  return wlan.elements(list).flatMap(server => {
    const name = server.text(host)
    const port = server.written('/port') ?? usual
    if (name === undefined || holdsVariables(port)) return []
    const key = `${name.toLowerCase()} ${valueText(port)}`
    if (!seen.has(key)) {
      seen.add(key)
      return []
    }
    const message = `\`${fieldName(list)}\` names ${quote(name)} twice with the same port`
    return [{ message, fields: [list], subject: `${list} ${key}` }]
  })
}

function isPlainRadius(wlan: WlanView): boolean {
  return wlan.meets('radius-servers') && wlan.off('/radsec/enabled')
}

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

import { quote } from '../../model/text.ts'
import { serverLists } from '../conditions.ts'
import { describedName } from '../describe.ts'
import { type Violation, violationsOf, type WlanRule } from '../rule.ts'
import { bytesOf, hostProblem, isIpv4 } from '../text-forms.ts'
import type { WlanView } from '../view.ts'
import { holdsVariable } from '../written.ts'
import { aboutServers, duplicateServers } from './servers.ts'

/** Rules about single servers: their secrets, addresses and ports. */
export const radiusServerRules: readonly WlanRule[] = [
  {
    id: 'radius-server-without-secret',
    severity: 'error',
    view: 'M',
    given: ['/auth_servers', '/acct_servers', '/coa_servers'],
    fields: serverLists.map(([list]) => list),
    message: 'a RADIUS server has no shared secret',
    why: 'the service requires a secret for each server, and a server answers no client without it',
    condition:
      'an element of `auth_servers`, `acct_servers` or `coa_servers` declares no `secret`, and no live element of the same host has one',
    advice: 'declare `secret` of the server by a secret reference',
    source:
      'OAS `radius_auth_server`, `radius_acct_server`, `coa_server`: required (documented); TFP',
    falseAlarms: 'low',
    check: wlan =>
      aboutServers(
        wlan,
        server => server.empty('/secret'),
        host => `the RADIUS server ${host} has no shared secret`
      )
  },
  {
    id: 'address-unfit',
    severity: 'error',
    view: 'D',
    given: [
      '/auth_servers',
      '/acct_servers',
      '/coa_servers',
      '/radsec/servers',
      '/auth_servers_nas_ip',
      '/auth_servers_nas_id',
      '/mist_nac/enabled',
      '/dns_server_rewrite/enabled'
    ],
    fields: [
      '/coa_servers',
      '/auth_servers_nas_ip',
      '/mist_nac/source_ip',
      '/dns_server_rewrite/radius_groups',
      '/auth_servers_nas_id',
      '/auth_servers',
      '/acct_servers',
      '/radsec/servers'
    ],
    message: 'an address is not usable',
    why: 'access points cannot reach the server, or the service refuses the value',
    condition:
      '`coa_servers[].ip`, `auth_servers_nas_ip`, `mist_nac.source_ip` or a value of `dns_server_rewrite.radius_groups` is no IPv4 address; `auth_servers_nas_id` has more than 48 bytes; a `host` contains a blank, "/" or a port',
    advice: 'correct the address; a port has a field of its own',
    source:
      'OAS `coa_server.ip`, `wlan_dns_server_rewrite`, `wlan.auth_servers_nas_id` (documented); TFP ParseIp',
    falseAlarms: 'low',
    check: wlan => [...hostProblems(wlan), ...addressProblems(wlan)]
  },
  {
    id: 'radius-port-odd',
    severity: 'warning',
    view: 'D',
    given: ['/auth_servers', '/acct_servers', '/coa_servers', '/radsec/servers'],
    fields: ['/auth_servers', '/acct_servers', '/coa_servers', '/radsec/servers'],
    message: 'a server has the port of another service',
    why: 'the server probably does not answer on this port',
    condition:
      'an authentication server has port 1813 or 1646, an accounting server 1812 or 1645, a CoA server 1812 or 1813, a RadSec server 1812',
    advice: 'use 1812 for authentication, 1813 for accounting, 3799 for CoA and 2083 for RadSec',
    source: 'OAS, the defaults of the ports (documented); RadSec by knowledge',
    falseAlarms: 'low',
    check: wlan => oddPorts.flatMap(([list, host, ports]) => oddPortsIn(wlan, list, host, ports))
  },
  {
    id: 'radius-server-twice',
    severity: 'warning',
    view: 'D',
    given: ['/auth_servers', '/acct_servers', '/coa_servers', '/radsec/servers'],
    fields: ['/auth_servers', '/acct_servers', '/coa_servers', '/radsec/servers'],
    message: 'a list names the same server twice',
    why: 'the second place gives no redundancy, and which secret belongs to which place is ambiguous',
    condition: 'two elements of a list have the same host and port',
    advice: 'remove one of them',
    source: 'knowledge',
    falseAlarms: 'none',
    check: wlan => [
      ...serverLists.flatMap(([list, host]) => duplicateServers(wlan, list, host)),
      ...duplicateServers(wlan, '/radsec/servers', '/host')
    ]
  },
  {
    id: 'keywrap-incomplete',
    severity: 'error',
    view: 'M',
    given: ['/auth_servers', '/acct_servers'],
    fields: ['/auth_servers', '/acct_servers'],
    message: 'key wrap lacks its keys or its format',
    why: 'key wrap needs both keys and the format that they are written in',
    condition:
      '`keywrap_enabled` is on, and `keywrap_kek` or `keywrap_mack` is known to be empty, or `keywrap_format` is absent',
    advice: 'declare `keywrap_kek`, `keywrap_mack` and `keywrap_format`',
    source: 'knowledge; OAS has the members without a description',
    falseAlarms: 'medium for the format',
    check: wlan =>
      aboutServers(
        wlan,
        server => server.on('/keywrap_enabled') && lacksKeyWrap(server),
        host => `key wrap of the RADIUS server ${host} lacks a key or its format`
      )
  }
]

const oddPorts = [
  ['/auth_servers', '/host', [1813, 1646]],
  ['/acct_servers', '/host', [1812, 1645]],
  ['/coa_servers', '/ip', [1812, 1813]],
  ['/radsec/servers', '/host', [1812]]
] as const

function lacksKeyWrap(server: WlanView): boolean {
  return (
    server.empty('/keywrap_kek') || server.empty('/keywrap_mack') || server.empty('/keywrap_format')
  )
}

function oddPortsIn(
  wlan: WlanView,
  list: string,
  host: string,
  ports: readonly number[]
): readonly Violation[] {
  return (wlan.elements(list) ?? []).flatMap(server => {
    const port = server.number('/port')
    if (port === undefined || !ports.includes(port)) return []
    const name = server.text(host) ?? ''
    const message = `port ${port} of ${quote(name)} in \`${describedName(list)}\` belongs to another service`
    return [{ message, fields: [list], subject: `${list} ${name} ${port}` }]
  })
}

function hostProblems(wlan: WlanView): Violation[] {
  return ['/auth_servers', '/acct_servers', '/radsec/servers'].flatMap(list =>
    (wlan.elements(list) ?? []).flatMap(server => {
      const host = server.text('/host')
      const problem = host === undefined ? undefined : hostProblem(host)
      if (host === undefined || problem === undefined) return []
      const message = `the host ${quote(host)} in \`${describedName(list)}\` ${problem}`
      return [{ message, fields: [list], subject: `${list} ${host}` }]
    })
  )
}

function addressProblems(wlan: WlanView): Violation[] {
  const coa = (wlan.elements('/coa_servers') ?? []).map(server => server.text('/ip'))
  const groups = wlan.on('/dns_server_rewrite/enabled') ? rewritesOf(wlan) : []
  const nac = wlan.on('/mist_nac/enabled') ? [wlan.text('/mist_nac/source_ip')] : []
  const nasId = wlan.text('/auth_servers_nas_id')
  return [
    ...noAddress('/coa_servers', coa),
    ...noAddress('/auth_servers_nas_ip', [wlan.text('/auth_servers_nas_ip')]),
    ...noAddress('/mist_nac/source_ip', nac),
    ...noAddress('/dns_server_rewrite/radius_groups', groups),
    ...violationsOf(
      nasId !== undefined &&
        bytesOf(nasId) > 48 && {
          message: '`auth_servers_nas_id` has more than 48 bytes',
          fields: ['/auth_servers_nas_id'],
          subject: 'nas_id'
        }
    )
  ]
}

function rewritesOf(wlan: WlanView): (string | undefined)[] {
  const groups = wlan.value('/dns_server_rewrite/radius_groups')
  if (typeof groups !== 'object' || groups === null) return []
  return Object.values(groups).map(value =>
    typeof value === 'string' && !holdsVariable(value) ? value : undefined
  )
}

function noAddress(field: string, texts: readonly (string | undefined)[]): Violation[] {
  return texts.flatMap(text => {
    if (text === undefined || isIpv4(text)) return []
    const message = `${quote(text)} in \`${describedName(field)}\` is not an IPv4 address`
    return [{ message, fields: [field], subject: `${field} ${text}` }]
  })
}

import { isIpv4 } from '../../values/address.ts'
import { quote } from '../../values/text.ts'
import { valueText } from '../../values/value.ts'
import { lacksRadsecServer, radiusLists } from '../conditions.ts'
import { bytesOf, holdsVariable, holdsVariables, hostProblem } from '../formats.ts'
import { type Violation, violationsOf, type WlanRule, when } from '../rule.ts'
import { describedName } from '../rule-finding.ts'
import type { WlanView } from '../view.ts'

const ignoredByNac = [
  '/auth_servers',
  '/acct_servers',
  '/coa_servers',
  '/auth_servers_nas_id',
  '/auth_servers_nas_ip',
  '/auth_servers_retries',
  '/auth_servers_timeout',
  '/radsec/servers'
]

/** Rules about RADIUS: RadSec, change of authorization, accounting, cloud NAC, and single servers. */
export const radiusRules: readonly WlanRule[] = [
  {
    id: 'cwa-incomplete',
    severity: 'error',
    given: ['/cisco_cwa/enabled'],
    fields: ['/cisco_cwa/enabled', '/auth_servers', '/coa_servers', '/radsec/coa_enabled'],
    message: 'central web authentication needs a RADIUS server and an enabled CoA server',
    why: 'the server redirects a guest, and lets it in by a change of authorisation',
    condition:
      '`cisco_cwa` is on, `radsec.coa_enabled` is off, and `auth_servers` is empty or no element of `coa_servers` is enabled',
    advice: 'declare `auth_servers`, and `coa_servers` with `enabled: true`',
    source: 'OAS `wlan_cisco_cwa` (documented)',
    check: wlan =>
      when(wlan.off('/radsec/coa_enabled') && (wlan.empty('/auth_servers') || hasNoCoa(wlan)))
  },
  {
    id: 'radsec-without-server',
    severity: 'error',
    given: ['/radsec/enabled'],
    fields: ['/radsec/enabled', '/radsec/servers', '/radsec/proxy_hosts', '/radsec/mxcluster_ids'],
    message: 'RadSec is on and has no server',
    why: 'access points have nothing to connect to',
    condition:
      '`radsec` is on, `servers`, `proxy_hosts` and `mxcluster_ids` are empty, and neither `use_mxedge` nor `use_site_mxedge` is on; a warning where the traffic goes through a Mist tunnel',
    advice: 'declare `radsec.servers`, or turn on `radsec.use_mxedge`',
    source: 'OAS `radsec`, `radsec_proxy_hosts` (documented)',
    falseAlarms:
      'medium: the proxies of the site setting are the default, and no list of WLANs has them',
    check: wlan =>
      violationsOf(
        lacksRadsecServer(wlan) && {
          level: wlan.is('/interface', 'mxtunnel', 'site_mxedge') ? 'warning' : 'error'
        }
      )
  },
  {
    id: 'nac-overrides-radius',
    severity: 'warning',
    given: ['/mist_nac/enabled'],
    fields: ['/mist_nac/enabled', ...ignoredByNac, '/radsec/enabled'],
    message: 'the cloud NAC is on: the declared RADIUS settings are ignored',
    why: 'the cloud NAC takes the place of all RADIUS servers of the WLAN',
    condition:
      '`mist_nac` is on, and `auth_servers`, `acct_servers`, `coa_servers`, `auth_servers_*` or an enabled `radsec` is declared',
    advice: 'remove the RADIUS settings, or turn off `mist_nac`',
    source: 'OAS `wlan_mist_nac.enabled` (documented)',
    falseAlarms: 'low: only declared settings count, no live leftovers',
    check: wlan => {
      const ignored = ignoredByNac.filter(field => wlan.declares(field))
      if (wlan.declares('/radsec/enabled') && wlan.on('/radsec/enabled'))
        ignored.push('/radsec/enabled')
      return ignored.length === 0
        ? []
        : [{ fields: ['/mist_nac/enabled', ...ignored], ignored, extent: ignored.length }]
    }
  },
  {
    id: 'interim-interval-unfit',
    severity: 'error',
    view: 'D',
    given: ['/acct_interim_interval', '/mist_nac/enabled'],
    fields: ['/acct_interim_interval', '/mist_nac/acct_interim_interval'],
    message: 'expected an accounting interval of 0, or of 60 to 65535 seconds',
    why: 'the service documents 0 or 60 to 65535, and recommends 600 or more',
    condition:
      '`acct_interim_interval` is 1 to 59; a warning from 60 to 599; an info where it is set without `acct_servers`',
    advice: 'use 600 or more, or 0',
    source: 'OAS `wlan.acct_interim_interval` (documented)',
    check: wlan => [
      ...intervalProblems(wlan, '/acct_interim_interval'),
      ...(wlan.on('/mist_nac/enabled')
        ? intervalProblems(wlan, '/mist_nac/acct_interim_interval')
        : []),
      ...intervalWithoutServers(wlan)
    ]
  },
  {
    id: 'radsec-unverified',
    severity: 'warning',
    given: ['/radsec/enabled'],
    fields: ['/radsec/enabled', '/radsec/servers', '/radsec/server_name', '/radsec/use_mxedge'],
    message: 'the identity of the RadSec server is not verified',
    why: 'without a server name any server with a certificate of the same authorities is accepted',
    condition:
      '`radsec` is on with `servers`, and `server_name` is empty; also if `use_mxedge` and `servers` are both set, since one is ignored',
    advice: 'declare `radsec.server_name`; with `use_mxedge` remove `servers`',
    source: 'OAS `radsec.server_name` (documented)',
    check: wlan => (wlan.filled('/radsec/servers') ? radsecProblems(wlan) : [])
  },
  {
    id: 'radius-server-without-secret',
    severity: 'error',
    given: ['/auth_servers', '/acct_servers', '/coa_servers'],
    fields: radiusLists.map(([list]) => list),
    message: 'a RADIUS server has no shared secret',
    why: 'the service requires a secret for each server, and a server answers no client without it',
    condition:
      'an element of `auth_servers`, `acct_servers` or `coa_servers` declares no `secret`, and no live element of the same host has one',
    advice: 'declare `secret` of the server by a secret reference',
    source:
      'OAS `radius_auth_server`, `radius_acct_server`, `coa_server`: required (documented); TFP',
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
      '`coa_servers[].ip`, `auth_servers_nas_ip`, `mist_nac.source_ip` or a value of `dns_server_rewrite.radius_groups` is no IPv4 address; `auth_servers_nas_id` has more than 48 bytes; a `host` contains a blank, "/" or a port, or has digits and dots and is no IPv4 address',
    advice: 'correct the address; a port has a field of its own',
    source:
      'OAS `coa_server.ip`, `wlan_dns_server_rewrite`, `wlan.auth_servers_nas_id` (documented); TFP ParseIp',
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
    check: wlan => serverPorts.flatMap(ports => oddPortsIn(wlan, ports))
  },
  {
    id: 'radius-server-twice',
    severity: 'warning',
    view: 'D',
    given: ['/auth_servers', '/acct_servers', '/coa_servers', '/radsec/servers'],
    fields: ['/auth_servers', '/acct_servers', '/coa_servers', '/radsec/servers'],
    message: 'a list names the same server twice',
    why: 'the second place gives no redundancy, and which secret belongs to which place is ambiguous',
    condition:
      'two elements of a list have the same host and port; an element without a port has the usual one of its list',
    advice: 'remove one of them',
    source: 'knowledge',
    falseAlarms: 'none',
    check: wlan => serverPorts.flatMap(ports => duplicateServers(wlan, ports))
  },
  {
    id: 'keywrap-incomplete',
    severity: 'error',
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

function hasNoCoa(wlan: WlanView): boolean {
  return wlan.elements('/coa_servers')?.every(server => server.off('/enabled')) ?? false
}

function radsecProblems(wlan: WlanView): readonly Violation[] {
  return violationsOf(
    wlan.empty('/radsec/server_name') && {
      fields: ['/radsec/servers', '/radsec/server_name'],
      subject: 'name'
    },
    wlan.on('/radsec/use_mxedge') && {
      message: 'RadSec has servers and uses a Mist Edge: one of them is ignored',
      fields: ['/radsec/servers', '/radsec/use_mxedge'],
      subject: 'mxedge'
    }
  )
}

function intervalProblems(wlan: WlanView, field: string): readonly Violation[] {
  const seconds = wlan.number(field) ?? 0
  if (seconds <= 0 || seconds >= 600) return []
  const common = { fields: [field], subject: field }
  if (seconds < 60) return [common]
  const message = `${seconds} seconds between accounting reports load the server: 600 or more is recommended`
  return [{ ...common, level: 'warning', message, extent: -seconds }]
}

function intervalWithoutServers(wlan: WlanView): readonly Violation[] {
  const isSet = (wlan.number('/acct_interim_interval') ?? 0) > 0
  return violationsOf(
    isSet &&
      wlan.empty('/acct_servers') &&
      wlan.off('/mist_nac/enabled') && {
        level: 'info',
        message: '`acct_interim_interval` has no effect without accounting servers',
        fields: ['/acct_interim_interval', '/acct_servers'],
        subject: 'servers'
      }
  )
}

/** The usual port of the servers in a list, and the ports of other services. */
const serverPorts = [
  { list: '/auth_servers', host: '/host', usual: 1812, odd: [1813, 1646] },
  { list: '/acct_servers', host: '/host', usual: 1813, odd: [1812, 1645] },
  { list: '/coa_servers', host: '/ip', usual: 3799, odd: [1812, 1813] },
  { list: '/radsec/servers', host: '/host', usual: 2083, odd: [1812] }
] as const
type ServerPorts = (typeof serverPorts)[number]

function lacksKeyWrap(server: WlanView): boolean {
  return (
    server.empty('/keywrap_kek') || server.empty('/keywrap_mack') || server.empty('/keywrap_format')
  )
}

function oddPortsIn(wlan: WlanView, { list, host, odd }: ServerPorts): readonly Violation[] {
  return (wlan.elements(list) ?? []).flatMap(server => {
    const port = server.number('/port')
    if (port === undefined || !odd.some(other => other === port)) return []
    const name = server.name(host)
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

function aboutServers(
  wlan: WlanView,
  test: (server: WlanView) => boolean,
  message: (host: string) => string
): readonly Violation[] {
  return radiusLists.flatMap(([list, host]) =>
    (wlan.elements(list) ?? []).filter(test).map(server => {
      const name = server.name(host)
      const text = `${message(quote(name))}, in \`${describedName(list)}\``
      return { message: text, fields: [list], subject: `${list} ${name}` }
    })
  )
}

function duplicateServers(
  wlan: WlanView,
  { list, host, usual }: ServerPorts
): readonly Violation[] {
  const seen = new Set<string>()
  return (wlan.elements(list) ?? []).flatMap(server => {
    const name = server.text(host)
    const port = server.written('/port') ?? usual
    if (name === undefined || holdsVariables(port)) return []
    const key = `${name.toLowerCase()} ${valueText(port)}`
    if (!seen.has(key)) {
      seen.add(key)
      return []
    }
    const message = `\`${describedName(list)}\` names ${quote(name)} twice with the same port`
    return [{ message, fields: [list], subject: `${list} ${key}` }]
  })
}

import { lacksRadsecServer } from '../conditions.ts'
import { type Violation, violationsOf, type WlanRule, when } from '../rule.ts'
import type { WlanView } from '../view.ts'

/** Rules about RadSec, change of authorisation, accounting and the cloud NAC. */
export const radiusRules: readonly WlanRule[] = [
  {
    id: 'cwa-incomplete',
    severity: 'error',
    view: 'M',
    given: ['/cisco_cwa/enabled'],
    fields: ['/cisco_cwa/enabled', '/auth_servers', '/coa_servers', '/radsec/coa_enabled'],
    message: 'central web authentication needs a RADIUS server and an enabled CoA server',
    why: 'the server redirects a guest, and lets it in by a change of authorisation',
    condition:
      '`cisco_cwa` is on, `radsec.coa_enabled` is off, and `auth_servers` is empty or no element of `coa_servers` is enabled',
    advice: 'declare `auth_servers`, and `coa_servers` with `enabled: true`',
    source: 'OAS `wlan_cisco_cwa` (documented)',
    falseAlarms: 'low',
    check: wlan =>
      when(
        wlan.on('/cisco_cwa/enabled') &&
          wlan.off('/radsec/coa_enabled') &&
          (wlan.empty('/auth_servers') || hasNoCoa(wlan))
      )
  },
  {
    id: 'radsec-without-server',
    severity: 'error',
    view: 'M',
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
        wlan.on('/radsec/enabled') &&
          lacksRadsecServer(wlan) && {
            level: wlan.is('/interface', 'mxtunnel', 'site_mxedge') ? 'warning' : 'error'
          }
      )
  },
  {
    id: 'nac-overrides-radius',
    severity: 'warning',
    view: 'M',
    given: ['/mist_nac/enabled'],
    fields: [
      '/mist_nac/enabled',
      '/auth_servers',
      '/acct_servers',
      '/coa_servers',
      '/auth_servers_nas_id',
      '/auth_servers_nas_ip',
      '/auth_servers_retries',
      '/auth_servers_timeout',
      '/radsec/servers',
      '/radsec/enabled'
    ],
    message: 'the cloud NAC is on: the declared RADIUS settings are ignored',
    why: 'the cloud NAC takes the place of all RADIUS servers of the WLAN',
    condition:
      '`mist_nac` is on, and `auth_servers`, `acct_servers`, `coa_servers`, `auth_servers_*` or an enabled `radsec` is declared',
    advice: 'remove the RADIUS settings, or turn off `mist_nac`',
    source: 'OAS `wlan_mist_nac.enabled` (documented)',
    falseAlarms: 'low: only declared settings count, no live leftovers',
    check: wlan => {
      if (!wlan.on('/mist_nac/enabled')) return []
      const ignored = ignoredByNac.filter(field => wlan.declares(field))
      if (wlan.declares('/radsec/enabled') && wlan.on('/radsec/enabled'))
        ignored.push('/radsec/enabled')
      return ignored.length === 0
        ? []
        : [{ fields: ['/mist_nac/enabled', ...ignored], extent: ignored.length }]
    }
  },
  {
    id: 'interim-interval-unfit',
    severity: 'error',
    view: 'D',
    fields: ['/acct_interim_interval', '/mist_nac/acct_interim_interval'],
    message: 'expected an accounting interval of 0, or of 60 to 65535 seconds',
    why: 'the service documents 0 or 60 to 65535, and recommends 600 or more',
    condition:
      '`acct_interim_interval` is 1 to 59; a warning from 60 to 599; an info where it is set without `acct_servers`',
    advice: 'use 600 or more, or 0',
    source: 'OAS `wlan.acct_interim_interval` (documented)',
    falseAlarms: 'low',
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
    view: 'M',
    given: ['/radsec/enabled'],
    fields: ['/radsec/enabled', '/radsec/servers', '/radsec/server_name', '/radsec/use_mxedge'],
    message: 'the identity of the RadSec server is not verified',
    why: 'without a server name any server with a certificate of the same authorities is accepted',
    condition:
      '`radsec` is on with `servers`, and `server_name` is empty; also if `use_mxedge` and `servers` are both set, since one is ignored',
    advice: 'declare `radsec.server_name`; with `use_mxedge` remove `servers`',
    source: 'OAS `radsec.server_name` (documented)',
    falseAlarms: 'low',
    check: wlan =>
      wlan.on('/radsec/enabled') && wlan.filled('/radsec/servers') ? radsecProblems(wlan) : []
  }
]

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
  if (seconds < 60) return [{ fields: [field], subject: field }]
  const message = `${seconds} seconds between accounting reports load the server: 600 or more is recommended`
  return [{ level: 'warning', message, fields: [field], subject: field, extent: -seconds }]
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

import { describe, expect, test } from 'vitest'
import { lintRules } from '../../../src/core/lint/catalogue.ts'
import { lint } from '../../../src/core/lint/lint.ts'
import type { Value } from '../../../src/core/values/value.ts'
import {
  both,
  declared,
  eap,
  fields,
  fleet,
  live,
  psk,
  resolvedSecret,
  type Scenario,
  secret,
  server,
  site,
  sitesOf
} from './scenario.ts'

const all = { level: 'info', rules: {}, strict: false } as const

type Fields = Readonly<Record<string, Value>>

const at = (ssid: string, of: Fields): Scenario => live(fields({ ssid, ...of }))
const of = (members: Fields): Scenario => live(fields(members))

/** A network that breaks no rule, so that a row shows what its own fields break. */
const key = 'blue-Horse-7-staple'
const sound = { ...psk, 'auth.psk': secret(key), vlan_enabled: true, vlan_id: 30 }
const staff = { ...eap, vlan_enabled: true, vlan_id: 10, roam_mode: 'OKC' }
const radius = (host: string, more: Fields = {}) => ({
  ...staff,
  auth_servers: [{ ...server, host, ...more }]
})
const open = { 'auth.type': 'open', isolation: true, vlan_enabled: true, vlan_id: 40 }
const login = { ...open, 'portal.enabled': true, 'portal.auth': 'none' }
const everywhere = { ...staff, bands: ['24', '5'], apply_to: 'site' }

/** The rules with findings that are no info, and the infos of the row. */
function found(scenario: Scenario, infos: readonly string[]): string[] {
  return [
    ...new Set(
      lint(sitesOf(scenario), all)
        .filter(({ level, rule }) => level !== 'info' || infos.includes(rule))
        .map(({ rule, level }) => `${rule} ${level}`)
    )
  ].sort()
}

type Row = readonly [what: string, scenario: Scenario, finding?: string]

/** False alarms once: what an import writes, and what good networks have. */
const quiet: readonly Row[] = [
  [
    'isolation without l2_isolation, from files alone',
    declared({ isolation: true, l2_isolation: false })
  ],
  [
    'isolation without l2_isolation, as it is live',
    both(
      { isolation: true, l2_isolation: false },
      fields({ ...sound, isolation: true, l2_isolation: false })
    )
  ],
  [
    'rates of a band that is off, as they are live',
    both(
      fields({ bands: ['5'], 'rateset.6.template': 'no-legacy' }),
      fields({ ...sound, bands: ['5'], 'rateset.6.template': 'no-legacy' })
    )
  ],
  [
    'limits that are off, as they are live',
    both({ wlan_limit_up: 10_000 }, fields({ ...sound, wlan_limit_up: 10_000 }))
  ],
  [
    'keys from RADIUS, with WPA3',
    of({ ...radius('10.0.0.5'), ...sound, ...radiusKeys('radius'), roam_mode: 'NONE' })
  ],
  ['RADIUS in a private network', of(radius('192.168.1.5'))],
  ['a terms-of-use page behind a key', of({ ...sound, 'portal.enabled': true, isolation: true })],
  ['WPA3 in transition on 5 GHz', of({ ...sound, 'auth.pairwise': ['wpa2-ccmp', 'wpa3'] })],
  ['eduroam with Passpoint', at('eduroam', { ...staff, ...passpoint(true) })]
]

const wrongAdvice: readonly Row[] = [
  [
    'keys of the cloud, with WPA3',
    of({ ...sound, ...radiusKeys('cloud_psks') }),
    'dynamic-psk-wpa3'
  ],
  [
    'several keys, with WPA3',
    of({ ...sound, 'auth.multi_psk_only': true, 'auth.pairwise': ['wpa3'] }),
    'dynamic-psk-wpa3 error'
  ],
  [
    'OWE in transition on 6 GHz alone',
    of({ ...open, 'auth.owe': 'enabled', bands: ['6'] }),
    'owe-transition-on-6 error'
  ],
  ['OWE on 6 GHz alone', of({ ...open, 'auth.owe': 'required', bands: ['6'] })],
  [
    'guests without a VLAN',
    of({ ...login, vlan_enabled: false }),
    'guest-traffic-untagged warning'
  ],
  [
    'a Bonjour gateway with multicast DNS, declared',
    both(
      fields({ 'bonjour.enabled': true, limit_bcast: true, allow_mdns: true }),
      fields({
        ...sound,
        'bonjour.services': { airplay: {} },
        'bonjour.additional_vlan_ids': ['7']
      })
    ),
    'bonjour-fights-broadcast warning'
  ],
  [
    'sixteen networks on a band',
    site(...Array.from({ length: 16 }, (_, n) => at(`Net-${n}`, everywhere))),
    'too-many-ssids error'
  ]
]

const mistakes: readonly Row[] = [
  [
    'a limit of a client in Mbit/s',
    of({ ...sound, client_limit_up_enabled: true, client_limit_up: 10 }),
    'limit-tiny error'
  ],
  [
    'a limit of a client above that of its WLAN',
    of({
      ...sound,
      client_limit_up_enabled: true,
      client_limit_up: 9000,
      wlan_limit_up_enabled: true,
      wlan_limit_up: 5000
    }),
    'limit-tiny warning'
  ],
  ['Passpoint with a key', of({ ...sound, ...passpoint(true) }), 'passpoint-needs-8021x error'],
  [
    'Passpoint without an operator',
    of({ ...staff, ...passpoint(false) }),
    'passpoint-needs-8021x warning'
  ],
  [
    'a RADIUS secret from the list',
    of(radius('10.0.0.5', weak('radius'))),
    'weak-radius-secret warning'
  ],
  [
    'a RADIUS secret of 15 characters',
    of(radius('10.0.0.5', weak('Zq7-hush-of-all'))),
    'weak-radius-secret warning'
  ],
  [
    'a RADIUS secret like its host',
    of(radius('radius.store-1.example', weak('radius.store-1.example'))),
    'weak-radius-secret warning'
  ],
  [
    'a Message-Authenticator that is not checked',
    of({ ...staff, disable_message_authenticator_check: true }),
    'message-authenticator-off warning'
  ],
  [
    'a Message-Authenticator that is not required',
    of(radius('10.0.0.5', { require_message_authenticator: false })),
    'message-authenticator-off info'
  ],
  ['RADIUS over the internet', of(radius('8.8.4.4')), 'radius-in-the-clear warning'],
  ['eduroam in capitals', at('Eduroam', staff), 'eduroam-name error'],
  ['eduroam with a key', at('eduroam', sound), 'eduroam-name error'],
  [
    'VLANs by name without names',
    of({ ...staff, 'dynamic_vlan.enabled': true, 'dynamic_vlan.type': 'airespace-interface-name' }),
    'airespace-names-unmapped error'
  ],
  [
    'a DNS server of others',
    of({
      ...staff,
      'dns_server_rewrite.enabled': true,
      'dns_server_rewrite.radius_groups': { g: '8.8.8.8' }
    }),
    'dns-rewrite-public warning'
  ],
  [
    'a login that an outage of the cloud bypasses',
    of({
      ...login,
      'portal.auth': 'email',
      'portal.email_enabled': true,
      'portal.bypass_when_cloud_down': true
    }),
    'portal-bypass info'
  ],
  ['single sign-on with SHA-1', of({ ...login, ...sso('sha1') }), 'sso-sha1 warning'],
  ['single sign-on with the default', of({ ...login, ...sso() }), 'sso-sha1 warning'],
  ['a network for one client', of({ ...sound, max_num_clients: 1 }), 'one-client warning'],
  [
    'a short idle time on 2.4 GHz',
    of({ ...sound, bands: ['24'], max_idletime: 120 }),
    'one-client warning'
  ],
  [
    'a failover of minutes',
    of({ ...radius('10.0.0.5'), auth_servers_timeout: 20, auth_servers_retries: 5 }),
    'failover-too-slow info'
  ],
  ...['127.0.0.1', '127.9.9.9', '0.0.0.0', ''].map(
    (host): Row => [`RADIUS at "${host}"`, of(radius(host)), 'radius-loopback error']
  ),
  [
    'a Bonjour gateway for isolated clients',
    of({
      ...sound,
      isolation: true,
      'bonjour.enabled': true,
      'bonjour.services': { airplay: {} },
      'bonjour.additional_vlan_ids': ['7']
    }),
    'bonjour-isolated info'
  ],
  ['a key of two SSIDs at a site', site(at('A-net', sound), at('B-net', sound)), 'key-shared info'],
  [
    'a key of two SSIDs at two sites',
    fleet(at('A-net', sound), at('B-net', sound)),
    'key-shared info'
  ],
  [
    'a reference of two SSIDs',
    site(
      ...['A-net', 'B-net'].map(ssid =>
        both(fields({ ...sound, ssid, 'auth.psk': resolvedSecret(key) }), { ssid })
      )
    ),
    'key-shared info'
  ],
  [
    'guests with a key who reach each other',
    of({ ...sound, 'portal.enabled': true, isolation: false }),
    'guest-without-isolation warning'
  ],
  ['6 GHz alone', of({ ...sound, 'auth.pairwise': ['wpa3'], bands: ['6'] }), 'six-ghz-alone info'],
  [
    'a hidden network on 6 GHz',
    of({ ...sound, 'auth.pairwise': ['wpa3'], bands: ['5', '6'], hide_ssid: true }),
    'six-ghz-hidden info'
  ],
  ['Wi-Fi 7 with WPA2', of({ ...sound, disable_11be: false }), 'wifi7-wpa2 info']
]

function radiusKeys(source: string): Fields {
  return {
    'auth.pairwise': ['wpa3'],
    'auth.psk': null,
    'dynamic_psk.enabled': true,
    'dynamic_psk.source': source
  }
}

function passpoint(hasOperator: boolean): Fields {
  return {
    'hotspot20.enabled': true,
    ...(hasOperator && { 'hotspot20.operators': ['openroaming_settled'] })
  }
}

function weak(text: string): Fields {
  return { secret: secret(text) }
}

function sso(algorithm?: string): Fields {
  return {
    'portal.auth': 'sso',
    'portal.sso_issuer': 'acme',
    'portal.sso_idp_sso_url': 'https://idp.example/sso',
    'portal.sso_idp_cert': 'certificate',
    portal_allowed_hostnames: ['idp.example'],
    ...(algorithm !== undefined && { 'portal.sso_idp_sign_algo': algorithm })
  }
}

/** A finding without a level has that of its rule. */
function withLevel(finding: string): string {
  const [id = '', level] = finding.split(' ')
  return `${id} ${level ?? lintRules.find(rule => rule.id === id)?.severity}`
}

const groups: readonly (readonly [title: string, rows: readonly Row[]])[] = [
  ['no finding about a sound network', quiet],
  ['the right finding where there was a wrong one', wrongAdvice],
  ['a well-known mistake', mistakes]
]

describe.each(groups)('%s', (_, rows) => {
  const cases = rows.map(([what, scenario, finding]) => ({ what, scenario, finding }))
  test.each(cases)('$what', ({ scenario, finding }) => {
    const expected = finding === undefined ? [] : [withLevel(finding)]
    const infos = expected.flatMap(each => (each.endsWith(' info') ? each.slice(0, -5) : []))
    expect(found(scenario, infos)).toEqual(expected)
  })
})

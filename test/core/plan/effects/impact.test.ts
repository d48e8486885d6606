import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { diff } from '../../../../src/core/diff/diff.ts'
import { type Effects, effectsOf } from '../../../../src/core/plan/effects/effects.ts'
import { recordFrom } from '../../../../src/core/plan/effects/transition.ts'
import { Secret } from '../../../../src/core/values/secret.ts'
import type { Value, ValueObject } from '../../../../src/core/values/value.ts'
import { env, record } from '../support.ts'

/** The effects of a declaration on a live record. */
function effects(live: object, declared: ValueObject): Effects {
  const before = record(live)
  const { patch, secrets } = diff(declared, before)
  return effectsOf(patch, before, secrets)
}

/** All classes of an effect, ascending, then `risk` and `radio`: `reconnect some risk`. */
function textOf({ impact, impacts, authentication_risk, resets_radio }: Effects): string {
  const flags = [authentication_risk && 'risk', resets_radio && 'radio']
  return [...(impacts ?? [impact]), ...flags].filter(part => part).join(' ')
}

/** A change in a context, with its effect and that of the change back. */
type Row = readonly [
  what: string,
  context: object,
  from: ValueObject,
  to: ValueObject,
  forth: string,
  back: string
]

const switches = (
  names: readonly string[],
  context: object,
  on: string,
  off: string
): readonly Row[] =>
  names.map(name => [name, context, { [name]: false }, { [name]: true }, on, off])

const typed = (type: string, fields: object = {}) => ({ auth: { type, ...fields } })
const [psk, eap] = [typed('psk'), typed('eap')]
const hours = (day: Value) => ({ schedule: { hours: { mon: day } } })
const scheduled = { schedule: { enabled: true } }
const block = (name: string, members: ValueObject): ValueObject => ({ [name]: members })
const on = { portal: { enabled: true } }
const servers = (...members: ValueObject[]): ValueObject => ({ auth_servers: members })
const server = (host: string): ValueObject => ({ host, secret: env('s') })
const [a, b, c] = [server('a'), server('b'), server('c')]

/** Who sends the network, and when. */
const air: readonly Row[] = [
  ['ssid', {}, { ssid: 'a' }, { ssid: 'b' }, 'outage', 'outage'],
  ['enabled', {}, { enabled: true }, { enabled: false }, 'outage', 'radio'],
  ['apply_to site and aps', {}, { apply_to: 'site' }, { apply_to: 'aps' }, 'outage', 'radio'],
  ['apply_to site and tags', {}, { apply_to: 'site' }, { apply_to: 'wxtags' }, 'outage', 'radio'],
  ['apply_to aps and tags', {}, { apply_to: 'aps' }, { apply_to: 'wxtags' }, 'outage', 'outage'],
  ...(['ap_ids', 'wxtag_ids'] as const).flatMap((name): Row[] => {
    const scope = { apply_to: name === 'ap_ids' ? 'aps' : 'wxtags' }
    const other = { apply_to: name === 'ap_ids' ? 'wxtags' : 'aps' }
    return [
      [`${name} lose one`, scope, { [name]: ['a', 'b'] }, { [name]: ['a'] }, 'outage', 'radio'],
      [`${name} emptied`, scope, { [name]: ['a'] }, { [name]: [] }, 'outage', 'radio'],
      [
        `${name} moved`,
        scope,
        { [name]: ['a'] },
        { [name]: ['b'] },
        'outage radio',
        'outage radio'
      ],
      [`${name} of a whole site`, { apply_to: 'site' }, { [name]: [] }, { [name]: ['a'] }, '', ''],
      [`${name} of another scope`, other, { [name]: ['a'] }, { [name]: [] }, '', ''],
      [
        `${name} with the whole site`,
        {},
        { ...scope, [name]: ['a'] },
        { apply_to: 'site', [name]: [] },
        'radio',
        'outage radio'
      ]
    ]
  }),
  ['bands', {}, { bands: ['24', '5'] }, { bands: ['5'] }, 'outage', 'radio'],
  [
    'bands and the default',
    {},
    { bands: ['24', '5', '6'] },
    { bands: ['5', '6'] },
    'outage',
    'radio'
  ],
  [
    'schedule',
    hours('08:00-18:00'),
    { schedule: { enabled: false } },
    { schedule: { enabled: true } },
    'outage',
    ''
  ],
  ['schedule without hours', {}, { schedule: { enabled: false } }, scheduled, '', ''],
  ['fewer hours', scheduled, hours('08:00-18:00'), hours('09:00-18:00'), 'outage', ''],
  ['hours of an open day', scheduled, hours(null), hours('09:00-17:00'), 'outage', ''],
  ['a day that closes', scheduled, hours('09:00-17:00'), hours(''), 'outage', ''],
  ['hours of a closed day', scheduled, hours(''), hours('12:00-20:00'), '', 'outage'],
  ['hours over midnight', scheduled, hours('21:00-03:00'), hours('22:00-02:00'), 'outage', ''],
  [
    'hours at another time',
    scheduled,
    hours('08:00-12:00'),
    hours('09:00-13:00'),
    'outage',
    'outage'
  ],
  ['hours that do not apply', {}, hours('08:00-12:00'), hours('09:00-10:00'), '', ''],
  ...switches(['disable_11ax'], { bands: ['6'] }, 'outage', 'reconnect'),
  ...switches(['disable_11ax'], { bands: ['5', '6'] }, 'reconnect', 'reconnect')
]

/** How clients join. */
const joining: readonly Row[] = [
  ['auth.type', {}, psk, eap, 'outage', 'outage'],
  ['auth.type open', {}, typed('open'), psk, 'outage', 'outage'],
  ...['psk', 'psk-tkip', 'psk-wpa2-tkip', 'sae'].map(
    (type): Row => [
      `psk of ${type}`,
      {},
      typed(type, { psk: env('a') }) as ValueObject,
      typed(type, { psk: env('b') }) as ValueObject,
      'outage',
      'outage'
    ]
  ),
  ...['open', 'wep', 'eap', 'eap192'].map(
    (type): Row => [
      `psk of ${type}`,
      {},
      typed(type, { psk: env('a') }) as ValueObject,
      typed(type, { psk: env('b') }) as ValueObject,
      '',
      ''
    ]
  ),
  [
    'psk with the keys of users alone',
    typed('psk', { multi_psk_only: true }),
    { auth: { psk: env('a') } },
    { auth: { psk: env('b') } },
    '',
    ''
  ],
  [
    'psk with dynamic keys',
    { ...psk, dynamic_psk: { enabled: true } },
    { auth: { psk: env('a') } },
    { auth: { psk: env('b') } },
    '',
    ''
  ],
  ...(
    [
      ['wep', 'outage'],
      ['sae', 'outage'],
      ['psk', ''],
      ['eap', ''],
      ['open', '']
    ] as const
  ).map(([type, effect]): Row => {
    const keys = (key: string): ValueObject => ({ auth: { type, keys: [env(key)] } })
    return [`keys of ${type}`, {}, keys('a'), keys('b'), effect, effect]
  }),
  [
    'keys in addition to 802.1X',
    typed('eap', { wep_as_secondary_auth: true }),
    { auth: { keys: [env('a')] } },
    { auth: { keys: [env('b')] } },
    'outage',
    'outage'
  ],
  [
    'key_idx',
    typed('wep'),
    { auth: { key_idx: 1 } },
    { auth: { key_idx: 2 } },
    'reconnect',
    'reconnect'
  ],
  ['key_idx of another type', psk, { auth: { key_idx: 1 } }, { auth: { key_idx: 2 } }, '', ''],
  ...(
    [
      ['psk', 'outage', 'reconnect'],
      ['open', '', ''],
      ['eap', '', '']
    ] as const
  ).map(
    ([type, forth, back]): Row => [
      `multi_psk_only of ${type}`,
      typed(type),
      { auth: { multi_psk_only: false } },
      { auth: { multi_psk_only: true } },
      forth,
      back
    ]
  ),
  ...['psk', 'eap', 'eap192', 'sae'].flatMap((type): Row[] => [
    [
      `pairwise of ${type} loses one`,
      typed(type),
      { auth: { pairwise: ['wpa2-ccmp', 'wpa3'] } },
      { auth: { pairwise: ['wpa3'] } },
      'reconnect some',
      'reconnect'
    ],
    [
      `pairwise of ${type} moves`,
      typed(type),
      { auth: { pairwise: ['wpa2-ccmp'] } },
      { auth: { pairwise: ['wpa3'] } },
      'reconnect some',
      'reconnect some'
    ]
  ]),
  ...(
    [
      ['open', '', ''],
      ['wep', '', '']
    ] as const
  ).map(
    ([type, forth, back]): Row => [
      `pairwise of ${type}`,
      typed(type),
      { auth: { pairwise: ['wpa2-ccmp', 'wpa3'] } },
      { auth: { pairwise: ['wpa3'] } },
      forth,
      back
    ]
  ),
  [
    'pairwise of OWE',
    typed('open', { owe: 'enabled' }),
    { auth: { pairwise: ['wpa2-ccmp', 'wpa3'] } },
    { auth: { pairwise: ['wpa3'] } },
    'reconnect some',
    'reconnect'
  ],
  [
    'OWE for those who can',
    {},
    { auth: { owe: 'disabled' } },
    { auth: { owe: 'enabled' } },
    'reconnect',
    'reconnect'
  ],
  [
    'OWE for all',
    {},
    { auth: { owe: 'enabled' } },
    { auth: { owe: 'required' } },
    'reconnect some',
    'reconnect'
  ],
  [
    'OWE of an unknown type',
    typed('sae'),
    { auth: { owe: 'disabled' } },
    { auth: { owe: 'required' } },
    'reconnect some',
    'reconnect'
  ],
  ...['wep', 'psk', 'eap', 'eap192'].map(
    (type): Row => [
      `OWE of ${type}`,
      typed(type),
      { auth: { owe: 'disabled' } },
      { auth: { owe: 'required' } },
      '',
      ''
    ]
  ),
  ...(
    [
      ['open', 'some risk', 'reconnect'],
      ['psk', 'some risk', 'reconnect'],
      ['eap', 'some risk', 'reconnect']
    ] as const
  ).map(
    ([type, forth, back]): Row => [
      `MAC authentication of ${type}`,
      typed(type),
      { auth: { enable_mac_auth: false } },
      { auth: { enable_mac_auth: true } },
      forth,
      back
    ]
  ),
  ...(
    [
      ['private_wlan', typed('psk', { multi_psk_only: true }), 'reconnect'],
      ['private_wlan', psk, ''],
      ['enable_beacon_protection', typed('psk', { pairwise: ['wpa3'] }), 'reconnect'],
      ['enable_beacon_protection', typed('eap192'), 'reconnect'],
      ['enable_beacon_protection', typed('open', { owe: 'enabled' }), 'reconnect'],
      ['enable_beacon_protection', psk, ''],
      ['enable_gcmp256', eap, ''],
      ['enable_gcmp256', typed('eap', { pairwise: ['wpa2-ccmp', 'wpa3'] }), 'reconnect'],
      ['enable_beacon_protection', typed('open'), ''],
      ['enable_beacon_protection', typed('wep'), ''],
      ['eap_reauth', eap, 'reconnect'],
      ['eap_reauth', typed('psk', { enable_mac_auth: true }), 'reconnect'],
      ['eap_reauth', psk, '']
    ] as const
  ).map(
    ([name, context, effect]): Row => [
      `auth.${name}`,
      context,
      { auth: { [name]: false } },
      { auth: { [name]: true } },
      effect,
      effect
    ]
  ),
  [
    'anticlog_threshold of WPA3',
    typed('psk', { pairwise: ['wpa3'] }),
    { auth: { anticlog_threshold: 16 } },
    { auth: { anticlog_threshold: 20 } },
    'reconnect',
    'reconnect'
  ],
  [
    'anticlog_threshold of WPA2',
    psk,
    { auth: { anticlog_threshold: 16 } },
    { auth: { anticlog_threshold: 20 } },
    '',
    ''
  ],
  ...(
    [
      ['psk', 'outage'],
      ['open', ''],
      ['eap', '']
    ] as const
  ).flatMap(([type, effect]): Row[] => [
    [
      `dynamic_psk of ${type}`,
      typed(type),
      block('dynamic_psk', { enabled: false }),
      block('dynamic_psk', { enabled: true }),
      effect,
      effect
    ],
    [
      `dynamic_psk.source of ${type}`,
      { ...typed(type), dynamic_psk: { enabled: true } },
      block('dynamic_psk', { source: 'radius' }),
      block('dynamic_psk', { source: 'cloud_psks' }),
      effect,
      effect
    ]
  ]),
  [
    'dynamic_psk.default_vlan_id',
    { ...psk, dynamic_psk: { enabled: true } },
    block('dynamic_psk', { default_vlan_id: 1 }),
    block('dynamic_psk', { default_vlan_id: 2 }),
    'reconnect',
    'reconnect'
  ],
  [
    'dynamic_psk.source of a block that is off',
    psk,
    block('dynamic_psk', { source: 'radius' }),
    block('dynamic_psk', { source: 'cloud_psks' }),
    '',
    ''
  ]
]

const radiusUsers: readonly (readonly [what: string, context: object])[] = [
  ['802.1X', eap],
  ['192-bit security', typed('eap192')],
  ['an unknown type', typed('sae')],
  ['MAC authentication', typed('open', { enable_mac_auth: true })],
  ['keys from RADIUS', { ...psk, dynamic_psk: { enabled: true } }],
  ['CWA', { cisco_cwa: { enabled: true } }],
  ['an external portal', { portal: { enabled: true, auth: 'external' } }]
]

const withoutRadius: readonly (readonly [what: string, context: object])[] = [
  ...['open', 'psk', 'psk-tkip', 'psk-wpa2-tkip', 'wep'].map(
    type => [`type ${type}`, typed(type)] as const
  ),
  ['keys from the cloud', { ...psk, dynamic_psk: { enabled: true, source: 'cloud_psks' } }],
  ['another portal', { portal: { enabled: true, auth: 'sms' } }],
  ['an external portal that is off', { portal: { enabled: false, auth: 'external' } }],
  ['CWA of another type', { ...psk, cisco_cwa: { enabled: true } }],
  ['802.1X by the cloud NAC', { ...eap, mist_nac: { enabled: true } }]
]

const settings: readonly (readonly [ValueObject, ValueObject])[] = [
  [{ auth_servers_nas_id: 'a' }, { auth_servers_nas_id: 'b' }],
  [{ auth_servers_nas_ip: '10.0.0.1' }, { auth_servers_nas_ip: '10.0.0.2' }],
  [{ auth_servers_timeout: 5 }, { auth_servers_timeout: 9 }],
  [{ auth_servers_retries: 2 }, { auth_servers_retries: 9 }],
  [{ auth_server_selection: 'ordered' }, { auth_server_selection: 'unordered' }],
  [servers(a), servers(b)]
]

/** Who decides about clients. */
const radius: readonly Row[] = [
  ...radiusUsers.flatMap(([what, context]) =>
    settings.map(
      ([from, to]): Row => [
        `${Object.keys(from)} with ${what}`,
        context,
        from,
        to,
        'some risk',
        'some risk'
      ]
    )
  ),
  ...withoutRadius.flatMap(([what, context]) =>
    settings.map(
      ([from, to]): Row => [`${Object.keys(from)} with ${what}`, context, from, to, '', '']
    )
  ),
  ['a server behind the others', eap, servers(a), servers(a, b), '', 'some risk'],
  ['a third server', eap, servers(a, b), servers(a, b, c), '', 'some risk'],
  ['a server before the others', eap, servers(a), servers(b, a), 'some risk', 'some risk'],
  ['the order of servers', eap, servers(a, b), servers(b, a), 'some risk', 'some risk'],
  [
    'the port of a server',
    eap,
    servers({ ...a, port: 1 }),
    servers({ ...a, port: 2 }),
    'some risk',
    'some risk'
  ],
  [
    'the secret of a server',
    eap,
    servers(a),
    servers({ ...a, secret: env('t') }),
    'some risk',
    'some risk'
  ],
  [
    'require_message_authenticator',
    eap,
    servers({ ...a, require_message_authenticator: false }),
    servers({ ...a, require_message_authenticator: true }),
    'some risk',
    ''
  ],
  ['no servers for 802.1X', eap, servers(a), servers(), 'outage', 'some risk'],
  [
    'no servers for MAC addresses',
    typed('psk', { enable_mac_auth: true }),
    servers(a),
    servers(),
    'outage',
    'some risk'
  ],
  [
    'no servers for guests',
    { cisco_cwa: { enabled: true } },
    servers(a),
    servers(),
    'guest-login',
    'some risk'
  ],
  [
    'no servers with RadSec',
    { ...eap, radsec: { enabled: true } },
    servers(a),
    servers(),
    '',
    'some risk'
  ],
  [
    'no servers with the cloud NAC',
    { ...eap, mist_nac: { enabled: true } },
    servers(a),
    servers(),
    '',
    ''
  ],
  ['no servers for a key', psk, servers(a), servers(), '', ''],
  [
    'mist_nac',
    eap,
    block('mist_nac', { enabled: false }),
    block('mist_nac', { enabled: true }),
    'some risk',
    'some risk'
  ],
  [
    'mist_nac of a key',
    psk,
    block('mist_nac', { enabled: false }),
    block('mist_nac', { enabled: true }),
    '',
    ''
  ],
  ...(
    [
      ['network', 'a', 'b', 'reconnect'],
      ['auth_servers_timeout', 5, 9, ''],
      ['acct_interim_interval', 0, 600, ''],
      ['coa_enabled', false, true, '']
    ] as const
  ).flatMap(([name, from, to, effect]): Row[] => [
    [
      `mist_nac.${name}`,
      { ...eap, mist_nac: { enabled: true } },
      block('mist_nac', { [name]: from }),
      block('mist_nac', { [name]: to }),
      effect,
      effect
    ],
    [
      `mist_nac.${name}, off`,
      eap,
      block('mist_nac', { [name]: from }),
      block('mist_nac', { [name]: to }),
      '',
      ''
    ]
  ]),
  [
    'radsec',
    eap,
    block('radsec', { enabled: false }),
    block('radsec', { enabled: true }),
    'some risk',
    'some risk'
  ],
  [
    'radsec of a key',
    psk,
    block('radsec', { enabled: false }),
    block('radsec', { enabled: true }),
    '',
    ''
  ],
  ...(
    [
      ['server_name', 'a', 'b', 'some risk'],
      ['servers', [{ host: 'a' }], [{ host: 'b' }], 'some risk'],
      ['proxy_hosts', ['a'], ['b'], 'some risk'],
      ['idle_timeout', 60, 90, ''],
      ['coa_enabled', false, true, '']
    ] as const
  ).flatMap(([name, from, to, effect]): Row[] => [
    [
      `radsec.${name}`,
      { ...eap, radsec: { enabled: true } },
      block('radsec', { [name]: from }),
      block('radsec', { [name]: to }),
      effect,
      effect
    ],
    [
      `radsec.${name}, off`,
      eap,
      block('radsec', { [name]: from }),
      block('radsec', { [name]: to }),
      '',
      ''
    ]
  ]),
  ...switches(['disable_message_authenticator_check'], eap, '', 'some risk'),
  ...switches(['disable_message_authenticator_check'], psk, '', ''),
  ...switches(['disable_when_gateway_unreachable'], {}, 'some risk', ''),
  ...switches(['disable_when_mxtunnel_down'], { interface: 'mxtunnel' }, 'some risk', ''),
  ...switches(['disable_when_mxtunnel_down'], {}, '', ''),
  ['accounting', eap, { acct_servers: [a] }, { acct_servers: [b] }, '', ''],
  [
    'acct_interim_interval',
    eap,
    { acct_interim_interval: 0 },
    { acct_interim_interval: 600 },
    '',
    ''
  ],
  [
    'a CoA server of CWA',
    { cisco_cwa: { enabled: true } },
    { coa_servers: [{ ip: '10.0.0.1' }] },
    { coa_servers: [{ ip: '10.0.0.2' }] },
    'guest-login',
    'guest-login'
  ],
  [
    'a CoA server of 802.1X',
    eap,
    { coa_servers: [{ ip: '10.0.0.1' }] },
    { coa_servers: [{ ip: '10.0.0.2' }] },
    '',
    ''
  ]
]

/** Clients that are refused. */
const refused: readonly Row[] = [
  ...switches(['hide_ssid'], {}, 'reconnect some', 'reconnect'),
  ['max_num_clients', {}, { max_num_clients: 9 }, { max_num_clients: 8 }, 'some', ''],
  [
    'max_num_clients without a limit',
    {},
    { max_num_clients: 0 },
    { max_num_clients: 8 },
    'some',
    ''
  ],
  ...switches(
    ['no_static_ip', 'no_static_dns', 'block_blacklist_clients', 'arp_filter'],
    {},
    'some',
    ''
  ),
  ...switches(['enable_wireless_bridging'], {}, '', 'some'),
  ...switches(['limit_bcast'], { allow_ipv6_ndp: false }, 'some', ''),
  ...switches(['limit_bcast'], {}, '', ''),
  ...switches(['allow_ipv6_ndp'], { limit_bcast: true }, '', 'some'),
  ...switches(['allow_ipv6_ndp'], {}, '', ''),
  [
    'inject_dhcp_option_82',
    {},
    block('inject_dhcp_option_82', { enabled: false }),
    block('inject_dhcp_option_82', { enabled: true }),
    'some',
    ''
  ],
  [
    'airwatch',
    {},
    block('airwatch', { enabled: false }),
    block('airwatch', { enabled: true }),
    'some',
    ''
  ],
  [
    'dns_server_rewrite',
    {},
    block('dns_server_rewrite', { enabled: false }),
    block('dns_server_rewrite', { enabled: true }),
    'some',
    'some'
  ],
  [
    'a DNS server',
    { dns_server_rewrite: { enabled: true } },
    block('dns_server_rewrite', { radius_groups: { g: '10.0.0.1' } }),
    block('dns_server_rewrite', { radius_groups: { g: '10.0.0.2' } }),
    'some',
    'some'
  ],
  [
    'min_rssi',
    {},
    { rateset: { 5: { min_rssi: -80 } } },
    { rateset: { 5: { min_rssi: -70 } } },
    'reconnect some',
    'reconnect'
  ],
  [
    'min_rssi without a limit',
    {},
    { rateset: { 5: { min_rssi: 0 } } },
    { rateset: { 5: { min_rssi: -70 } } },
    'reconnect some',
    'reconnect'
  ],
  [
    'min_rssi of another band',
    { bands: ['5'] },
    { rateset: { 24: { min_rssi: -80 } } },
    { rateset: { 24: { min_rssi: -70 } } },
    '',
    ''
  ]
]

/** All clients drop and come back. */
const reconnects: readonly Row[] = [
  ['vlan_id', { vlan_enabled: true }, { vlan_id: 1 }, { vlan_id: 2 }, 'reconnect', 'reconnect'],
  ['vlan_id without vlan_enabled', {}, { vlan_id: 1 }, { vlan_id: 2 }, '', ''],
  ...switches(['vlan_enabled', 'isolation'], {}, 'reconnect', 'reconnect'),
  ...switches(['vlan_pooling'], { vlan_enabled: true }, 'reconnect', 'reconnect'),
  ...switches(['vlan_pooling'], {}, '', ''),
  [
    'vlan_ids',
    { vlan_enabled: true, vlan_pooling: true },
    { vlan_ids: [1] },
    { vlan_ids: [2] },
    'reconnect',
    'reconnect'
  ],
  ['vlan_ids without a pool', { vlan_enabled: true }, { vlan_ids: [1] }, { vlan_ids: [2] }, '', ''],
  [
    'dynamic_vlan',
    eap,
    block('dynamic_vlan', { enabled: false }),
    block('dynamic_vlan', { enabled: true }),
    'reconnect',
    'reconnect'
  ],
  [
    'dynamic_vlan of a key',
    psk,
    block('dynamic_vlan', { enabled: false }),
    block('dynamic_vlan', { enabled: true }),
    '',
    ''
  ],
  [
    'a member of dynamic_vlan',
    { ...eap, dynamic_vlan: { enabled: true } },
    block('dynamic_vlan', { local_vlan_ids: [1] }),
    block('dynamic_vlan', { local_vlan_ids: [2] }),
    'reconnect',
    'reconnect'
  ],
  [
    'dynamic_vlan that stays off',
    eap,
    block('dynamic_vlan', { local_vlan_ids: [1] }),
    block('dynamic_vlan', { local_vlan_ids: [2] }),
    '',
    ''
  ],
  ['interface', {}, { interface: 'all' }, { interface: 'eth1' }, 'reconnect', 'reconnect'],
  [
    'mxtunnel_ids',
    { interface: 'mxtunnel' },
    { mxtunnel_ids: ['a'] },
    { mxtunnel_ids: ['b'] },
    'reconnect',
    'reconnect'
  ],
  ['mxtunnel_ids without a tunnel', {}, { mxtunnel_ids: ['a'] }, { mxtunnel_ids: ['b'] }, '', ''],
  [
    'wxtunnel_id',
    { interface: 'wxtunnel' },
    { wxtunnel_id: 'a' },
    { wxtunnel_id: 'b' },
    'reconnect',
    'reconnect'
  ],
  ['wxtunnel_id without a tunnel', {}, { wxtunnel_id: 'a' }, { wxtunnel_id: 'b' }, '', ''],
  ...switches(['l2_isolation'], { isolation: true }, 'reconnect', 'reconnect'),
  ...switches(['l2_isolation'], {}, '', ''),
  ['roam_mode', psk, { roam_mode: 'NONE' }, { roam_mode: '11r' }, 'reconnect', 'reconnect'],
  ['roam_mode of an open network', {}, { roam_mode: 'NONE' }, { roam_mode: '11r' }, '', ''],
  [
    'rateset',
    {},
    { rateset: { 5: { template: 'compatible' } } },
    { rateset: { 5: { template: 'no-legacy' } } },
    'reconnect',
    'reconnect'
  ],
  ...switches(
    [
      ...['disable_11be', 'disable_ht_vht_rates', 'disable_wmm', 'disable_uapsd', 'hostname_ie'],
      ...['enable_ftm', 'legacy_overds', 'use_eapol_v1']
    ],
    {},
    'reconnect',
    'reconnect'
  ),
  ['dtim', {}, { dtim: 2 }, { dtim: 3 }, 'reconnect', 'reconnect'],
  [
    'hotspot20',
    { hotspot20: { enabled: true } },
    block('hotspot20', { venue_name: 'x' }),
    block('hotspot20', { venue_name: 'y' }),
    'reconnect',
    'reconnect'
  ]
]

const providers = ['amazon', 'facebook', 'google', 'microsoft', 'sponsor'] as const

/** Guests who cannot log in. */
const guests: readonly Row[] = [
  [
    'portal',
    {},
    block('portal', { enabled: false }),
    block('portal', { enabled: true }),
    'guest-login some',
    ''
  ],
  [
    'portal.auth',
    on,
    block('portal', { auth: 'none' }),
    block('portal', { auth: 'sms' }),
    'guest-login',
    'guest-login'
  ],
  [
    'portal.auth, off',
    {},
    block('portal', { auth: 'none' }),
    block('portal', { auth: 'sms' }),
    '',
    ''
  ],
  [
    'a text of the portal',
    on,
    block('portal', { smsMessageFormat: 'a' }),
    block('portal', { smsMessageFormat: 'b' }),
    'guest-login',
    'guest-login'
  ],
  ...['sponsor_notify_all', 'sponsor_status_notify'].map(
    (name): Row => [
      name,
      on,
      block('portal', { [name]: false }),
      block('portal', { [name]: true }),
      '',
      ''
    ]
  ),
  ...['portal_allowed_hostnames', 'portal_allowed_subnets'].flatMap((name): Row[] => [
    [name, on, { [name]: ['10.0.0.0/24'] }, { [name]: [] }, 'guest-login', ''],
    [`${name} without a portal`, {}, { [name]: ['10.0.0.0/24'] }, { [name]: [] }, '', '']
  ]),
  [
    'portal_denied_hostnames',
    on,
    { portal_denied_hostnames: [] },
    { portal_denied_hostnames: ['a'] },
    'guest-login',
    ''
  ],
  [
    'cisco_cwa',
    {},
    block('cisco_cwa', { enabled: false }),
    block('cisco_cwa', { enabled: true }),
    'guest-login',
    ''
  ],
  [
    'cisco_cwa.allowed_subnets',
    { cisco_cwa: { enabled: true } },
    block('cisco_cwa', { allowed_subnets: ['10.0.0.0/8'] }),
    block('cisco_cwa', { allowed_subnets: ['10.1.0.0/16'] }),
    'guest-login',
    'guest-login'
  ],
  [
    'cisco_cwa of a key',
    psk,
    block('cisco_cwa', { enabled: false }),
    block('cisco_cwa', { enabled: true }),
    '',
    ''
  ],
  ...providers.flatMap((provider): Row[] => {
    const domains = (list: string[]) => block('portal', { [`${provider}_email_domains`]: list })
    const row = (what: string, members: object, effect: string): Row => [
      `${provider} domains of ${what}`,
      { portal: { enabled: true, ...members } },
      domains(['a.example']),
      domains(['b.example']),
      effect,
      effect
    ]
    return [
      row('that login', { auth: provider }, 'guest-login'),
      row('several', { auth: 'multi', [`${provider}_enabled`]: true }, 'guest-login'),
      row('an unknown login', { auth: 'carrier pigeon' }, 'guest-login'),
      row('another login', { auth: provider === 'google' ? 'facebook' : 'google' }, ''),
      row('several without it', { auth: 'multi' }, '')
    ]
  })
]

const none: readonly Row[] = [
  ...switches(
    [
      ...['band_steer', 'band_steer_force_band5', 'disable_v1_roam_notify'],
      ...['disable_v2_roam_notify', 'sle_excluded', 'wlan_limit_up_enabled', 'allow_mdns']
    ],
    {},
    '',
    ''
  ),
  ...switches(['allow_mdns'], { limit_bcast: true }, '', ''),
  ...['app_limit', 'app_qos', 'bonjour'].map(
    (name): Row => [
      name,
      {},
      block(name, { enabled: false }),
      block(name, { enabled: true }),
      '',
      ''
    ]
  ),
  ['qos', {}, { qos: { class: 'voice' } }, { qos: { class: 'video' } }, '', ''],
  ['a limit', { wlan_limit_up_enabled: true }, { wlan_limit_up: 1 }, { wlan_limit_up: 2 }, '', ''],
  ['an unknown field', {}, { brand: 1 }, { brand: 2 }, '', ''],
  ['a WLAN that stays off', { enabled: false }, { ssid: 'a' }, { ssid: 'b' }, '', ''],
  ['an object of defaults', {}, { portal: null }, { portal: { enabled: false } }, '', '']
]

const rows = [...air, ...joining, ...radius, ...refused, ...reconnects, ...guests, ...none]

/** The record of a context with other fields; nested objects are merged. */
function merged(context: object, fields: object): object {
  const entries = Object.entries(fields).map(([name, value]) => {
    const outer = (context as Readonly<Record<string, unknown>>)[name]
    const isObject = (each: unknown) =>
      typeof each === 'object' && each !== null && !Array.isArray(each)
    return [name, isObject(outer) && isObject(value) ? { ...(outer as object), ...value } : value]
  })
  return JSON.parse(JSON.stringify({ ...context, ...Object.fromEntries(entries) }, plaintext))
}

/** Live records contain secrets in plaintext. */
function plaintext(this: unknown, key: string, value: unknown): unknown {
  const own = (this as Readonly<Record<string, unknown>>)[key]
  return own instanceof Secret ? own.reveal() : value
}

const changes = rows.flatMap(([what, context, from, to, forth, back]) => [
  [`${what}, forth`, merged(context, from), to, forth] as const,
  [`${what}, back`, merged(context, to), from, back] as const
])

test('the table has at least 135 rows', () => expect(rows.length).toBeGreaterThan(135))

test('a changed secret counts even with another changed member of its server', () => {
  const before = record({
    auth: { type: 'eap' },
    acct_servers: [{ host: 'a', secret: 'x' }],
    ...listed('x', 1)
  })
  const declared = listed(env('y'), 2)
  const { patch, secrets } = diff(declared, before)
  const { impact, authentication_risk } = effectsOf(patch, before, secrets)
  expect({ impact, authentication_risk }).toEqual({ impact: 'some', authentication_risk: true })
  const acct = { acct_servers: [{ host: 'a', secret: env('y') }] }
  const accounting = diff(acct, before)
  expect(effectsOf(accounting.patch, before, accounting.secrets).impact).toBeUndefined()
  expect(effectsOf(patch, before, { '/auth_servers/0/secret': 'same' }).impact).toBe('some')
})

function listed(secret: Value, keywrap: number): ValueObject {
  return { auth_servers: [{ host: 'a', secret, port: keywrap }] }
}

describe('the effect of', () => {
  test.each(changes)('%s', (_, live, declared, effect) => {
    expect(textOf(effects(live, declared))).toBe(effect)
  })

  test('switching a WLAN on does not depend on its other fields', () => {
    const declared = { enabled: true, ssid: 'b' }
    expect(textOf(effects({ enabled: false, ssid: 'a' }, declared))).toBe('radio')
  })

  test('a removed block', () => {
    const live = { ...psk, dynamic_psk: { enabled: true } }
    expect(textOf(effects(live, { dynamic_psk: null }))).toBe('outage')
  })
})

const tunnelled = (id: string) => ({ interface: 'mxtunnel', mxtunnel_id: id })
const vlans = (id: Value) => ({ ...eap, dynamic_vlan: { enabled: true, default_vlan_id: id } })

test.each<[what: string, live: object, declared: ValueObject, effect: string]>([
  ['both, to 5 GHz', { band: 'both' }, { bands: ['5'] }, 'outage'],
  ['both, to both', { band: 'both' }, { bands: ['5', '24'] }, ''],
  ['both, to all', { band: 'both', bands: [] }, { bands: ['24', '5', '6'] }, 'radio'],
  ['5 GHz, to 2.4 GHz', { band: '5', bands: null }, { bands: ['24'] }, 'outage radio'],
  ['5 GHz, to both', { band: '5' }, { bands: ['24', '5'] }, 'radio'],
  ['a band that nobody knows', { band: '60' }, { bands: ['5'] }, ''],
  ['a variable', { band: '{{band}}' }, { bands: ['5'] }, ''],
  ['its newer name beside it', { band: '24', bands: ['5'] }, { bands: ['24'] }, 'outage radio'],
  ['a tunnel, to another', tunnelled('a'), { mxtunnel_ids: ['b'] }, 'reconnect'],
  ['a tunnel, to the same', tunnelled('a'), { mxtunnel_ids: ['a'] }, ''],
  ['a VLAN, to another', vlans('30'), { dynamic_vlan: { default_vlan_ids: [31] } }, 'reconnect'],
  ['a VLAN, to the same', vlans('30'), { dynamic_vlan: { default_vlan_ids: [30] } }, '']
])('the effect of a value under an older name: %s', (_, live, declared, effect) => {
  expect(textOf(effects(live, declared))).toBe(effect)
})

describe('several changed fields', () => {
  test('have the impact of the worst one', () => {
    const live = { dtim: 1, ssid: 'a', hide_ssid: false }
    expect(effects(live, { dtim: 2, ssid: 'b', hide_ssid: true }).impact).toBe('outage')
    expect(effects(live, { dtim: 2, ssid: 'b' })).toMatchObject({
      impact: 'outage',
      impacts: ['reconnect', 'outage'],
      impact_fields: ['/ssid']
    })
    expect(effects(live, { dtim: 2, bands: ['24', '5'] })).toMatchObject({ impact: 'outage' })
    expect(effects(live, { dtim: 2, hide_ssid: true }).impact).toBe('some')
    expect(effects(live, { dtim: 2 }).impacts).toBeUndefined()
  })
})

describe('a saved change', () => {
  const saved = (live: object, declared: ValueObject) => {
    const before = record(live)
    const { patch, secrets } = diff(declared, before)
    const { context, exposes = [] } = effectsOf(patch, before, secrets)
    return effectsOf(patch, recordFrom(patch, context), secrets, { exposes })
  }

  test.each(changes)('has equal effects: %s', (_, live, declared) => {
    expect(saved(live, declared)).toEqual(effects(live, declared))
  })

  test('contains the switches with other than default values, and no other field', () => {
    const live = { vlan_enabled: true, vlan_id: 1, isolation: true, ssid: 'a' }
    expect(effects(live, { vlan_id: 2 }).context).toEqual({ '/vlan_enabled': true })
  })

  test('has equal effects for any switches and changes', () => {
    const flag = fc.constantFrom(true, false, undefined)
    const fields = fc.record({
      enabled: flag,
      vlan_enabled: flag,
      isolation: flag,
      vlan_id: fc.constantFrom(1, 2, undefined),
      l2_isolation: flag,
      portal: fc.constantFrom(undefined, {}, on.portal, { enabled: false, auth: 'sms' }),
      auth: fc.constantFrom(undefined, {}, { type: 'psk' }, { type: 'open', owe: 'required' }),
      dynamic_psk: fc.constantFrom(undefined, null, { enabled: true, default_psk: '' }),
      bands: fc.constantFrom(undefined, ['24'], ['5', '6'])
    })
    fc.assert(
      fc.property(fields, fields, (live, declared) => {
        const wanted = JSON.parse(JSON.stringify(declared)) as ValueObject
        expect(saved(live, wanted)).toEqual(effects(live, wanted))
      })
    )
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Value, ValueObject } from '../../src/model/value.ts'
import { diff } from '../../src/plan/diff.ts'
import { effectsOf } from '../../src/plan/effects.ts'
import { recordFrom } from '../../src/plan/transition.ts'
import { env, record } from './support.ts'

/** The effects of a declaration on a live record. */
function effects(live: object, declared: ValueObject) {
  const before = record(live)
  return effectsOf(diff(declared, before).patch, before)
}

type Row = readonly [what: string, live: object, declared: ValueObject, impact: string | undefined]

/** A row per line of the table of impacts. */
const outages: readonly Row[] = [
  ['ssid', { ssid: 'a' }, { ssid: 'b' }, 'outage'],
  ['enabled → false', { enabled: true }, { enabled: false }, 'outage'],
  ['enabled → false, absent before', {}, { enabled: false }, 'outage'],
  ['apply_to narrowed to aps', { apply_to: 'site' }, { apply_to: 'aps' }, 'outage'],
  ['apply_to moved', { apply_to: 'aps' }, { apply_to: 'wxtags' }, 'outage'],
  ['ap_ids lose a member', { ap_ids: ['a', 'b'] }, { ap_ids: ['a'] }, 'outage'],
  ['ap_ids name the first', {}, { ap_ids: ['a'] }, 'outage'],
  ['wxtag_ids lose a member', { wxtag_ids: ['a', 'b'] }, { wxtag_ids: ['a'] }, 'outage'],
  ['bands lose a member', { bands: ['24', '5'] }, { bands: ['5'] }, 'outage'],
  ['bands lose one of the default', {}, { bands: ['5', '6'] }, 'outage'],
  [
    'schedule switched on',
    { schedule: { enabled: false } },
    { schedule: { enabled: true } },
    'outage'
  ],
  [
    'schedule narrowed',
    { schedule: { enabled: true, hours: { mon: '08:00-18:00' } } },
    { schedule: { hours: { mon: '09:00-18:00' } } },
    'outage'
  ],
  [
    'schedule narrowed from the whole day',
    { schedule: { enabled: true } },
    { schedule: { hours: { tue: '09:00-17:00' } } },
    'outage'
  ],
  ['auth.psk', { auth: { type: 'psk', psk: 'a' } }, { auth: { psk: env('b') } }, 'outage'],
  ['auth.keys', { auth: { type: 'wep', keys: ['a'] } }, { auth: { keys: [env('b')] } }, 'outage'],
  ['auth.type', { auth: { type: 'psk' } }, { auth: { type: 'eap' } }, 'outage'],
  [
    'auth.multi_psk_only on',
    { auth: { type: 'psk' } },
    { auth: { multi_psk_only: true } },
    'outage'
  ],
  ['dynamic_psk.enabled', {}, { dynamic_psk: { enabled: true } }, 'outage'],
  ['dynamic_psk removed', { dynamic_psk: { enabled: true } }, { dynamic_psk: null }, 'outage'],
  [
    'dynamic_psk.source',
    { dynamic_psk: { enabled: true } },
    { dynamic_psk: { source: 'cloud_psks' } },
    'outage'
  ],
  [
    'auth_servers emptied while eap needs them',
    { auth: { type: 'eap' }, auth_servers: [{ host: 'a' }] },
    { auth_servers: [] },
    'outage'
  ]
]

const partial: readonly Row[] = [
  [
    'auth.pairwise loses a member',
    { auth: { type: 'psk', pairwise: ['wpa2-ccmp', 'wpa3'] } },
    { auth: { pairwise: ['wpa3'] } },
    'some'
  ],
  ['auth.owe to required', { auth: { owe: 'enabled' } }, { auth: { owe: 'required' } }, 'some'],
  ['hide_ssid on', {}, { hide_ssid: true }, 'some'],
  ['max_num_clients lowered', { max_num_clients: 9 }, { max_num_clients: 8 }, 'some'],
  ['max_num_clients limited', { max_num_clients: 0 }, { max_num_clients: 8 }, 'some'],
  ...['no_static_ip', 'no_static_dns', 'block_blacklist_clients', 'arp_filter'].map(
    (name): Row => [`${name} on`, { [name]: false }, { [name]: true }, 'some']
  ),
  [
    'enable_wireless_bridging off',
    { enable_wireless_bridging: true },
    { enable_wireless_bridging: false },
    'some'
  ],
  ['limit_bcast on, allow_ipv6_ndp off', { allow_ipv6_ndp: false }, { limit_bcast: true }, 'some'],
  ['allow_ipv6_ndp off, limit_bcast on', { limit_bcast: true }, { allow_ipv6_ndp: false }, 'some'],
  ['dns_server_rewrite', {}, { dns_server_rewrite: { enabled: true } }, 'some']
]

const servers = (...members: object[]) => ({
  auth: { type: 'eap' },
  auth_servers: members.map(member => ({ host: '10.0.0.1', ...member }))
})

const eap = { auth: { type: 'eap' } }
const radius = { auth_servers: [{ host: 'a' }] }
const others = { auth_servers: [{ host: 'b' }] }

const risks: readonly Row[] = [
  ...['disable_when_gateway_unreachable', 'disable_when_mxtunnel_down'].map(
    (name): Row => [`${name} on`, {}, { [name]: true }, 'some']
  ),
  ['auth_servers_nas_id', eap, { auth_servers_nas_id: 'ap' }, 'some'],
  ['auth_servers_nas_ip', eap, { auth_servers_nas_ip: '10.0.0.9' }, 'some'],
  ['auth_servers_timeout', eap, { auth_servers_timeout: 9 }, 'some'],
  ['auth_servers_retries', eap, { auth_servers_retries: 9 }, 'some'],
  ['auth_server_selection', eap, { auth_server_selection: 'unordered' }, 'some'],
  ['RADIUS host', servers({}), servers({ host: '10.0.0.2' }) as ValueObject, 'some'],
  ['RADIUS order', servers({}, { host: 'b' }), servers({ host: 'b' }, {}) as ValueObject, 'some'],
  ['RADIUS port', servers({ port: 1812 }), servers({ port: 1813 }) as ValueObject, 'some'],
  ['RADIUS secret', servers({ secret: 'a' }), servers({ secret: env('b') }) as ValueObject, 'some'],
  [
    'disable_message_authenticator_check off',
    { disable_message_authenticator_check: true },
    { disable_message_authenticator_check: false },
    'some'
  ],
  [
    'require_message_authenticator on',
    servers({}),
    servers({ require_message_authenticator: true }) as ValueObject,
    'some'
  ],
  ['RADIUS of an unknown type', { auth: { type: 'sae' }, ...radius }, others, 'some'],
  [
    'RADIUS of eap before',
    { ...eap, ...radius },
    { auth: { type: 'eap192' }, ...others },
    'outage'
  ],
  ['RADIUS of MAC checks', { auth: { enable_mac_auth: true }, ...radius }, others, 'some'],
  ['RADIUS of keys', { dynamic_psk: { enabled: true }, ...radius }, others, 'some'],
  ['RADIUS of cisco_cwa', { cisco_cwa: { enabled: true }, ...radius }, others, 'some'],
  ['RADIUS of an external portal', { portal: { auth: 'external' }, ...radius }, others, 'some']
]

const reconnects: readonly Row[] = [
  ['vlan_id', { vlan_enabled: true, vlan_id: 1 }, { vlan_id: 2 }, 'reconnect'],
  ['vlan_ids', { vlan_enabled: true, vlan_ids: [1] }, { vlan_ids: [2] }, 'reconnect'],
  ['vlan_enabled', {}, { vlan_enabled: true }, 'reconnect'],
  ['vlan_pooling', { vlan_enabled: true }, { vlan_pooling: true }, 'reconnect'],
  ['dynamic_vlan', {}, { dynamic_vlan: { enabled: true } }, 'reconnect'],
  [
    'a member of dynamic_vlan',
    { dynamic_vlan: { enabled: true } },
    { dynamic_vlan: { local_vlan_ids: [1] } },
    'reconnect'
  ],
  ['interface', {}, { interface: 'eth1' }, 'reconnect'],
  ['tunnels', {}, { mxtunnel_ids: ['a'] }, 'reconnect'],
  ['isolation', {}, { isolation: true }, 'reconnect'],
  ['l2_isolation', { isolation: true }, { l2_isolation: true }, 'reconnect'],
  ['roam_mode', {}, { roam_mode: '11r' }, 'reconnect'],
  ['rateset', {}, { rateset: { 24: { min_rssi: -70 } } }, 'reconnect'],
  ...['disable_11ax', 'disable_11be', 'disable_ht_vht_rates', 'disable_wmm', 'disable_uapsd'].map(
    (name): Row => [name, {}, { [name]: true }, 'reconnect']
  ),
  ['dtim', { dtim: 2 }, { dtim: 3 }, 'reconnect'],
  ['hostname_ie', {}, { hostname_ie: true }, 'reconnect'],
  ['hotspot20', { hotspot20: { enabled: true } }, { hotspot20: { venue_name: 'x' } }, 'reconnect'],
  ...['enable_ftm', 'legacy_overds', 'use_eapol_v1'].map(
    (name): Row => [name, {}, { [name]: true }, 'reconnect']
  ),
  ['radsec', {}, { radsec: { enabled: true } }, 'reconnect'],
  ['mist_nac', {}, { mist_nac: { enabled: true } }, 'reconnect']
]

const on = { portal: { enabled: true } }

const guestLogins: readonly Row[] = [
  ['portal.enabled', {}, on, 'guest-login'],
  ['portal removed', on, { portal: null }, 'guest-login'],
  ['portal.auth', on, { portal: { auth: 'sms' } }, 'guest-login'],
  ['texts of the portal', on, { portal: { smsMessageFormat: 'b' } }, 'guest-login'],
  [
    'portal_allowed_hostnames shrunk',
    { ...on, portal_allowed_hostnames: ['a'] },
    { portal_allowed_hostnames: [] },
    'guest-login'
  ],
  [
    'portal_allowed_subnets shrunk',
    { ...on, portal_allowed_subnets: ['10.0.0.0/24', '10.0.1.0/24'] },
    { portal_allowed_subnets: ['10.0.0.0/24'] },
    'guest-login'
  ],
  ['portal_denied_hostnames grown', on, { portal_denied_hostnames: ['a'] }, 'guest-login'],
  ['cisco_cwa', {}, { cisco_cwa: { enabled: true } }, 'guest-login'],
  ['airwatch.enabled', {}, { airwatch: { enabled: true } }, 'guest-login']
]

const nas = { auth_servers_nas_id: 'b' }

/** Fields of `auth` that its type does not use. */
const unused: readonly Row[] = [
  ...['open', 'wep', 'eap', 'eap192'].flatMap((type): Row[] => [
    [`psk of ${type}`, { auth: { type, psk: 'a' } }, { auth: { psk: env('b') } }, undefined],
    [`multi_psk_only of ${type}`, { auth: { type } }, { auth: { multi_psk_only: true } }, undefined]
  ]),
  ...['open', 'psk', 'psk-tkip', 'psk-wpa2-tkip', 'eap', 'eap192'].map(
    (type): Row => [
      `keys of ${type}`,
      { auth: { type, keys: ['a'] } },
      { auth: { keys: [env('b')] } },
      undefined
    ]
  ),
  ...['open', 'wep'].map(
    (type): Row => [
      `pairwise of ${type}`,
      { auth: { type, pairwise: ['wpa2-ccmp', 'wpa3'] } },
      { auth: { pairwise: ['wpa3'] } },
      undefined
    ]
  ),
  ...['wep', 'psk', 'psk-tkip', 'psk-wpa2-tkip', 'eap', 'eap192'].map(
    (type): Row => [`owe of ${type}`, { auth: { type } }, { auth: { owe: 'required' } }, undefined]
  ),
  ...['open', 'psk', 'psk-tkip', 'psk-wpa2-tkip', 'wep'].flatMap((type): Row[] => [
    [`RADIUS servers of ${type}`, { auth: { type }, ...radius }, others, undefined],
    [`NAS-ID of ${type}`, { auth: { type } }, nas, undefined],
    [`NAS-IP of ${type}`, { auth: { type } }, { auth_servers_nas_ip: '10.0.0.9' }, undefined],
    [`timeout of ${type}`, { auth: { type } }, { auth_servers_timeout: 9 }, undefined],
    [`retries of ${type}`, { auth: { type } }, { auth_servers_retries: 9 }, undefined],
    [`selection of ${type}`, { auth: { type } }, { auth_server_selection: 'unordered' }, undefined]
  ]),
  [
    'RADIUS servers of keys in the cloud',
    { dynamic_psk: { enabled: true, source: 'cloud_psks' }, ...radius },
    others,
    undefined
  ],
  [
    'RADIUS servers of a portal',
    { portal: { enabled: true, auth: 'sms' }, ...radius },
    others,
    undefined
  ]
]

/** Fields of `auth` whose type is unknown, or changes. */
const used: readonly Row[] = [
  [
    'psk of an unknown type',
    { auth: { type: 'sae', psk: 'a' } },
    { auth: { psk: env('b') } },
    'outage'
  ],
  [
    'keys in addition to WPA',
    { auth: { wep_as_secondary_auth: true, keys: ['a'] } },
    { auth: { keys: [env('b')] } },
    'outage'
  ],
  [
    'pairwise of OWE',
    { auth: { owe: 'enabled', pairwise: ['wpa2-ccmp', 'wpa3'] } },
    { auth: { pairwise: ['wpa3'] } },
    'some'
  ],
  ['owe of an unknown type', { auth: { type: 'sae' } }, { auth: { owe: 'required' } }, 'some']
]

const providers = ['amazon', 'facebook', 'google', 'microsoft', 'sponsor'] as const

const domains: readonly Row[] = providers.flatMap((provider): Row[] => {
  const portal = { [`${provider}_email_domains`]: ['a.example'] }
  const another = provider === 'google' ? 'facebook' : 'google'
  const live = (members: object) => ({ portal: { enabled: true, ...members } })
  return [
    [`${provider} domains of that login`, live({ auth: provider }), { portal }, 'guest-login'],
    [
      `${provider} domains of several`,
      live({ auth: 'multi', [`${provider}_enabled`]: true }),
      { portal },
      'guest-login'
    ],
    [
      `${provider} domains of an unknown login`,
      live({ auth: 'carrier pigeon' }),
      { portal },
      'guest-login'
    ],
    [`${provider} domains of another login`, live({ auth: another }), { portal }, undefined],
    [`${provider} domains of several without it`, live({ auth: 'multi' }), { portal }, undefined]
  ]
})

const nothing: readonly Row[] = [
  ['nothing', {}, {}, undefined],
  [
    'schedule widened',
    { schedule: { enabled: true, hours: { mon: '09:00-17:00' } } },
    { schedule: { hours: { mon: '' } } },
    undefined
  ],
  [
    'schedule switched off',
    { schedule: { enabled: true } },
    { schedule: { enabled: false } },
    undefined
  ],
  [
    'hours over midnight widened',
    { schedule: { enabled: true, hours: { mon: '22:00-02:00' } } },
    { schedule: { hours: { mon: '21:00-03:00' } } },
    undefined
  ],
  ['band_steer', {}, { band_steer: true }, undefined],
  ['band_steer_force_band5', {}, { band_steer_force_band5: true }, undefined],
  ['disable_v1_roam_notify', {}, { disable_v1_roam_notify: true }, undefined],
  ['disable_v2_roam_notify', {}, { disable_v2_roam_notify: true }, undefined],
  ['sle_excluded', {}, { sle_excluded: true }, undefined],
  ['app_limit', {}, { app_limit: { enabled: true } }, undefined],
  ['app_qos', {}, { app_qos: { enabled: true } }, undefined],
  ['qos', {}, { qos: { class: 'voice' } }, undefined],
  ['limits', { wlan_limit_up: 1 }, { wlan_limit_up: 2 }, undefined],
  ['accounting', { acct_servers: [{ host: 'a' }] }, { acct_servers: [{ host: 'b' }] }, undefined],
  ['an unknown field', { brand: 1 }, { brand: 2 }, undefined],
  // the other direction
  ['bands gain one', { bands: ['5'] }, { bands: ['5', '6'] }, undefined],
  ['ap_ids gain one', { ap_ids: ['a'] }, { ap_ids: ['b', 'a'] }, undefined],
  ['wxtag_ids emptied', { wxtag_ids: ['a'] }, { wxtag_ids: [] }, undefined],
  ['a list in place of another value', { wxtag_ids: 'a' }, { wxtag_ids: ['a'] }, undefined],
  ['hide_ssid off', { hide_ssid: true }, { hide_ssid: false }, undefined],
  ['max_num_clients raised', { max_num_clients: 8 }, { max_num_clients: 9 }, undefined],
  ['max_num_clients unlimited', { max_num_clients: 8 }, { max_num_clients: 0 }, undefined],
  [
    'pairwise gains',
    { auth: { type: 'psk', pairwise: ['wpa3'] } },
    { auth: { pairwise: ['wpa3', 'wpa2-ccmp'] } },
    undefined
  ],
  ['auth.owe off', { auth: { owe: 'required' } }, { auth: { owe: 'disabled' } }, undefined],
  ['portal_allowed grown', on, { portal_allowed_hostnames: ['a'] }, undefined],
  [
    'portal_denied shrunk',
    { ...on, portal_denied_hostnames: ['a'] },
    { portal_denied_hostnames: [] },
    undefined
  ],
  [
    'require_message_authenticator off',
    servers({ require_message_authenticator: true }),
    servers({ require_message_authenticator: false }) as ValueObject,
    undefined
  ],
  [
    'auth_servers emptied where none is needed',
    { ...servers({}), auth: { type: 'psk' } },
    { auth_servers: [] },
    undefined
  ],
  // the context
  ['a WLAN that is off before and after', { enabled: false, ssid: 'a' }, { ssid: 'b' }, undefined],
  ['a portal that stays off', {}, { portal: { auth: 'sms' } }, undefined],
  ['portal lists without a portal', {}, { portal_denied_hostnames: ['a'] }, undefined],
  ['radsec that stays off', {}, { radsec: { server_name: 'a' } }, undefined],
  [
    'dynamic_vlan that stays off',
    {},
    { dynamic_vlan: { type: 'standard', local_vlan_ids: [1] } },
    undefined
  ],
  ['dynamic_psk that stays off', {}, { dynamic_psk: { source: 'cloud_psks' } }, undefined],
  ['a schedule that stays off', {}, { schedule: { hours: { mon: '09:00-10:00' } } }, undefined],
  ['mist_nac that stays off', {}, { mist_nac: { network: 'a' } }, undefined],
  ['cisco_cwa that stays off', {}, { cisco_cwa: { allowed_subnets: ['10.0.0.0/8'] } }, undefined],
  ['vlan_id without vlan_enabled', { vlan_id: 1 }, { vlan_id: 2 }, undefined],
  ['l2_isolation without isolation', {}, { l2_isolation: true }, undefined],
  [
    'rates of a band that is not in use',
    { bands: ['5'] },
    { rateset: { 24: { min_rssi: -70 } } },
    undefined
  ],
  ['limit_bcast with allow_ipv6_ndp', {}, { limit_bcast: true }, undefined],
  ['an object of defaults', {}, { portal: { enabled: false } }, undefined]
]

const all = [
  ...outages,
  ...partial,
  ...risks,
  ...reconnects,
  ...guestLogins,
  ...nothing,
  ...unused,
  ...used,
  ...domains
]

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

describe('the impact of', () => {
  test.each(all)('%s', (_, live, declared, impact) => {
    expect(effects(live, declared).impact).toBe(impact)
  })
})

describe('an authentication risk', () => {
  test.each(risks)('is reported if %s', (_, live, declared) => {
    expect(effects(live, declared).authentication_risk).toBe(true)
  })

  test.each(all.filter(row => !risks.includes(row)))(
    'is not reported if %s',
    (_, live, declared) => {
      expect(effects(live, declared).authentication_risk).toBeUndefined()
    }
  )
})

describe('a radio reset', () => {
  test.each<readonly [what: string, live: object, declared: ValueObject]>([
    ['enabled → true', { enabled: false }, { enabled: true }],
    [
      'enabled → true, with other fields',
      { enabled: false, ssid: 'a' },
      { enabled: true, ssid: 'b' }
    ],
    ['apply_to widened', { apply_to: 'aps' }, { apply_to: 'site' }],
    ['bands gain one', { bands: ['5'] }, { bands: ['5', '6'] }],
    ['ap_ids emptied', { ap_ids: ['a'] }, { ap_ids: [] }]
  ])('is reported if %s, without dropped clients of the WLAN', (_, live, declared) => {
    expect(effects(live, declared)).toMatchObject({ resets_radio: true })
    expect(effects(live, declared).impact).toBeUndefined()
  })

  test.each([...partial, ...risks, ...reconnects, ...guestLogins])(
    'is not caused by %s',
    (_, live, declared) => {
      expect(effects(live, declared).resets_radio).toBeUndefined()
    }
  )
})

describe('several changed fields', () => {
  test('have the impact of the worst one', () => {
    const live = { dtim: 1, ssid: 'a', hide_ssid: false }
    expect(effects(live, { dtim: 2, ssid: 'b', hide_ssid: true }).impact).toBe('outage')
    expect(effects(live, { dtim: 2, hide_ssid: true }).impact).toBe('reconnect')
  })
})

describe('a saved change', () => {
  const saved = (live: object, declared: ValueObject) => {
    const before = record(live)
    const { patch } = diff(declared, before)
    const { context } = effectsOf(patch, before)
    return effectsOf(patch, recordFrom(patch, context))
  }

  test.each(all)('has equal effects: %s', (_, live, declared) => {
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

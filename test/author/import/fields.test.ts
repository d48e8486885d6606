import { describe, expect, it } from 'vitest'
import { pickFields } from '../../../src/author/import/fields.ts'
import { Secret } from '../../../src/core/values/secret.ts'
import { record, shown } from '../../core/plan/support.ts'
import { liveSite, nth } from './estates.ts'
import { imported } from './import.ts'

const picked = (fields: object, all = false) => shown(pickFields(record(fields), all).fields)

/** The guard fields of an open WLAN at their defaults. */
const guarded = {
  ssid: 'Corp',
  auth: { type: 'open', owe: 'disabled', enable_mac_auth: false },
  ...{ enabled: true, hide_ssid: false, isolation: false, vlan_enabled: false, interface: 'all' },
  ...{ bands: ['24', '5', '6'], schedule: { enabled: false }, portal: { enabled: false } },
  ...{ block_blacklist_clients: false, enable_wireless_bridging: false },
  cisco_cwa: { enabled: false }
}

describe('the fields of a live WLAN', () => {
  it.each<[what: string, live: object, declared: object, all: object]>([
    ['a plain field', { dtim: 3 }, { dtim: 3 }, { dtim: 3 }],
    ['the documented default', { dtim: 2 }, {}, { dtim: 2 }],
    [
      'one in another order',
      { bands: ['6', '24', '5'] },
      { bands: ['6', '24', '5'] },
      { bands: ['6', '24', '5'] }
    ],
    ['an equivalent of absence', { dns_server_rewrite: null }, {}, { dns_server_rewrite: null }],
    ['a disabled feature', { schedule: { enabled: false } }, {}, { schedule: { enabled: false } }],
    [
      'a closed day',
      { schedule: { enabled: true, hours: { mon: '09:00-17:00', sun: '' } } },
      { schedule: { enabled: true, hours: { mon: '09:00-17:00', sun: '' } } },
      { schedule: { enabled: true, hours: { mon: '09:00-17:00', sun: '' } } }
    ],
    [
      'a part of an object',
      { qos: { class: 'voice', overwrite: false } },
      { qos: { class: 'voice' } },
      { qos: { class: 'voice', overwrite: false } }
    ],
    ['a read-only field', { for_site: true, modified_time: 5 }, {}, {}],
    ['an unknown field', { x_new: 1, auth: { x_new: 1 } }, {}, {}],
    ['a field for old records', { band: '5' }, { bands: undefined }, { bands: undefined }],
    [
      'a map that counts as a whole',
      { app_limit: { enabled: true, apps: { no: 0 } } },
      { app_limit: { enabled: true, apps: { no: 0 } } },
      { app_limit: { enabled: true, apps: { no: 0 } } }
    ],
    [
      'the same with a key no file can have',
      { app_limit: { enabled: true, apps: { '<<': 5 } } },
      { app_limit: { enabled: true } },
      { app_limit: { enabled: true } }
    ],
    [
      'an unsafe number',
      { max_num_clients: 9, dtim: 2 ** 60 },
      { max_num_clients: 9 },
      { max_num_clients: 9 }
    ],
    ['an empty guard field', { hide_ssid: null, bands: [] }, { bands: [] }, { bands: [] }]
  ])('%s: the default selection, and that of --all-fields', (_, live, declared, all) => {
    expect(picked(live)).toEqual({ ...guarded, ...declared })
    expect(picked(live, true)).toEqual({ ...guarded, ...all })
  })

  it.each<[what: string, auth: object, declared: object, all: object]>([
    ['a secret', { psk: 'a-secret-key' }, { psk: { $live: true } }, { psk: { $live: true } }],
    ['an empty secret', { psk: '' }, {}, { psk: '' }]
  ])('%s is declared with the type that uses it', (_, auth, declared, all) => {
    const live = { auth: { type: 'psk', ...auth } }
    expect(picked(live)).toMatchObject({ auth: { type: 'psk', ...declared } })
    expect(picked(live, true)).toMatchObject({ auth: { type: 'psk', ...all } })
    expect(picked({ auth: { ...auth, type: 'open' } }, true)).toEqual(guarded)
  })

  it('an item of a list keeps its position without its default values', () => {
    const auth_servers = [
      { host: '10.0.0.1', require_message_authenticator: false, x_new: 1 },
      { host: '10.0.0.2', port: '1812', secret: 'of-the-server' }
    ]
    expect(picked({ auth: { type: 'eap' }, auth_servers })).toMatchObject({
      auth_servers: [
        { host: '10.0.0.1' },
        { host: '10.0.0.2', port: '1812', secret: { $live: true } }
      ]
    })
  })

  it('the SSID comes first, then auth and VLAN, then the other fields by topic', () => {
    const live = {
      vlan_enabled: true,
      vlan_id: 5,
      zzz: 1,
      bands: ['5'],
      auth: { psk: 'a-secret-key', type: 'psk' },
      hide_ssid: true
    }
    const fields = picked(live) as { readonly auth: object }
    expect(Object.keys(fields)).toEqual([
      ...['ssid', 'auth', 'dynamic_psk', 'vlan_enabled', 'vlan_id', 'interface', 'enabled'],
      ...['hide_ssid', 'schedule', 'bands', 'isolation', 'block_blacklist_clients', 'portal'],
      'enable_wireless_bridging'
    ])
    expect(Object.keys(fields.auth)).toEqual([
      ...['type', 'psk', 'pairwise', 'multi_psk_only', 'enable_mac_auth']
    ])
  })
})

describe('the guard fields of a live WLAN', () => {
  const eap = { auth: { type: 'eap' } }
  it.each<[what: string, live: object, written: object, never: readonly string[]]>([
    [
      'open',
      {},
      { auth: { owe: 'disabled' } },
      ['auth.psk', 'auth.pairwise', 'dynamic_psk', 'radsec']
    ],
    [
      'a shared key',
      { auth: { type: 'psk' } },
      { auth: { pairwise: ['wpa2-ccmp'], multi_psk_only: false }, dynamic_psk: { enabled: false } },
      ['auth.owe', 'auth_servers', 'radsec', 'mist_nac', 'dynamic_vlan']
    ],
    [
      '802.1X',
      eap,
      { auth_servers: [], radsec: { enabled: false }, mist_nac: { enabled: false } },
      ['auth.owe', 'auth.multi_psk_only', 'dynamic_psk']
    ],
    [
      'MAC addresses, which RADIUS checks',
      { auth: { enable_mac_auth: true }, auth_servers: [{ host: '10.0.0.1' }] },
      { auth_servers: [{ host: '10.0.0.1' }], disable_message_authenticator_check: false },
      ['auth.pairwise']
    ],
    [
      'a portal',
      { portal: { enabled: true } },
      { portal: { enabled: true, auth: 'none', bypass_when_cloud_down: false } },
      []
    ],
    [
      'a portal that is switched off',
      { portal: { enabled: false, auth: 'sso', password: 'guest-word' } },
      { portal: { enabled: false } },
      ['portal.auth', 'portal.password']
    ],
    ['a schedule without a switch', { schedule: { hours: { mon: '' } } }, {}, ['schedule.hours']],
    [
      'a VLAN',
      { vlan_enabled: true, vlan_id: 30 },
      { vlan_enabled: true, vlan_id: 30 },
      ['vlan_ids']
    ],
    [
      'a VLAN that is not in use',
      { vlan_id: 30 },
      { vlan_enabled: false },
      ['vlan_id', 'vlan_ids']
    ],
    [
      'a pool of VLANs',
      { vlan_enabled: true, vlan_pooling: true, vlan_ids: [30, 31] },
      { vlan_ids: [30, 31] },
      []
    ],
    [
      'the login of an external portal',
      {
        portal: { enabled: true, auth: 'external' },
        auth_servers: [{ host: '10.0.0.1' }],
        acct_servers: [{ host: '10.0.0.2' }]
      },
      { auth_servers: [{ host: '10.0.0.1' }], acct_servers: [{ host: '10.0.0.2' }] },
      []
    ],
    ['192-bit security', { auth: { type: 'eap192' } }, { auth: { pairwise: ['wpa2-ccmp'] } }, []],
    ['OWE', { auth: { owe: 'required' } }, { auth: { pairwise: ['wpa2-ccmp'] } }, []],
    [
      'MAC addresses, which RADIUS checks again',
      { auth: { type: 'psk', enable_mac_auth: true, eap_reauth: true } },
      { auth: { eap_reauth: true } },
      []
    ],
    [
      'no scope, band or limit',
      {
        apply_to: 'site',
        ...{ ap_ids: [nth(3)], wxtag_ids: [nth(4)], bands: ['5'], wlan_limit_up: 9 },
        rateset: { 24: { template: 'no-legacy' }, 5: { template: 'no-legacy' } }
      },
      { rateset: { 5: { template: 'no-legacy' } } },
      ['ap_ids', 'wxtag_ids', 'wlan_limit_up', 'rateset.24']
    ],
    ['isolation', { isolation: true }, { isolation: true, l2_isolation: false }, []],
    ['no isolation', {}, { isolation: false }, ['l2_isolation', 'apply_to']],
    [
      'a type of a newer service',
      { auth: { type: 'sae-x', psk: 'a-secret-key' }, auth_servers: [{ host: '10.0.0.1' }] },
      { auth: { psk: { $live: true }, owe: 'disabled' }, auth_servers: [{ host: '10.0.0.1' }] },
      []
    ]
  ])('are written if they have an effect: %s', (_, live, written, never) => {
    for (const all of [false, true]) {
      expect(picked(live, all)).toMatchObject(written)
      for (const path of never) expect(picked(live, all)).not.toHaveProperty(path)
    }
  })
})

describe('the findings of an import', () => {
  it.each<[what: string, live: object, codes: readonly string[]]>([
    ['no special value', {}, []],
    ['an SSID that no file may have', { ssid: 'a\u202eb' }, ['IMPORT_SSID_UNFIT']],
    ['a value that the schema refuses', { dtim: 'two' }, ['IMPORT_UNFIT']],
    [
      'a mask in place of a list of secrets',
      { auth: { type: 'wep', keys: Secret.live('****') } },
      ['IMPORT_UNFIT']
    ],
    ['a WLAN from a template', { template_id: nth(9) }, []],
    [
      'one with too many values',
      { ap_ids: Array.from({ length: 5000 }, () => nth(1)) },
      ['IMPORT_TOO_LARGE']
    ],
    ['an unknown field', { x_new: 1 }, []]
  ])('report %s', (_, live, codes) => {
    const made = imported(
      liveSite({ id: nth(0), name: 'hq' }, [{ id: nth(1), ssid: 'Corp', ...live }])
    )
    expect(made.findings.map(({ code }) => code)).toEqual(codes)
  })
})

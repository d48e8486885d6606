import { describe, expect, it } from 'vitest'
import { pickFields } from '../../../src/author/import/fields.ts'
import { Secret } from '../../../src/core/values/secret.ts'
import { record, shown } from '../../core/plan/support.ts'
import { tablesIn } from '../../support/tables.ts'
import { liveSite, nth } from './estates.ts'
import { imported } from './import.ts'

const tables = tablesIn<{
  readonly selected: Readonly<Record<string, { live: object; declared?: object; all?: object }>>
  readonly guards: Readonly<Record<string, { live: object; written: object; never?: string[] }>>
}>(import.meta.dirname, 'fields.yaml')

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
  it.each(Object.entries(tables.selected))(
    '%s: the default selection, and that of --all-fields',
    (_, { live, declared = live, all = declared }) => {
      expect(picked(live)).toEqual({ ...guarded, ...declared })
      expect(picked(live, true)).toEqual({ ...guarded, ...all })
    }
  )

  it('a field for old records is not declared, and its default neither', () => {
    expect(picked({ band: '5' })).toEqual({ ...guarded, bands: undefined })
    expect(picked({ band: '5' }, true)).toEqual({ ...guarded, bands: undefined })
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
  it.each(Object.entries(tables.guards))(
    'are written if they have an effect: %s',
    (_, { live, written, never = [] }) => {
      for (const all of [false, true]) {
        expect(picked(live, all)).toMatchObject(written)
        for (const path of never) expect(picked(live, all)).not.toHaveProperty(path)
      }
    }
  )
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

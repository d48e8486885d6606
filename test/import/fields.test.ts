import { describe, expect, it } from 'vitest'
import { orderedFields, pickFields, sortFields } from '../../src/import/fields.ts'
import { wlanField } from '../../src/schema/field.ts'
import { record, shown } from '../plan/support.ts'
import { liveSite, nth } from './estates.ts'
import { imported } from './import.ts'

const picked = (fields: object, all = false) => shown(pickFields(record(fields), all).fields)

describe('of a live WLAN', () => {
  it.each<[what: string, live: object, declared: object, all: object]>([
    ['a plain field', { vlan_id: 20 }, { vlan_id: 20 }, { vlan_id: 20 }],
    ['the documented default', { dtim: 2 }, {}, { dtim: 2 }],
    ['one in other case', { roam_mode: 'none' }, {}, { roam_mode: 'none' }],
    ['one in another order', { bands: ['6', '24', '5'] }, {}, { bands: ['6', '24', '5'] }],
    ['what is as good as nothing', { ap_ids: null }, {}, { ap_ids: null }],
    ['a text that is empty', { wxtunnel_id: '' }, {}, { wxtunnel_id: '' }],
    [
      'a feature that is off',
      { schedule: { enabled: false } },
      {},
      { schedule: { enabled: false } }
    ],
    [
      'a part of an object',
      { qos: { class: 'voice', overwrite: false } },
      { qos: { class: 'voice' } },
      { qos: { class: 'voice', overwrite: false } }
    ],
    ['what the service keeps itself', { for_site: true, modified_time: 5 }, {}, {}],
    ['a field nobody knows', { x_new: 1, auth: { x_new: 1 } }, {}, {}],
    ['a field for old records', { band: '5' }, {}, { band: '5' }],
    [
      'a map that counts as a whole',
      { app_limit: { apps: { no: 0 } } },
      { app_limit: { apps: { no: 0 } } },
      { app_limit: { apps: { no: 0 } } }
    ],
    ['the same with a key no file can have', { app_limit: { apps: { '<<': 5 } } }, {}, {}],
    ['a number that loses digits', { portal: { expire: 2 ** 60 } }, {}, {}],
    [
      'a secret',
      { auth: { psk: 'a-secret-key' } },
      { auth: { psk: { $live: true } } },
      { auth: { psk: { $live: true } } }
    ],
    ['an empty secret', { auth: { psk: '' } }, {}, { auth: { psk: '' } }]
  ])('%s: what is worth declaring, and what is with --all-fields', (_, live, declared, all) => {
    expect(picked(live)).toEqual({ ssid: 'Corp', ...declared })
    expect(picked(live, true)).toEqual({ ssid: 'Corp', ...all })
  })

  it('an item of a list keeps its place, less what is the default', () => {
    const auth_servers = [
      { host: '10.0.0.1', require_message_authenticator: false, x_new: 1 },
      { host: '10.0.0.2', port: '1812', secret: 'of-the-server' }
    ]
    expect(picked({ auth_servers })).toEqual({
      ssid: 'Corp',
      auth_servers: [
        { host: '10.0.0.1' },
        { host: '10.0.0.2', port: '1812', secret: { $live: true } }
      ]
    })
  })

  it('the SSID comes first, then auth and VLAN, then the others by topic', () => {
    const live = {
      vlan_id: 5,
      zzz: 1,
      bands: ['5'],
      auth: { psk: 'a-secret-key', type: 'psk' },
      hide_ssid: true
    }
    const fields = picked(live) as { readonly auth: object }
    expect(Object.keys(fields)).toEqual(['ssid', 'auth', 'vlan_id', 'hide_ssid', 'bands'])
    expect(Object.keys(fields.auth)).toEqual(['type', 'psk'])
  })
})

describe('the order of fields', () => {
  it('has each field once, and none that the schema does not have', () => {
    expect(new Set(orderedFields).size).toBe(orderedFields.length)
    expect(orderedFields.filter(name => !wlanField.memberNames().includes(name))).toEqual([])
  })

  it('puts those it does not know last, by name', () => {
    const names = sortFields(wlanField, [['b'], ['a'], ['ssid']])
    expect(names).toEqual([['ssid'], ['a'], ['b']])
  })
})

describe('the findings of an import', () => {
  it.each<[what: string, live: object, codes: readonly string[]]>([
    ['nothing to say', {}, []],
    ['an SSID that no file may have', { ssid: 'a\u202eb' }, ['IMPORT_SSID_UNFIT']],
    ['a value that the schema refuses', { dtim: 'two' }, ['IMPORT_UNFIT']],
    ['a WLAN from a template', { template_id: nth(9) }, []],
    [
      'one with too many values',
      { ap_ids: Array.from({ length: 5000 }, () => nth(1)) },
      ['IMPORT_TOO_LARGE']
    ],
    ['an unknown field', { x_new: 1 }, []]
  ])('tell of %s', (_, live, codes) => {
    const made = imported(
      liveSite({ id: nth(0), name: 'hq' }, [{ id: nth(1), ssid: 'Corp', ...live }])
    )
    expect(made.findings.map(({ code }) => code)).toEqual(codes)
  })

  it('count unknown fields where all are asked for', () => {
    const records = [{ id: nth(1), ssid: 'Corp', x_new: 1, auth: { y_new: 1 } }]
    const made = imported(liveSite({ id: nth(0), name: 'hq' }, records), true)
    expect(made.findings).toMatchObject([{ message: expect.stringContaining('auth, x_new') }])
  })
})

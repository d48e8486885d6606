import { describe, expect, test } from 'vitest'
import { isError } from '../../src/core/model/finding.ts'
import { HQ } from '../support/ids.ts'
import { load } from './fleet.ts'

/** The findings for one WLAN with these fields, written as JSON, which is YAML, and the exit code of `validate`. */
async function findingsOf(fields: object, policy?: object) {
  const wlans = { w: { ssid: 'Corp', ...fields } }
  const { findings: found } = await load({
    'hq.yaml': JSON.stringify({ site: { id: HQ, name: 'hq' }, policy, wlans })
  })
  return { code: found.some(isError) ? 3 : 0, found }
}

const V = '{{name}}'

describe('legal values', () => {
  test.each<readonly [what: string, fields: object]>([
    ['a range of default VLANs', { dynamic_vlan: { default_vlan_ids: ['10-20', 30, V] } }],
    ['local VLANs of keys', { dynamic_psk: { local_vlan_ids: [10, '10-20', V] } }],
    ['tags of limits as a list', { app_limit: { wxtag_ids: ['a'] } }],
    ['tags of limits as a map', { app_limit: { wxtag_ids: { a: 1 } } }],
    ['no CoA servers', { coa_servers: null }],
    ['roam_mode in lower case', { roam_mode: 'none' }],
    ['roam_mode in any case', { roam_mode: 'okc' }],
    ['a limit of 0', { wlan_limit_up: 0, wlan_limit_down: '0' }],
    ['a client limit of 0', { client_limit_up: 0, client_limit_down: '0' }],
    ['a variable as PSK', { auth: { psk: '{{k}}' } }],
    ['a variable as RADIUS secret', { auth_servers: [{ host: 'a', secret: V }] }],
    ['a variable as portal password', { portal: { password: V } }],
    ['hours until midnight', { schedule: { hours: { mon: '09:00-24:00' } } }],
    ['a subnet without a length', { portal_allowed_subnets: ['10.0.0.1', '2001:db8::/32', V] }]
  ])('%s', async (_, fields) => {
    expect(await findingsOf(fields)).toEqual({ code: 0, found: [] })
  })

  test.each<readonly [what: string, fields: object, code: string]>([
    ['a tag that is no UUID', { wxtag_ids: ['guests'] }, 'FIELD_PATTERN'],
    ['an access point that is no UUID', { ap_ids: ['ap-1'] }, 'FIELD_PATTERN'],
    ['an emoji with a joiner', { ssid: 'Café 👩\u200d💻' }, 'SSID_JOINER']
  ])('%s is a warning', async (_, fields, code) => {
    expect(await findingsOf(fields)).toMatchObject({ code: 0, found: [{ level: 'warning', code }] })
  })

  test('a missing tunnel is accepted as a deprecated field', async () => {
    const { code, found } = await findingsOf({ mxtunnel_id: null })
    expect([code, found.map(each => each.code)]).toEqual([0, ['FIELD_DEPRECATED']])
  })
})

describe('illegal values', () => {
  test.each<readonly [what: string, fields: object, message: string]>([
    [
      'vlan_ids',
      { vlan_ids: '10,5000' },
      'VLAN IDs (1 to 4094) separated by commas, got "10,5000"'
    ],
    ['bonjour', { bonjour: { additional_vlan_ids: '9999' } }, 'got "9999"'],
    [
      'limits',
      { wlan_limit_up: '999001' },
      'expected 0 to 999000, or a variable {{name}}, got "999001"'
    ],
    ['RADIUS port', { auth_servers: [{ host: 'a', port: '99999' }] }, 'expected 1 to 65535, or'],
    ['dscp', { app_qos: { others: [{ dscp: '99' }] } }, 'expected 0 to 63, or'],
    ['sponsor link', { portal: { sponsor_link_validity_duration: '1' } }, 'expected 5 to 60, or'],
    ['interim', { acct_interim_interval: 30 }, 'expected 0, or 60 to 65535, got 30'],
    ['min_rssi', { rateset: { 24: { min_rssi: 1 } } }, 'to 0 dBm, got 1'],
    ['dtim of 0', { dtim: 0 }, 'expected 1 to 255 beacon intervals, got 0'],
    ['dtim of 256', { dtim: 256 }, 'expected 1 to 255'],
    ['portal.expire', { portal: { expire: -1 } }, 'expected 0 or more minutes, got -1'],
    ['timeout', { auth_servers_timeout: 0 }, 'expected 1 or more seconds, got 0'],
    ['retries', { auth_servers_retries: 0 }, 'expected 1 or more, got 0'],
    ['hours', { schedule: { hours: { mon: '25:00-29:59' } } }, 'got "25:00-29:59"'],
    ['days', { schedule: { hours: { monday: '' } } }, 'expected one of mon, tue, wed, thu, fri'],
    ['ht', { rateset: { 24: { ht: 'xyz' } } }, 'in hexadecimal, got "xyz"'],
    ['CoA by name', { coa_servers: [{ ip: 'radius.example' }] }, 'expected an IPv4 address'],
    ['NAC address', { mist_nac: { source_ip: 'floor-2' } }, 'expected an IP address'],
    ['portal subnet', { portal_allowed_subnets: ['10.0.0.0/33'] }, 'expected a subnet'],
    ['cwa subnet', { cisco_cwa: { allowed_subnets: ['lobby'] } }, 'expected a subnet'],
    ['keys of VLANs', { dynamic_vlan: { vlans: { 5000: 'a' } } }, 'expected a VLAN ID'],
    ['no band', { bands: [] }, 'expected a list of 1 or more elements'],
    ['a read-only secret', { portal_api_secret: V }, 'is read-only'],
    [
      'a type with a typo',
      { auth: { type: 'opne' } },
      'open, psk, psk-tkip, psk-wpa2-tkip, wep, got "opne"'
    ]
  ])('%s', async (_, fields, message) => {
    const { code, found } = await findingsOf(fields)
    expect(code).toBe(3)
    expect(found).toMatchObject([{ level: 'error', message: expect.stringContaining(message) }])
  })

  test.each<readonly [what: string, fields: object, code: string]>([
    ['WEP keys', { auth: { keys: ['secret-key'] } }, 'SECRET_INVALID'],
    ['five WEP keys', { auth: { keys: Array(5).fill('0123456789') } }, 'FIELD_COUNT'],
    ['a default key of 64', { dynamic_psk: { default_psk: '0'.repeat(64) } }, 'SECRET_INVALID']
  ])('%s, without printing the secret', async (_, fields, code) => {
    const result = await findingsOf(fields, { plaintext_secrets: 'allow' })
    expect(result).toMatchObject({ code: 3, found: [{ code }] })
    expect(JSON.stringify(result)).not.toMatch(/secret-key|0123456789|0000/)
  })
})

describe('policy.unknown_values', () => {
  test('warn accepts an unknown value', async () => {
    const result = await findingsOf({ auth: { type: 'wapi' } }, { unknown_values: 'warn' })
    expect(result).toMatchObject({
      code: 0,
      found: [{ level: 'warning', code: 'FIELD_VALUE_UNKNOWN' }]
    })
  })

  test.each([
    ['field', 'unknown_fields', { zzzzzzzz: 1 }],
    ['value', 'unknown_values', { auth: { type: 'zzzzzzzz' } }]
  ])('an unknown %s has no hint to set the existing value', async (_, key, fields) => {
    const { found } = await findingsOf(fields)
    expect(found).toMatchObject([{ hint: expect.stringContaining(`policy.${key}`) }])
    const { found: allowed } = await findingsOf(fields, { [key]: 'warn' })
    expect(allowed).toMatchObject([{ level: 'warning' }])
    expect(allowed[0]).not.toHaveProperty('hint')
  })

  test.each<readonly [what: string, fields: object, hint: string]>([
    ['wpa2', { auth: { type: 'wpa2' } }, 'did you mean "psk"?'],
    ['wpa3-psk', { auth: { type: 'wpa3-psk' } }, 'did you mean "psk"?'],
    ['SAE', { auth: { type: 'SAE' } }, 'did you mean "psk"?'],
    ['wpa2-enterprise', { auth: { type: 'wpa2-enterprise' } }, 'did you mean "eap"?'],
    ['dot1x', { auth: { type: 'dot1x' } }, 'did you mean "eap"?'],
    ['802.1X', { auth: { type: '802.1X' } }, 'did you mean "eap"?'],
    ['none', { auth: { type: 'none' } }, 'did you mean "open"?'],
    ['the cipher wpa2', { auth: { pairwise: ['wpa2'] } }, 'did you mean "wpa2-ccmp"?'],
    ['the band 2.4', { bands: ['2.4'] }, 'did you mean "24"?'],
    ['the cipher WPA2-AES', { auth: { pairwise: ['WPA2-AES'] } }, 'did you mean "wpa2-ccmp"?'],
    ['the cipher wpa3-sae', { auth: { pairwise: ['wpa3-sae'] } }, 'did you mean "wpa3"?'],
    ['the cipher tkip', { auth: { pairwise: ['tkip'] } }, 'did you mean "wpa1-tkip"?'],
    ['802.11r', { roam_mode: '802.11r' }, 'did you mean "11r"?'],
    ['ft', { roam_mode: 'FT' }, 'did you mean "11r"?'],
    ['roaming that is off', { roam_mode: 'off' }, 'did you mean "NONE"?'],
    ['vlan', { vlan: 20 }, 'did you mean "vlan_id"?'],
    ['wpa3', { wpa3: true }, 'did you mean "auth.pairwise"?'],
    ['wpa3 beside the cipher', { auth: { wpa3: true } }, 'did you mean "auth.pairwise"?'],
    ['a key at the root', { psk: { $env: 'WLAN_SECRET_X' } }, '"psk" belongs under "auth"'],
    ['an SSID too deep', { auth: { ssid: 'a' } }, '"ssid" belongs at the root of the WLAN'],
    [
      'a portal password',
      { portal: { multi_psk_only: true } },
      '"multi_psk_only" belongs under "auth"'
    ]
  ])(
    '%s has a meaning, which comes before spelling and cannot be allowed',
    async (_, fields, hint) => {
      for (const allowed of ['error', 'warn']) {
        const policy = { unknown_fields: allowed, unknown_values: allowed }
        const { code, found } = await findingsOf(fields, policy)
        expect(code).toBe(3)
        expect(found.filter(({ level }) => level === 'error')).toMatchObject([{ hint }])
      }
    }
  )

  test.each([
    { multi_psk: { enabled: false } },
    { mpsk: { enabled: true } },
    { psks: [true, null] }
  ])('a boolean is no plaintext secret: %j', async fields => {
    const { found } = await findingsOf(fields)
    expect(found).toMatchObject([{ code: 'FIELD_UNKNOWN' }])
  })

  test('an unknown value is an error with the nearest known value by default', async () => {
    const { found } = await findingsOf({ auth: { type: 'opne' } })
    expect(found).toMatchObject([{ hint: expect.stringContaining('open') }])
  })
})

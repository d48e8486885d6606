import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { fieldAt, serverLists, wlanField } from '../../../src/core/schema/field.ts'
import { guards } from '../../../src/core/schema/in-use.ts'
import { runs } from '../../support/properties.ts'

describe('an unknown field', () => {
  it.each([
    ...['preshared_key', 'api_token', 'secret_key', 'psk_list', 'access_token', 'foo_keys'],
    ...['radsec_client_key', 'credential', 'credentials', 'passwd', 'x_password', 'passwords'],
    ...['wep_key_1', 'psk2', 'login_pin', 'otp', 'keywrap_kek', 'mack', 'passphrase', 'key', 'KEY'],
    ...[
      'apikey',
      'APIKEY',
      'privatekeys',
      'apiKey',
      'presharedKeys',
      'loginPin',
      'accessToken',
      'x-api-key',
      'psk_lists'
    ]
  ])('%s is secret with all of its members', name => {
    for (const pointer of ['', '/0', '/0/value', '/a/b', '/1/2']) {
      expect(fieldAt(`/${name}${pointer}`)).toMatchObject({ secret: true, known: false })
      expect(fieldAt(`/new_feature/${name}${pointer}`)).toMatchObject({ secret: true })
    }
    expect(fieldAt(`/auth_servers/0/${name}x`).secret).toBe(false)
  })

  it.each([
    ...['monkey', 'keyboard', 'key_count', 'mapping', 'spin', 'pin_length', 'token_count', 'desk'],
    ...['secretary', 'stack', 'keys_enabled', 'pskx', 'description', 'portal_mode', 'turnkey']
  ])('%s is not secret', name => {
    expect(fieldAt(`/${name}`)).toMatchObject({ secret: false, known: false })
  })
})

describe('the name of a secret', () => {
  /** The minimal pattern. */
  const PATTERN =
    /(secret|passw(or)?d|passphrase|psk|token|credential|(^|_)(keys?|kek|mack|pin|otp))$/

  it('makes an unknown field a secret wherever the pattern matches', () => {
    fc.assert(
      fc.property(fc.stringMatching(PATTERN), name => {
        expect(wlanField.member('x_new').member(name).secret).toBe(true)
      }),
      runs()
    )
  })

  it('makes no known field a secret', () => {
    expect(fieldAt('/auth/multi_psk_only').secret).toBe(false)
    expect(fieldAt('/app_limit/apps/password').secret).toBe(false)
  })
})

describe('the lists of servers', () => {
  it('are those whose elements share a secret', () => {
    expect(serverLists).toEqual([
      { name: 'acct_servers', key: 'host' },
      { name: 'auth_servers', key: 'host' },
      { name: 'coa_servers', key: 'ip' }
    ])
  })
})

describe('the absence of a field', () => {
  it.each([
    ['a documented default', '/dtim', 2],
    ['a switch with a default', '/enabled', true],
    ['a switch without one', '/radsec/enabled', false],
    ['a list', '/auth_servers', []],
    ['a list that may be a string', '/vlan_ids', []],
    ['a value that may be null', '/vlan_id', null],
    ['a required string', '/ssid', undefined],
    ['an enumeration', '/apply_to', undefined],
    ['an unknown field', '/new_block/enabled', undefined]
  ])('of %s is declared by its own value: %s', (_, pointer, value) => {
    expect(fieldAt(pointer).whenAbsent).toEqual(value)
  })
})

describe('the annotations', () => {
  it.each([
    // Those of the field, of its definition, of its parent and of its elements; the others are in schemas/fields.md.
    ['/created_time', { readOnly: true, unit: 'seconds since 1970' }],
    ['/dynamic_vlan/default_vlan_id', { deprecated: true, compare: 'loose', default: 999 }],
    ['/auth/keys/0', { secret: true }],
    ['/auth/keys', { secret: false }],
    ['/auth_servers/0/secret', { secret: true }],
    ['/portal_api_secret', { secret: true, readOnly: true }],
    ['/thumbnail', { readOnly: true, volatile: true }],
    ['/portal/google_client_id', { secret: false }],
    ['/ssid', { compare: undefined }],
    ['/client_limit_up', { compare: 'loose', unit: 'kbps' }],
    ['/acct_servers/0/port', { compare: 'loose' }],
    ['/vlan_ids', { compare: 'comma-list' }],
    ['/dynamic_vlan/local_vlan_ids', { compare: 'set' }],
    ['/dynamic_vlan/local_vlan_ids/0', { compare: 'loose' }],
    ['/app_limit/apps', { compare: 'whole' }],
    ['/rateset/24/legacy', { compare: 'set' }],
    ['/auth_servers', { key: 'host', compare: undefined }],
    ['/auth/owe', { safer: ['disabled', 'enabled', 'required'] }],
    ['/hide_ssid', { safer: undefined }],
    ['/max_idletime', { minimum: 60, maximum: 86_400, unit: 'seconds', default: 1800 }],
    ['/ap_ids/0', { shape: 'a UUID' }]
  ])('%s has %o', (pointer, annotations) => {
    expect(fieldAt(pointer)).toMatchObject({ known: true, ...annotations })
  })
})

describe('descending the schema', () => {
  it('starts at the WLAN', () => {
    expect(fieldAt('')).toBe(wlanField)
    expect(wlanField.memberNames()).toContain('ssid')
  })

  it('returns the same node every time', () => {
    expect(wlanField.member('auth').member('psk')).toBe(fieldAt('/auth/psk'))
    expect(fieldAt('/auth_servers/0')).toBe(fieldAt('/auth_servers/7'))
    expect(fieldAt('/app_limit/apps/a')).toBe(fieldAt('/app_limit/apps/b'))
  })

  it('treats a number as a name outside of lists', () => {
    expect(fieldAt('/rateset/24').memberNames()).toContain('min_rssi')
    expect(fieldAt('/dynamic_vlan/vlans/10').known).toBe(true)
  })

  it('supports the entries of maps, whatever their names', () => {
    expect(fieldAt('/app_limit/apps/constructor')).toMatchObject({ known: true, unit: 'kbps' })
    expect(fieldAt('/app_limit/apps').memberNames()).toEqual([])
  })

  it('finds a map and a list if both are allowed', () => {
    expect(fieldAt('/portal/sponsors').item().known).toBe(true)
    expect(fieldAt('/portal/sponsors').member('a@example.org').known).toBe(true)
  })

  it.each([
    '/ssdi',
    '/auth/pks',
    '/constructor',
    '/__proto__',
    '/auth/toString',
    '/ssid/x',
    '/a/b'
  ])('does not find %s', pointer => {
    expect(fieldAt(pointer)).toMatchObject({ known: false, secret: false, readOnly: false })
  })

  it('lets an unknown member inherit the impact', () => {
    expect(fieldAt('/auth/new_thing').impact).toEqual([{ class: 'reconnect' }])
    expect(fieldAt('/new_thing').impact).toBeUndefined()
  })

  it('does not inherit a conditional impact', () => {
    expect(fieldAt('/bands/0').impact).toBeUndefined()
  })
})

describe('the guard fields', () => {
  test.each([
    ...['ssid', 'enabled', 'apply_to', 'bands', 'schedule/enabled', 'auth/type', 'auth/pairwise'],
    ...['auth/owe', 'auth/enable_mac_auth', 'auth/multi_psk_only', 'dynamic_psk/enabled'],
    ...['hide_ssid', 'isolation', 'l2_isolation', 'vlan_enabled', 'vlan_id', 'vlan_ids'],
    ...['interface', 'dynamic_vlan/enabled', 'portal/enabled', 'portal/auth'],
    ...['portal/bypass_when_cloud_down', 'cisco_cwa/enabled', 'radsec/enabled', 'mist_nac/enabled'],
    ...['enable_wireless_bridging', 'disable_message_authenticator_check'],
    ...['block_blacklist_clients', 'auth_servers', 'radsec/servers']
  ])('include %s', name => {
    expect(guards().map(({ pointer }) => pointer)).toContain(`/${name}`)
  })

  test('are 30', () => {
    expect(guards()).toHaveLength(30)
  })

  test('include the hosts of RADIUS servers, and no other member of them', () => {
    expect(fieldAt('/auth_servers/0/host').guard).toBe(true)
    expect(fieldAt('/auth_servers/0/port').guard).toBeUndefined()
  })
})

import { describe, expect, test } from 'vitest'
import { agrees } from '../../../src/core/diff/agree.ts'
import { fieldAt } from '../../../src/core/schema/field.ts'
import { Secret } from '../../../src/core/values/secret.ts'
import type { Value } from '../../../src/core/values/value.ts'
import { env } from '../plan/support.ts'

/** Compares at a field of the schema, and returns the secrets that could not be compared. */
function compare(at: string, live: Value | undefined, declared: Value) {
  const notCompared: string[] = []
  return { agree: agrees(fieldAt(at), live, declared, at, { notCompared }), notCompared }
}

const agree = { agree: true, notCompared: [] }
const differ = { agree: false, notCompared: [] }

/** A live value, the declared one, and whether they agree. */
type Row = readonly [at: string, live: Value | undefined, declared: Value, agree: boolean]

const rows: Readonly<Record<string, readonly Row[]>> = {
  'without a rule: the same JSON value': [
    ['/dtim', 2, 2, true],
    ['/dtim', 2, 3, false],
    ['/dtim', 2, '2', true],
    ['/dtim', undefined, 3, false],
    ['/enabled', false, null, false],
    ['/enabled', 0, false, false],
    ['/ssid', 'Corp', 'corp', false],
    ['/ssid', 'Caf\u00e9', 'Cafe\u0301', false],
    ['/mxtunnel_name', ['a', 'b'], ['a', 'b'], true],
    ['/mxtunnel_name', ['a', 'b'], ['b', 'a'], false],
    ['/mxtunnel_name', ['a', 'b'], ['a'], false],
    ['/mxtunnel_name', 'a', ['a'], false],
    ['/app_qos', { x: null }, null, true],
    ['/app_qos', { x: 1 }, null, false]
  ],
  'a day with empty hours is closed, and one without hours is open': [
    ['/schedule/hours/sun', undefined, '', false],
    ['/schedule/hours/sun', '09:00-17:00', '', false],
    ['/schedule/hours/sun', '', null, false],
    ['/schedule/hours/sun', undefined, null, true]
  ],
  '`set`: the same members in any order': [
    ['/bands', ['24', '5'], ['5', '24'], true],
    ['/bands', ['24', '5'], ['5'], false],
    ['/bands', ['5'], ['5', '5'], true],
    ['/bands', '24, 5', ['5', '24'], true],
    ['/bands', { a: '5' }, ['5'], false],
    ['/mxtunnel_ids', ['AB', 'c'], ['C', 'ab'], true],
    ['/wxtunnel_id', 'AB', 'ab', true],
    ['/auth/pairwise', [null, 'wpa3'], ['wpa3', null], true],
    ['/dynamic_vlan/default_vlan_ids', ['10', 20], [20, 10], true],
    ['/dynamic_vlan/default_vlan_ids', ['10', 20], [20, 1], false]
  ],
  '`loose`: 143 and "143"': [
    ['/vlan_id', 143, '143', true],
    ['/vlan_id', '143', 144, false],
    ['/vlan_id', '0143', 143, false],
    ['/vlan_id', '{{vlan}}', '{{vlan}}', true],
    ['/vlan_id', [143], 143, false]
  ],
  '`ignore-case`: the same but for case': [
    ['/roam_mode', 'NONE', 'none', true],
    ['/roam_mode', 'NONE', 'OKC', false]
  ],
  '`comma-list`: "10, 20", "10,20" and a list': [
    ['/vlan_ids', '10, 20', '10,20', true],
    ['/vlan_ids', ['10', '20'], '10, 20', true],
    ['/vlan_ids', [' 10 ', 20], '10,20', true],
    ['/vlan_ids', 10, '10', true],
    ['/vlan_ids', '10,20', '20,10', true],
    ['/vlan_ids', '10,20', '10', false],
    ['/vlan_ids', { a: 1 }, '10', false]
  ],
  '`whole`: the same, undeclared members included': [
    ['/app_limit/apps', { a: 1, b: 2 }, { b: 2, a: 1 }, true],
    ['/app_limit/apps', { a: 1, b: 2 }, { a: 1 }, false],
    ['/app_limit/apps', { a: 1 }, { a: 1, b: 2 }, false],
    ['/app_limit/apps', { a: 1 }, { a: 2 }, false],
    ['/app_limit/apps', undefined, { a: 1 }, false],
    ['/app_limit/apps', { a: null }, {}, false],
    ['/dynamic_vlan/vlans', { '10': '', '20': '' }, { '10': '' }, false],
    ['/app_qos/apps', { skype: { dscp: 32 } }, { skype: { dscp: '32' } }, true],
    [
      '/app_qos/apps',
      { skype: { dscp: 32, src_subnet: '10.0.0.0/8' } },
      { skype: { dscp: 32 } },
      false
    ],
    ['/app_qos/apps', { skype: { dscp: 32, src_subnet: '' } }, { skype: { dscp: 32 } }, true],
    [
      '/bonjour/services',
      { air: { radius_groups: ['a', 'b'] } },
      { air: { radius_groups: ['b', 'a'] } },
      true
    ]
  ],
  '`whole`, in its older form as a list of names': [
    ['/portal/sponsors', ['a@x', 'b@x'], ['b@x', 'a@x'], true],
    ['/portal/sponsors', ['a@x'], ['b@x'], false],
    ['/portal/sponsors', { 'a@x': 'Ann' }, ['a@x'], true],
    ['/portal/sponsors', { 'a@x': 'Ann' }, ['b@x'], false],
    ['/portal/sponsors', undefined, ['a@x'], false],
    ['/portal/sponsors', 'a@x', ['a@x'], false]
  ],
  'the documented default, or a block that is off without one: an absent or null value': [
    ['/dtim', undefined, 2, true],
    ['/dtim', 2, null, false],
    ['/dtim', '', 2, false],
    ['/enabled', undefined, true, true],
    ['/enabled', undefined, false, false],
    ['/hide_ssid', null, false, true],
    ['/roam_mode', undefined, 'none', true],
    ['/bands', undefined, ['6', '24', '5'], true],
    ['/bands', undefined, ['24', '5'], false],
    ['/bands', [], ['24', '5', '6'], false],
    ['/auth', undefined, { type: 'open', owe: 'disabled' }, true],
    ['/auth', undefined, { type: 'psk' }, false],
    ['/radsec', undefined, { enabled: false }, true],
    ['/radsec/enabled', undefined, false, true],
    ['/radsec/enabled', undefined, true, false],
    ['/radsec/use_mxedge', undefined, false, false],
    ['/new_block/enabled', undefined, false, true],
    ['/apply_to', undefined, 'site', false],
    ['/not_in_the_schema', undefined, false, false]
  ],
  'objects: every declared member': [
    ['/qos', { class: 'video', overwrite: true }, { class: 'video' }, true],
    ['/qos', { overwrite: true }, { class: 'video' }, false],
    ['/qos', undefined, { class: null, overwrite: '' }, true],
    ['/qos', 5, { class: null }, false],
    ['/rateset', { 24: { min_rssi: 0 } }, { 24: { min_rssi: -70 } }, false],
    ['/not_in_the_schema', { a: { b: [1], c: 2 } }, { a: { b: [1] } }, true]
  ],
  'lists of objects: as long, and each as declared at its place': [
    ['/acct_servers', [{}], [], true],
    ['/acct_servers', [{ port: 1813 }], [], false],
    ['/auth_servers', [{ host: 'a', port: '1812', x: 1 }], [{ host: 'a', port: 1812 }], true],
    ['/auth_servers', [{ host: 'a' }, { host: 'b' }], [{ host: 'b' }, { host: 'a' }], false],
    ['/auth_servers', [{ host: 'a' }, { host: 'b' }], [{ host: 'a' }], false],
    ['/auth_servers', [], [{}], true]
  ]
}

describe.each(Object.entries(rows))('%s', (_, table) => {
  test.each(table)('%s: live %j and declared %j agree: %j', (at, live, declared, expected) => {
    expect(compare(at, live, declared)).toEqual(expected ? agree : differ)
  })
})

describe('empty values', () => {
  const empties = [undefined, null, '', [], {}, [null], ['', null]]
  const fields = ['/ssid', '/dtim', '/vlan_id', '/roam_mode', '/bands', '/vlan_ids', '/qos']
  const others = ['/app_limit/apps', '/auth_servers', '/auth/psk', '/not_in_the_schema']
  const pairs = empties.flatMap(live => empties.slice(1).map(declared => [live, declared] as const))

  test.each([...fields, ...others])('agree at %s', at => {
    for (const [live, declared] of pairs) {
      expect(compare(at, live, declared ?? null)).toEqual(agree)
    }
  })

  test.each([
    ['/dtim', 0],
    ['/enabled', false],
    ['/vlan_id', 0],
    ['/bands', ['', '5']],
    ['/qos', { class: '' }]
  ])('do not agree %s %j', (at, live) => {
    expect(compare(at, live, null)).toEqual(differ)
  })
})

describe('a secret', () => {
  const at = '/auth/psk'
  const notCompared = { agree: true, notCompared: [at] }
  const shown = Secret.live('hush-hush')
  const masked = Secret.live('********')

  test.each([
    ['another with asterisks', Secret.live('a*b*c'), env('other-one'), differ],
    ['one that may be a mask', Secret.live('ab**cd'), env('other-one'), notCompared],
    [
      'one that may be a mask, and is declared',
      Secret.live('xxxxxxxx'),
      env('xxxxxxxx'),
      notCompared
    ],
    ['one, and none is declared', shown, null, differ],
    ['one, and an empty one is declared', shown, '', differ],
    ['an empty one, and none is declared', Secret.live(''), null, agree],
    ['a masked one, and none is declared', masked, null, notCompared]
  ])('against %s', (_, live, declared, expected) => {
    expect(compare(at, live, declared)).toEqual(expected)
  })

  test('in a list of keys is compared at its position', () => {
    const live = [shown, masked, Secret.live('third')]
    expect(compare('/auth/keys', live, [env('hush-hush'), env('x'), env('third')])).toEqual({
      agree: true,
      notCompared: ['/auth/keys/1']
    })
    expect(compare('/auth/keys', live, [env('x'), env('x'), env('x')]).agree).toBe(false)
  })

  test('in a list element is noted, even if another member differs', () => {
    const live = [
      { host: 'a', secret: masked },
      { host: 'b', secret: masked }
    ]
    const declared = [
      { host: 'a', port: 1, secret: env('x') },
      { host: 'b', secret: env('y') }
    ]
    expect(compare('/auth_servers', live, declared)).toEqual({
      agree: false,
      notCompared: ['/auth_servers/0/secret', '/auth_servers/1/secret']
    })
  })
})

describe('names of prototype members', () => {
  test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
    '%s is compared as data',
    name => {
      const declared = Object.fromEntries([[name, 'a']])
      expect(compare('/qos', {}, declared)).toEqual(differ)
      expect(compare('/qos', Object.fromEntries([[name, 'a']]), declared)).toEqual(agree)
      expect(compare('/app_limit/apps', {}, declared)).toEqual(differ)
    }
  )
})

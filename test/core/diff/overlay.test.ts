import { describe, expect, test } from 'vitest'
import { overlay } from '../../../src/core/diff/overlay.ts'
import { wlanField } from '../../../src/core/schema/field.ts'
import type { ValueObject } from '../../../src/core/values/value.ts'
import { env, record, revealed, shown } from '../plan/support.ts'

/** The overlay of a declared top-level field on the live one. */
function laid(name: string, live: unknown, declared: ValueObject[string]) {
  const before = live === undefined ? undefined : record({ [name]: live })[name]
  return overlay(wlanField.member(name), before, declared)
}

describe('an equivalent value keeps the form of the service', () => {
  test.each([
    ['vlan_id', '143', 143],
    ['vlan_ids', '10, 20', ['10', '20']],
    ['bands', ['24', '5'], ['5', '24']],
    ['roam_mode', 'NONE', 'none'],
    ['qos', { class: '' }, { class: null }],
    ['app_limit', { apps: { a: 1, b: 2 } }, { apps: { b: 2, a: 1 } }],
    ['mxtunnel_ids', [], null]
  ])('%s %j under %j', (name, live, declared) => {
    expect(laid(name, live, declared)).toEqual(live)
  })
})

describe('a different value has the declared form', () => {
  test.each([
    ['vlan_id', '143', 144],
    ['vlan_id', undefined, 144],
    ['bands', ['24', '5'], ['5']],
    ['bands', ['24', '5'], []],
    ['qos', { class: 'video' }, null],
    ['qos', 'odd', { class: 'video' }],
    ['auth_servers', { host: 'odd' }, [{ host: 'a' }]],
    ['portal', undefined, { enabled: true, forward_url: null }]
  ])('%s %j under %j', (name, live, declared) => {
    expect(laid(name, live, declared)).toEqual(declared)
  })
})

describe('undeclared members are kept', () => {
  test.each([
    ['auth', { type: 'psk', owe: 'x' }, { type: 'open' }, { type: 'open', owe: 'x' }],
    ['portal', { enabled: true, x: { y: [1] } }, {}, { enabled: true, x: { y: [1] } }],
    [
      'rateset',
      { 24: { ht: 'a', he: 'b' }, 5: {} },
      { 24: { ht: 'c' } },
      { 24: { ht: 'c', he: 'b' }, 5: {} }
    ],
    [
      'qos',
      { constructor: 1, toString: 2 },
      { class: 'a' },
      { constructor: 1, toString: 2, class: 'a' }
    ]
  ])('%s %j under %j', (name, live, declared, expected) => {
    expect(laid(name, live, declared)).toEqual(expected)
  })

  test('undeclared members named `__proto__` are kept', () => {
    const live: ValueObject = JSON.parse('{"__proto__": {"polluted": 1}, "class": "a"}')
    const after = overlay(wlanField.member('qos'), live, { class: 'b' })
    expect(JSON.stringify(after)).toBe('{"__proto__":{"polluted":1},"class":"b"}')
    expect(Object.getPrototypeOf(after)).toBe(Object.prototype)
    expect('polluted' in {}).toBe(false)
  })
})

test('a map with free keys is replaced as a whole', () => {
  const live = { enabled: true, apps: { a: 1, b: 2 } }
  expect(laid('app_limit', live, { apps: { a: 3 } })).toEqual({ enabled: true, apps: { a: 3 } })
})

describe('a list of RADIUS servers', () => {
  const live = [
    { host: 'a', port: 1812, secret: 'of a', x: 1 },
    { host: 'b', port: 1812, secret: 'of b', x: 2 }
  ]
  const [a, b] = [
    { host: 'a', port: 1812, secret: { secret: 'of a' }, x: 1 },
    { host: 'b', port: 1812, secret: { secret: 'of b' }, x: 2 }
  ]

  test.each([
    ['in another order', [{ host: 'b' }, { host: 'a' }], [b, a]],
    [
      'with one added in front',
      [{ host: 'c' }, { host: 'a' }, { host: 'b' }],
      [{ host: 'c' }, a, b]
    ],
    ['with one added behind', [{ host: 'a' }, { host: 'b' }, { host: 'c' }], [a, b, { host: 'c' }]],
    ['with one removed', [{ host: 'b' }], [b]],
    ['with one replaced', [{ host: 'c' }, { host: 'b' }], [{ host: 'c' }, b]],
    [
      'with one member changed',
      [{ host: 'a', port: 1645 }, { host: 'b' }],
      [{ ...a, port: 1645 }, b]
    ],
    ['with one declared twice', [{ host: 'a' }, { host: 'a' }], [a, { host: 'a' }]],
    ['emptied', [], []]
  ])('%s keeps the members of each by its host', (_, declared, expected) => {
    expect(revealed(laid('auth_servers', live, declared))).toEqual(expected)
  })

  test('has each declared secret by its own reference, and live ones unchanged', () => {
    const declared = [{ host: 'b', secret: env('of b') }, { host: 'a' }]
    const after = laid('auth_servers', live, declared)
    expect(revealed(after)).toEqual([b, a])
    expect(shown(after)).toMatchObject([
      { secret: { $env: 'WLAN_SECRET_PSK' } },
      { secret: { $live: true } }
    ])
  })

  test('with a duplicate host keeps the members of the server that equals its declaration', () => {
    const twice = [
      { host: 'a', port: 1812, secret: 'first' },
      { host: 'a', port: 1645, secret: 'second' }
    ]
    const declared = [
      { host: 'a', port: 1645 },
      { host: 'a', port: 1812 }
    ]
    expect(revealed(laid('auth_servers', twice, declared))).toMatchObject([
      { port: 1645, secret: { secret: 'second' } },
      { port: 1812, secret: { secret: 'first' } }
    ])
  })

  test('of CoA is identified by `ip`', () => {
    const servers = [
      { ip: '10.0.0.1', secret: 'one' },
      { ip: '10.0.0.2', secret: 'two' }
    ]
    const after = laid('coa_servers', servers, [{ ip: '10.0.0.2', port: 3799 }])
    expect(revealed(after)).toEqual([{ ip: '10.0.0.2', secret: { secret: 'two' }, port: 3799 }])
  })
})

test('a list of objects without a key is merged by position', () => {
  const live = {
    others: [
      { protocol: 'tcp', x: 1 },
      { protocol: 'udp', x: 2 }
    ]
  }
  const declared = { others: [{ protocol: 'icmp' }, { protocol: 'udp' }, { protocol: 'any' }] }
  expect(laid('app_qos', live, declared)).toEqual({
    others: [{ protocol: 'icmp', x: 1 }, { protocol: 'udp', x: 2 }, { protocol: 'any' }]
  })
})

describe('a masked secret never overwrites a declared one', () => {
  test.each([
    ['a secret', { psk: '********' }, { psk: env('declared') }, { psk: { secret: 'declared' } }],
    ['none', { psk: '********' }, { psk: null }, { psk: null }],
    ['an empty one', { psk: 'te*****23' }, { psk: '' }, { psk: '' }],
    [
      'keys',
      { keys: ['****', '****'] },
      { keys: [env('key1'), env('key2')] },
      { keys: [{ secret: 'key1' }, { secret: 'key2' }] }
    ],
    [
      'a key and none',
      { keys: ['****', '****'] },
      { keys: [env('key1'), null] },
      { keys: [{ secret: 'key1' }, null] }
    ]
  ])('%s declared', (_, live, declared, expected) => {
    expect(revealed(laid('auth', live, declared))).toEqual(expected)
  })

  test('equal keys are sent by their own reference', () => {
    const after = laid('auth', { keys: ['key1'], key_idx: 1 }, { keys: [env('key1')], key_idx: 2 })
    expect(shown(after)).toEqual({ keys: [{ $env: 'WLAN_SECRET_PSK' }], key_idx: 2 })
  })
})

test('both sides are left unchanged', () => {
  const live = Object.freeze({ type: 'psk', keys: Object.freeze(['a']) })
  const declared = Object.freeze({ type: 'open', keys: Object.freeze([]) })
  expect(overlay(wlanField.member('auth'), live, declared)).toEqual({ type: 'open', keys: [] })
  expect(live).toEqual({ type: 'psk', keys: ['a'] })
})

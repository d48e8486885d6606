import { describe, expect, test } from 'vitest'
import { changedPointers, diff, inverse } from '../../../src/core/diff/diff.ts'
import type { PatchOperation } from '../../../src/core/model/plan.ts'
import type { ValueObject } from '../../../src/core/values/value.ts'
import { env, record, shown } from '../plan/support.ts'

/** Operations as `test path value`; a replaced one as a pair of operations. */
function patchOf(declared: ValueObject, live: object) {
  return shown(diff(declared, record(live)).patch)
}

const replaced = (path: string, before: unknown, value: unknown) => [
  { op: 'test', path, value: before },
  { op: 'replace', path, value }
]
const added = (path: string, value: unknown) => [{ op: 'add', path, value }]

describe('the patch', () => {
  test.each<[what: string, declared: ValueObject, live: object, patch: unknown[]]>([
    ['of nothing', {}, { a: 1 }, []],
    ['of equal fields', { vlan_id: 5, ssid: 'Corp' }, { vlan_id: '5' }, []],
    ['of a changed field', { dtim: 2 }, { dtim: 1 }, replaced('/dtim', 1, 2)],
    ['of an absent field', { dtim: 3 }, {}, added('/dtim', 3)],
    ['of an absent field and its default', { dtim: 2 }, {}, []],
    ['of a null field', { dtim: 3 }, { dtim: null }, replaced('/dtim', null, 3)],
    ['of a declared null', { dtim: null }, { dtim: 2 }, replaced('/dtim', 2, null)],
    [
      'of a nested member',
      { auth: { type: 'open' } },
      { auth: { type: 'psk', owe: 'x' } },
      replaced('/auth/type', 'psk', 'open')
    ],
    [
      'of an absent nested member',
      { auth: { type: 'psk' } },
      { auth: { owe: 'x' } },
      added('/auth/type', 'psk')
    ],
    ['of an absent object', { qos: { class: 'video' } }, {}, added('/qos', { class: 'video' })],
    ['of an empty object', { qos: { class: 'video' } }, { qos: {} }, added('/qos/class', 'video')],
    [
      'of an object that is none',
      { qos: { class: 'video' } },
      { qos: 'x' },
      replaced('/qos', 'x', { class: 'video' })
    ],
    [
      'of an object to be null',
      { qos: null },
      { qos: { class: 'video' } },
      replaced('/qos', { class: 'video' }, null)
    ],
    ['of an object without a declared member', { qos: {} }, { qos: { class: 'video' } }, []],
    [
      'of a list',
      { bands: ['24'] },
      { bands: ['24', '5'] },
      replaced('/bands', ['24', '5'], ['24'])
    ],
    [
      'of a map with free keys',
      { app_limit: { apps: { a: 1 } } },
      { app_limit: { apps: { a: 1, b: 2 } } },
      replaced('/app_limit/apps', { a: 1, b: 2 }, { a: 1 })
    ],
    [
      'of a list of objects',
      { auth_servers: [{ host: 'a', port: 2 }] },
      { auth_servers: [{ host: 'a', port: 1, x: 1 }] },
      replaced('/auth_servers', [{ host: 'a', port: 1, x: 1 }], [{ host: 'a', port: 2, x: 1 }])
    ],
    [
      'of unknown fields',
      { brand: { new: [1] } },
      { brand: { new: [2], old: 3 } },
      replaced('/brand/new', [2], [1])
    ],
    [
      'of names with ~ and /',
      { brand: { 'a/b~c': 1 } },
      { brand: { 'a/b~c': 2 } },
      replaced('/brand/a~1b~0c', 2, 1)
    ],
    [
      'of a name that is a number',
      { rateset: { 24: { ht: 'b' } } },
      { rateset: { 24: { ht: 'a' } } },
      replaced('/rateset/24/ht', 'a', 'b')
    ]
  ])('%s', (_, declared, live, patch) => {
    expect(patchOf(declared, live)).toEqual(patch)
  })

  test('is sorted by path, and a test precedes the operation that it guards', () => {
    const declared = { vlan_id: 2, auth: { type: 'open', owe: 'y' }, auth_server_selection: 'a' }
    const live = { vlan_id: 1, auth: { type: 'psk' }, auth_server_selection: 'b' }
    expect(diff(declared, record(live)).patch.map(({ op, path }) => `${op} ${path}`)).toEqual([
      'add /auth/owe',
      'test /auth/type',
      'replace /auth/type',
      'test /auth_server_selection',
      'replace /auth_server_selection',
      'test /vlan_id',
      'replace /vlan_id'
    ])
  })

  test('leaves both sides unchanged', () => {
    const live = record({ auth_servers: [{ host: 'a', port: 1 }], dtim: 1 })
    const before = JSON.stringify(live)
    const declared = { auth_servers: [{ host: 'a', port: 2 }], dtim: 2 }
    diff(declared, live)
    expect(JSON.stringify(live)).toBe(before)
    expect(declared).toEqual({ auth_servers: [{ host: 'a', port: 2 }], dtim: 2 })
  })
})

describe('a secret in the patch', () => {
  test('is its reference, without the former value', () => {
    const { patch, notCompared } = diff(
      { auth: { psk: env('hush-new') } },
      record({ auth: { psk: 'hush-old' } })
    )
    expect(shown(patch)).toEqual([
      { op: 'replace', path: '/auth/psk', value: { $env: 'WLAN_SECRET_PSK' } }
    ])
    expect(notCompared).toEqual([])
  })

  test('that is removed has no test', () => {
    expect(patchOf({ auth: { psk: null } }, { auth: { psk: 'hush-old' } })).toEqual([
      { op: 'replace', path: '/auth/psk', value: null }
    ])
  })

  test('in a list is a reference on both sides', () => {
    const declared = { auth_servers: [{ host: 'a', secret: env('hush-new', 'A') }] }
    const live = { auth_servers: [{ host: 'a', secret: 'hush-old', keywrap_kek: 'hush-kek' }] }
    const kek = { $live: true }
    expect(patchOf(declared, live)).toEqual(
      replaced(
        '/auth_servers',
        [{ host: 'a', secret: { $live: true }, keywrap_kek: kek }],
        [{ host: 'a', secret: { $env: 'WLAN_SECRET_A' }, keywrap_kek: kek }]
      )
    )
  })

  test.each([
    ['hidden', { psk: '********' }, env('hush')],
    ['partly hidden', { psk: 'te*****23' }, env('hush')],
    ['empty', { psk: '' }, env('hush')],
    ['absent', {}, env('hush')],
    ['without a value on our side', { psk: 'hush' }, env()]
  ])('that is %s is never a change by itself', (_, auth, psk) => {
    const { patch, notCompared } = diff({ auth: { psk } }, record({ auth }))
    expect(patch).toEqual([])
    expect(notCompared).toEqual(['/auth/psk'])
  })

  test('that could not be compared is listed with the others, sorted', () => {
    const declared = {
      portal: { password: env('x') },
      auth: { psk: env('x'), keys: [env('a'), env('b')] },
      dtim: 2
    }
    const live = record({ auth: { psk: '***', keys: ['****', 'a'] }, dtim: 1 })
    const { patch, notCompared } = diff(declared, live)
    const paths = ['/auth/keys', '/auth/keys', '/dtim', '/dtim', '/portal']
    expect(patch.map(({ path }) => path)).toEqual(paths)
    expect(notCompared).toEqual(['/auth/keys/0', '/auth/psk'])
  })
})

describe('names of prototype members', () => {
  test.each(['constructor', 'toString', 'hasOwnProperty', 'toJSON'])(
    '%s is compared as data',
    name => {
      const declared = { brand: { [name]: 1 } }
      expect(patchOf(declared, { brand: {} })).toEqual(added(`/brand/${name}`, 1))
      expect(patchOf(declared, { brand: { [name]: 1 } })).toEqual([])
      expect(patchOf(declared, { brand: { [name]: 2 } })).toEqual(replaced(`/brand/${name}`, 2, 1))
    }
  )

  test('`__proto__` of a live record is ignored', () => {
    const live = record(
      JSON.parse('{"__proto__": {"dtim": 3}, "qos": {"__proto__": {"class": "a"}}}')
    )
    expect(shown(diff({ dtim: 3, qos: { class: 'a' } }, live).patch)).toEqual([
      ...added('/dtim', 3),
      ...added('/qos/class', 'a')
    ])
  })
})

describe('the inverse patch', () => {
  test.each<[patch: PatchOperation[], inverse: PatchOperation[]]>([
    [[], []],
    [added('/a', 1) as PatchOperation[], [{ op: 'remove', path: '/a' }]],
    [replaced('/a', 1, 2) as PatchOperation[], replaced('/a', 2, 1) as PatchOperation[]],
    [[{ op: 'replace', path: '/auth/psk', value: env('x') }], []]
  ])('of %j is %j', (patch, expected) => {
    expect(inverse(patch)).toEqual(expected)
  })

  test('applied twice is the patch of the replacements', () => {
    const patch = replaced('/a', 1, 2) as PatchOperation[]
    expect(inverse(inverse(patch))).toEqual(patch)
  })
})

describe('the changed paths', () => {
  test.each<[what: string, expected: object, found: object, pointers: string[]]>([
    ['nothing', { a: 1 }, { a: 1 }, []],
    ['an unknown field', { a: 1 }, { a: 2 }, ['/a']],
    ['a new field', {}, { a: 2 }, ['/a']],
    ['a removed field', { a: 1 }, {}, ['/a']],
    [
      'a nested field',
      { qos: { class: 'a', x: 1 } },
      { qos: { class: 'b', x: 1 } },
      ['/qos/class']
    ],
    ['a member of a new object', {}, { qos: { class: 'b' } }, ['/qos']],
    [
      'the members of a removed object',
      { qos: { class: 'b', overwrite: true } },
      {},
      ['/qos/class', '/qos/overwrite']
    ],
    ['a list', { bands: ['5'] }, { bands: ['5', '6'] }, ['/bands']],
    [
      'an undeclared member of a list of objects',
      { auth_servers: [{ host: 'a' }] },
      { auth_servers: [{ host: 'a', x: 1 }] },
      ['/auth_servers']
    ],
    [
      'a removed member of a list of objects',
      { auth_servers: [{ host: 'a', x: 1 }] },
      { auth_servers: [{ host: 'a' }] },
      ['/auth_servers']
    ],
    [
      'a member of a map with free keys',
      { app_limit: { apps: { a: 1 } } },
      { app_limit: { apps: { a: 1, b: 2 } } },
      ['/app_limit/apps']
    ],
    ['a secret', { auth: { psk: 'old' } }, { auth: { psk: 'new' } }, ['/auth/psk']],
    [
      'a value that the older name of the field contradicts',
      { band: '5' },
      { band: '5', bands: ['24', '5', '6'] },
      ['/bands']
    ],
    ['an object that became a text', { qos: { class: 'a' } }, { qos: 'a' }, ['/qos']],
    [
      'several, sorted',
      { b: 1, a: { z: 1, y: 1 } },
      { b: 2, a: { z: 2, y: 2 } },
      ['/a/y', '/a/z', '/b']
    ]
  ])('include %s', (_, expected, found, pointers) => {
    expect(changedPointers(record(expected), record(found))).toEqual(pointers)
  })

  test.each<[what: string, expected: object, found: object]>([
    [
      'times and other read-only fields',
      { modified_time: 1, thumbnail: 'a' },
      { modified_time: 2 }
    ],
    [
      'equivalent notations',
      { vlan_id: 5, bands: ['5', '24'], vlan_ids: '1,2' },
      { vlan_id: '5', bands: ['24', '5'], vlan_ids: ['1', '2'] }
    ],
    ['an object of nulls', { qos: { class: null } }, {}],
    ['a default', { portal: { expire: 1440 } }, { dtim: 2, schedule: { enabled: false } }],
    ['a default that goes', { dtim: 2, schedule: { enabled: false } }, { portal: {} }],
    ['other empty values', { qos: {}, a: null, b: [] }, { a: '', c: [] }],
    ['a newly masked secret', { auth: { psk: 'old' } }, { auth: { psk: '****' } }]
  ])('exclude %s', (_, expected, found) => {
    expect(changedPointers(record(expected), record(found))).toEqual([])
  })
})

import { describe, expect, test } from 'vitest'
import { changedPointers, diff, inverse } from '../../../src/core/diff/diff.ts'
import type { Value, ValueObject } from '../../../src/core/values/value.ts'
import { env, record, shown } from '../plan/support.ts'
import { readTable } from '../table.ts'

/** The path of the changed field, its value before, unless it is absent, and the one after. */
type Changed = readonly [path?: string, before?: Value, after?: Value]

const table: {
  readonly patch: readonly [what: string, declared: ValueObject, live: object, field: Changed][]
  readonly changed: readonly [what: string, expected: object, found: object, paths: string[]][]
} = readTable('diff.txt', import.meta.url)

function patchOf(declared: ValueObject, live: object) {
  return shown(diff(declared, record(live)).patch)
}

const replaced = (path: string, before: unknown, value: unknown) => [
  { op: 'test', path, value: before },
  { op: 'replace', path, value }
]
const added = (path: string, value: unknown) => [{ op: 'add', path, value }]

describe('the patch', () => {
  test.each(table.patch)('%s', (_, declared, live, [path, ...values]) => {
    const [before, after] = values
    const operations =
      values.length === 1 ? added(path ?? '', before) : replaced(path ?? '', before, after)
    expect(patchOf(declared, live)).toEqual(path === undefined ? [] : operations)
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

test('the inverse patch undoes what the patch did, except to secrets', () => {
  const secret = { op: 'replace', path: '/auth/psk', value: env('x') } as const
  const patch = [{ op: 'add', path: '/a', value: 1 }, ...replaced('/b', 1, 2), secret]
  expect(inverse(patch as Parameters<typeof inverse>[0])).toEqual([
    { op: 'remove', path: '/a' },
    ...replaced('/b', 2, 1)
  ])
})

test.each(table.changed)('the changed paths: %s', (_, expected, found, paths) => {
  expect(changedPointers(record(expected), record(found))).toEqual(paths)
})

import { describe, expect, test } from 'vitest'
import { Secret } from '../../../src/core/values/secret.ts'
import {
  canonical,
  isObject,
  mapValue,
  member,
  removeAt,
  type ValueObject
} from '../../../src/core/values/value.ts'

describe('values', () => {
  test.each(['a', 'constructor', 'toString', '__proto__'])('member reads only an own %s', name => {
    expect(member({}, name)).toBeUndefined()
    expect(member(JSON.parse(`{"${name}":{"b":1}}`) as ValueObject, name)).toEqual({ b: 1 })
  })

  test('removeAt removes the objects that become empty, too', () => {
    expect(removeAt({ a: { b: { c: 1 } }, d: 1 }, '/a/b/c')).toEqual({ d: 1 })
    expect(removeAt({ a: { b: 1, c: {} } }, '/a/b')).toEqual({ a: { c: {} } })
    expect(removeAt({ a: 1 }, '/a/b')).toEqual({})
    expect(removeAt({ a: 1 }, '/x')).toEqual({ a: 1 })
  })

  test('mapValue replaces from the top down', () => {
    const secret = new Secret({ $env: 'X' }, 'x')
    const value = { a: [secret, { b: secret }], c: 1, ['__proto__']: null }
    const mapped = mapValue(value, each => (each instanceof Secret ? 'masked' : undefined))
    expect(mapped).toEqual({ a: ['masked', { b: 'masked' }], c: 1, ['__proto__']: null })
    const renamed = mapValue([{ a: 1 }], each => (isObject(each) ? { b: each } : undefined))
    expect(renamed).toEqual([{ b: { a: 1 } }])
  })

  test('mapValue copies no part without a replacement, and keeps a member `__proto__`', () => {
    const same = { a: [1, { b: null }] }
    expect(mapValue(same, () => undefined)).toBe(same)
    const value = { same, ['__proto__']: new Secret({ $env: 'X' }, 'x') }
    const mapped = mapValue(value, each => (each instanceof Secret ? { polluted: 1 } : undefined))
    expect(Object.entries(mapped as object)).toEqual([
      ['same', same],
      ['__proto__', { polluted: 1 }]
    ])
    expect(mapped).not.toHaveProperty('polluted')
    expect((mapped as typeof value).same).toBe(same)
    expect(Object.values(value)[1]).toBeInstanceOf(Secret)
  })

  test('canonical returns a sorted value itself', () => {
    const sorted = { a: [{ b: 1, c: 2 }], d: 1 }
    expect(canonical(sorted)).toBe(sorted)
    expect(JSON.stringify(canonical({ b: 1, a: { d: 1, c: [] } }))).toBe(
      '{"a":{"c":[],"d":1},"b":1}'
    )
  })
})

import { describe, expect, test } from 'vitest'
import { Secret } from '../../src/model/secret.ts'
import {
  canonical,
  mapValue,
  member,
  removeAt,
  setAll,
  type ValueObject
} from '../../src/model/value.ts'

describe('values', () => {
  test.each(['a', 'constructor', 'toString', '__proto__'])('member reads only an own %s', name => {
    expect(member({}, name)).toBeUndefined()
    expect(member(JSON.parse(`{"${name}":{"b":1}}`) as ValueObject, name)).toEqual({ b: 1 })
  })

  test('setAll creates missing objects, and changes nothing in place', () => {
    const before = { a: { b: 1 }, c: [1] }
    expect(setAll(before, [[['a', 'd', 'e'], 2]])).toEqual({ a: { b: 1, d: { e: 2 } }, c: [1] })
    expect(setAll(before, [[['c'], null]])).toEqual({ a: { b: 1 }, c: null })
    expect(before).toEqual({ a: { b: 1 }, c: [1] })
    expect(Object.hasOwn(setAll({}, [[['__proto__'], 1]]), '__proto__')).toBe(true)
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
    expect(mapValue([{ a: 1 }], each => (each === 1 ? 2 : undefined))).toEqual([{ a: 2 }])
  })

  test('canonical returns a sorted value itself', () => {
    const sorted = { a: [{ b: 1, c: 2 }], d: 1 }
    expect(canonical(sorted)).toBe(sorted)
    expect(JSON.stringify(canonical({ b: 1, a: { d: 1, c: [] } }))).toBe(
      '{"a":{"c":[],"d":1},"b":1}'
    )
  })
})

import { describe, expect, test } from 'vitest'
import { compact, groupBy, sortBy } from '../../../src/core/values/collections.ts'

describe('collections', () => {
  test('sortBy orders by code unit, then by the next key', () => {
    const items = ['b1', 'a2', 'B1', 'a1', 'ä1']
    const sorted = sortBy(
      items,
      item => item.slice(0, -1),
      item => item.slice(-1)
    )
    expect(sorted).toEqual(['B1', 'a1', 'a2', 'b1', 'ä1'])
    expect(items[0]).toBe('b1')
  })

  test('groupBy keeps the order of keys and items', () => {
    expect([...groupBy(['b1', 'a1', 'b2'], item => item[0])]).toEqual([
      ['b', ['b1', 'b2']],
      ['a', ['a1']]
    ])
  })

  test('compact removes members that are undefined', () => {
    const object = compact({ a: undefined, b: null, c: 0, d: '' })
    expect(Object.keys(object)).toEqual(['b', 'c', 'd'])
  })
})

import { describe, expect, test } from 'vitest'
import {
  append,
  compact,
  groupBy,
  highest,
  lowest,
  sortBy
} from '../../../src/core/values/collections.ts'

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

test('append, lowest and highest take lists of any length', () => {
  const many = Array.from({ length: 200_000 }, (_, nth) => nth)
  const list = [-1]
  append(list, many)
  expect(list).toHaveLength(200_001)
  expect([lowest(list), highest(list)]).toEqual([-1, 199_999])
  expect([lowest([]), highest([])]).toEqual([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])
})

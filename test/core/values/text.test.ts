import { describe, expect, test } from 'vitest'
import {
  applyEdits,
  formatNumber,
  listFirst,
  plural,
  quote,
  truncate
} from '../../../src/core/values/text.ts'

describe('text', () => {
  test('plural uses the singular for 1', () => {
    expect([0, 1, 2].map(n => plural(n, 'change'))).toEqual(['0 changes', '1 change', '2 changes'])
    expect(plural(10_000, 'WLAN')).toBe('10,000 WLANs')
  })

  test('formatNumber separates thousands', () => {
    expect([7, 999, 1200, '1234567'].map(formatNumber)).toEqual(['7', '999', '1,200', '1,234,567'])
  })

  test('listFirst counts what it omits', () => {
    expect(listFirst(['a', 'b', 'c'], 3)).toBe('a, b, c')
    expect(listFirst(['a', 'b', 'c'], 2)).toBe('a, b and 1 more')
    expect(listFirst(new Array<string>(1201).fill('a'), 1, 'sites')).toBe('a and 1,200 more sites')
  })

  test('truncate keeps characters intact', () => {
    expect(truncate('abc', 3)).toBe('abc')
    expect(truncate('abcd', 3)).toBe('abc…')
    expect(truncate('ab😀d', 3)).toBe('ab…')
  })

  test('quote puts the ellipsis after the quotes', () => {
    expect(quote('a"b')).toBe('"a\\"b"')
    expect(quote('abcd', 3)).toBe('"abc"…')
    expect(quote('ab😀d', 3)).toBe('"ab"…')
  })

  test('applyEdits replaces each range and keeps the rest', () => {
    const edits = [
      { start: 4, end: 4, text: '!' },
      { start: 0, end: 1, text: 'X' }
    ]
    expect(applyEdits('abcd', edits)).toBe('Xbcd!')
    expect(() => applyEdits('abcd', [...edits, { start: 0, end: 2, text: '' }])).toThrow('overlap')
  })
})

import { describe, expect, it } from 'vitest'
import { formatTable, widest, wrap } from '../../src/report/layout.ts'

describe('wrap', () => {
  it.each([
    [[], 10, []],
    [['a', 'b'], 10, ['a, b']],
    [['aaaa', 'bbbb', 'cccc'], 10, ['aaaa,', 'bbbb, cccc']],
    [['aaaa', 'bbbb', 'cccc'], 11, ['aaaa, bbbb,', 'cccc']],
    [['a-piece-too-long', 'b'], 4, ['a-piece-too-long,', 'b']],
    [['a', ''], 10, ['a, ']]
  ])('wraps %j on lines of %i', (pieces, width, lines) => {
    expect(wrap(pieces, ', ', width)).toEqual(lines)
  })
})

it('the widest string is found', () => {
  expect(widest([])).toBe(0)
  expect(widest(['a', 'bcd', 'ef'])).toBe(3)
})

it('every column except the last is padded', () => {
  expect(formatTable(['a', 'bb'], ['ccc', 'd'], ['e', ''])).toEqual(['  a   ccc  e', '  bb  d    '])
  expect(formatTable([])).toEqual([])
})

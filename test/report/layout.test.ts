import { describe, expect, it } from 'vitest'
import { formatTable, widest, wrap, wrapLines, wrapText } from '../../src/report/layout.ts'

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
  expect(
    formatTable([
      ['a', 'ccc', 'e'],
      ['bb', 'd', '']
    ])
  ).toEqual(['  a   ccc  e', '  bb  d    '])
  expect(formatTable([])).toEqual([])
})

describe('a text is wrapped', () => {
  it.each([
    ['one two three', 9, '', '', ['one two', 'three']],
    ['one two three', 12, '- ', '  ', ['- one two', '  three']],
    ['averyverylongword b', 8, '', '', ['averyverylongword', 'b']],
    ['日本 語の site', 8, '', '', ['日本', '語の', 'site']],
    ['one two', Number.POSITIVE_INFINITY, '> ', '  ', ['> one two']]
  ])('%j in %d columns', (text, width, first, indent, lines) => {
    expect(wrapText(text, width, first, indent)).toEqual(lines)
  })
})

describe('lines are wrapped', () => {
  it.each([
    ['one two\nthree', 80, 'one two\nthree'],
    ['a\n  one two three\nb', 12, 'a\n  one two\n    three\nb'],
    ['one two three four', 9, 'one two\n  three\n  four'],
    ['  averyverylongword b', 8, '  averyverylongword\n    b'],
    ['', 8, '']
  ])('%j in %d columns', (text, width, expected) => {
    expect(wrapLines(text, width)).toBe(expected)
  })
})

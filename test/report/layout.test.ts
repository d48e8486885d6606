import { describe, expect, it } from 'vitest'
import { formatTable, widest, wrapLines, wrapText } from '../../src/report/layout.ts'

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

import { describe, expect, it } from 'vitest'
import { formatTable, widest, wrapLines, wrapText } from '../../src/report/layout.ts'

it('the widest string is found', () => {
  expect(widest([])).toBe(0)
  expect(widest(['a', 'bcd', 'ef'])).toBe(3)
})

it('every column except the last is padded', () => {
  expect(
    formatTable(
      [
        ['a', 'ccc', 'e'],
        ['bb', 'd', '']
      ],
      80
    )
  ).toEqual(['  a   ccc  e', '  bb  d'])
  expect(formatTable([], 80)).toEqual([])
})

describe('a table', () => {
  const rule = ['open-without-isolation', 'anyone who joins reaches every other client']
  it.each([
    [80, [`  ${rule.join('  ')}`]],
    [
      50,
      [
        '  open-without-isolation  anyone who joins reaches',
        '                          every other client'
      ]
    ],
    // A column that broke its longest word, or that is narrower than 16 columns, is unreadable.
    [40, ['  open-without-isolation', '    anyone who joins reaches every', '      other client']]
  ])('of %d columns breaks no word', (width, lines) => {
    expect(formatTable([rule], width)).toEqual(lines)
  })

  it('aligns wide characters', () => {
    const rows = [
      ['日本支店', '📶', 'Corp'],
      ['hq', '-', 'Corp']
    ]
    expect(formatTable(rows, 80)).toEqual(['  日本支店  📶  Corp', '  hq        -   Corp'])
  })

  it('does not widen a column for a cell of more than 80 columns', () => {
    const long = 'x'.repeat(81)
    expect(
      formatTable(
        [
          [long, 'b'],
          ['a', 'b']
        ],
        Number.POSITIVE_INFINITY
      )
    ).toEqual([`  ${long}  b`, '  a  b'])
  })
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

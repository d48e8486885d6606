import { describe, expect, it } from 'vitest'
import { csv } from '../../src/report/data/csv.ts'

describe('csv', () => {
  it.each([
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    ['tab\t=1', '"tab\t=1"'],
    ['a;=1', '"a;=1"'],
    ['\t=1', `"'\t=1"`],
    ['＝1', "'＝1"],
    [' blank', '" blank"'],
    ['=cmd|"/c calc"!A1', '"\'=cmd|""/c calc""!A1"'],
    ['-1', "'-1"],
    ['+49', "'+49"],
    ['@sum', "'@sum"],
    [' =1', "' =1"],
    ['', '']
  ])('%j', (text, expected) => {
    expect(csv([[text, 'x']])).toBe(`${expected},x\r\n`)
  })
})

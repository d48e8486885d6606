import { describe, expect, it, test } from 'vitest'
import { fitsGlob } from '../../src/model/glob.ts'

describe('fitsGlob', () => {
  test.each<[text: string, glob: string, fits: boolean]>([
    ['hq', 'hq', true],
    ['hq', 'HQ', false],
    ['hq', 'h', false],
    ['hq', '', false],
    ['', '', true],
    ['', '*', true],
    ['hq', '*', true],
    ['hq/guest', '*', true],
    ['hq/guest', 'hq/*', true],
    ['hq/guest', '*guest', true],
    ['hq/guest', '*/g*t', true],
    ['hq/guest', '*/g*x', false],
    ['hq', '?q', true],
    ['hq', '??', true],
    ['hq', '???', false],
    ['q', '?*', true],
    ['', '?', false],
    ['Café ☕', 'Caf? ?', true],
    ['😀', '?', true],
    ['aab', '*ab', true],
    ['abab', '*ab', true],
    ['a.c', 'a.c', true],
    ['abc', 'a.c', false],
    ['[a]', '[a]', true],
    ['a', '[a]', false],
    ['a+', '(a+)+$', false]
  ])('%j fits %j: %j', (text, glob, fits) => {
    expect(fitsGlob(text, glob)).toBe(fits)
  })

  it('ends, whatever the pattern', () => {
    expect(fitsGlob('a'.repeat(5000), `${'*a'.repeat(1000)}b`)).toBe(false)
  })
})

import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { matchesGlob, matchesGlobs } from '../../../src/core/values/glob.ts'
import { anyCharacter } from '../../support/properties.ts'

describe('matchesGlob', () => {
  test.each<[text: string, glob: string, fits: boolean]>([
    ['hq', 'hq', true],
    ['hq', 'HQ', false],
    ['hq', 'h', false],
    ['hq', '', false],
    ['', '', true],
    ['', '*', true],
    ['hq', '*', true],
    ['hq/guest', 'hq/*', true],
    ['hq/guest', '*guest', true],
    ['hq/guest', '*/g*t', true],
    ['hq/guest', '*/g*x', false],
    ['hq', '?q', true],
    ['hq', '???', false],
    ['q', '?*', true],
    ['', '?', false],
    ['Café ☕', 'Caf? ?', true],
    ['😀', '?', true],
    ['abab', '*ab', true],
    ['a.c', 'a.c', true],
    ['abc', 'a.c', false],
    ['[a]', '[a]', true],
    ['a', '[a]', true],
    ['store-2', 'store-[1-3]', true],
    ['store-4', 'store-[1-3]', false],
    ['store-4', 'store-[!1-3]', true],
    ['store-2', 'store-[^1-3]', false],
    ['a]', 'a[]]', true],
    ['.', '[.]', true],
    ['😀', '[😀-😂]', true],
    ['é', '[[:alpha:]]', false],
    ['e', '[[:alpha:]]', true],
    ['[a', '[a', true],
    ['a', '[z-a]', false],
    ['lab', '{lab,hq}', true],
    ['hq', '{lab,hq}', true],
    ['x', '{lab,hq}', false],
    ['lab-1', '{lab,hq}-*', true],
    ['a-c-e', 'a-{b,c}-{d,e}', true],
    ['abd', 'a{b,{c,b}}d', true],
    ['bx', '{a*,b*}x', true],
    ['', '{a,}', true],
    ['{a}', '{a}', true],
    ['{a,b', '{a,b', true],
    ['{a,b}', '{a,b}', true],
    ['*', '\\*', true],
    ['a', '\\*', false],
    ['{a,b}', '\\{a,b}', true],
    ['a,b', '{a\\,b,c}', true],
    ['{', '{\\{,x}', true],
    ['{a,b}', '{a\\,b}', true],
    ['.hidden/a b', '*', true],
    ['a', './a', false],
    ['b', '+(a|b)', false],
    ['ab', '@(ab|c)', false],
    ['!a', '!a', true],
    ['a+', '(a+)+$', false]
  ])('%j matches %j: %j', (text, glob, fits) => {
    expect(matchesGlob(text, glob)).toBe(fits)
  })

  it.each([
    ['stars', `${'*a'.repeat(490)}b`],
    ['classes', `${'*[a-z]'.repeat(150)}b`],
    ['braces', `${'{a*,*a}'.repeat(6)}b`],
    ['too many alternatives', '{a,b}'.repeat(100)],
    ['deep braces', `${'{a,'.repeat(200)}b${'}'.repeat(200)}`],
    ['open braces', '{,'.repeat(499)],
    ['open brackets', '['.repeat(1000)],
    ['brackets and backslashes', '[\\'.repeat(499)],
    ['a long one', 'a'.repeat(100_000)]
  ])('ends for any pattern: %s', (_, glob) => {
    expect(matchesGlob('a'.repeat(2000), glob)).toBe(false)
  })

  it('matches any text by the escaped text, or with a star', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 20 }), fc.nat(20), (text, cut) => {
        const escaped = text.replaceAll(/[\\*?[{]/g, '\\$&')
        expect(matchesGlob(text, text)).toBe(true)
        expect(matchesGlob(text, escaped)).toBe(true)
        expect(matchesGlob(text, `{${escaped.replaceAll(/[,}]/g, '\\$&')},x}`)).toBe(true)
        const start = [...text]
          .slice(0, cut)
          .join('')
          .replaceAll(/[\\*?[{]/g, '\\$&')
        expect(matchesGlob(text, `${start}*`)).toBe(true)
      })
    )
  })
})

describe('matchesGlobs', () => {
  test.each<[text: string, globs: readonly string[], fits: boolean]>([
    ['hq', [], true],
    ['hq', ['lab', 'h*'], true],
    ['hq', ['!lab*'], true],
    ['lab-1', ['!lab*'], false],
    ['lab-1', ['lab*', '!lab-[12]'], false],
    ['lab-3', ['lab*', '!lab-[12]'], true],
    ['lab-3', ['lab*', '!{lab-3,x}', '!y'], false],
    ['!a', ['\\!a'], true]
  ])('%j match %j: %j', (text, globs, fits) => {
    expect(matchesGlobs(globs, glob => matchesGlob(text, glob))).toBe(fits)
  })
})

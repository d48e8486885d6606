import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { isMask, mayBeMask, Secret } from '../../../src/core/values/secret.ts'
import { readTable } from '../table.ts'

const { masks, doubtful, secrets } = readTable<Record<'masks' | 'doubtful' | 'secrets', string[]>>(
  'secret.txt',
  import.meta.url
)

/** The rules for masks, without the prefilter of `isMask`. */
function isMaskUnfiltered(value: string): boolean {
  const text = value.trim()
  const words = /^[<[({*_#•-]{1,8}\s?\p{L}[\p{L}\s'’.:…_-]*?[>\])}*_#•-]{1,8}$/u
  const isPlaceholder = /^\{\{ ?\w+ ?\}\}$/.test(text)
    ? /^..\s?(?:redacted|masked|hidden|filtered)\s?..$/i.test(text)
    : /^redacted$/i.test(text) || (words.test(text) && !/^[*_#•-]\s?\p{L}/u.test(text))
  const symbols = /^([^\p{L}\p{M}\p{N}\p{C}\p{ASCII}])\1*$/u
  const solid = value.replace(/\s+/g, '')
  return (
    /^\*+$/.test(solid) ||
    value.includes('****') ||
    symbols.test(solid) ||
    /([^\p{L}\p{M}\p{N}\p{C}\p{ASCII}])\1{3}/u.test(value) ||
    isPlaceholder
  )
}

test('a secret that a snapshot redacted exists, unlike one that the service hides', () => {
  expect(Secret.redacted()).toMatchObject({ known: false, certain: true, hidden: false })
})

describe('a mask', () => {
  test.each(masks)('matches %j', value => {
    expect(isMask(value)).toBe(true)
    const live = Secret.live(value)
    expect(live).toMatchObject({ known: false, hidden: true })
    expect(() => live.reveal()).toThrow('cannot be revealed')
  })

  test.each(doubtful)('may be %j: a live one is unknown', value => {
    expect(isMask(value)).toBe(false)
    expect(mayBeMask(value)).toBe(true)
    expect(Secret.live(value)).toMatchObject({ known: false, hidden: true })
  })

  test.each(secrets)('does not match %j', value => {
    expect(isMask(value)).toBe(false)
    expect(mayBeMask(value)).toBe(false)
    expect(Secret.live(value).reveal()).toBe(value)
  })

  it('contains asterisks, redaction words and their delimiters only', () => {
    const printable = fc.string({ unit: 'grapheme-ascii', minLength: 8, maxLength: 63 })
    const psk = printable.filter(value => !/\*|^[<[({_#-]|^redacted$/i.test(value.trim()))
    fc.assert(fc.property(psk, value => !isMask(value)))
  })

  it('is found in a text that the prefilter passes only', () => {
    const blank = fc.constantFrom('', ' ', '\t', '\n', '\u00a0', '\u2003', '\ufeff')
    const mark = fc.constantFrom(...'<[({*_#•->])}', '**', '__', '{{', '}}')
    const word = fc.mixedCase(
      fc.constantFrom('redacted', 'hidden', 'secret', 'not shown', 'psk is set', 'ſecret', 'masKed')
    )
    const part = fc.oneof(blank, mark, word, fc.constantFrom(...masks), fc.string({ maxLength: 4 }))
    const texts = fc.oneof(
      fc.array(part, { maxLength: 5 }).map(parts => parts.join('')),
      fc.tuple(blank, mark, word, mark, blank).map(parts => parts.join(''))
    )
    fc.assert(fc.property(texts, value => isMask(value) === isMaskUnfiltered(value)))
  })

  it('is found in a long text in one pass', () => {
    for (const unit of ['*a', '•a', '<', '[ ', '_', ' '])
      expect(isMask(unit.repeat(500_000))).toBe(false)
    for (const unit of ['*a', '•a', 'xxxy', 'ab', '...x'])
      expect(mayBeMask(unit.repeat(500_000))).toBe(false)
  })
})

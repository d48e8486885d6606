import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { isMasked, Secret } from '../../src/model/secret.ts'

/** Masks of services. */
const masks = [
  '*',
  '********',
  '* * * *',
  'te*****23',
  '••••••••',
  '●●●●',
  '· · · ·',
  '∗∗∗∗∗∗',
  '▪▪▪▪▪▪▪▪',
  '██████',
  '…',
  'te••••••23',
  '<hidden>',
  '<HIDDEN>',
  '[redacted]',
  '[REDACTED]',
  '(secret)',
  '(not shown)',
  '<value not shown>',
  '***hidden***',
  '__REDACTED__',
  '<encrypted>',
  '<removed>',
  'REDACTED',
  ' <hidden>\n'
]

const secrets = [
  'correct-horse-battery',
  'xxxxxxxx',
  'XXXX',
  '--------',
  '########',
  '........',
  'password',
  'hidden',
  'secret',
  'redacted-2026',
  'te***23',
  'a*b*c*d*e',
  '{{password}}',
  '{{ secret }}',
  '<hidden',
  'пароль',
  'ооооооо',
  '密密密密密密密密',
  'ëëëëëëëë',
  '📶📷📶📷',
  ''
]

/** The rules for masks, without the prefilter of `isMasked`. */
function isMaskedUnfiltered(value: string): boolean {
  const marker =
    /^(?:redacted|[<[(*_#•-]{1,8}\s?(?:redacted|masked|hidden|secret|removed|omitted|withheld|suppressed|concealed|obfuscated|encrypted|protected|not[ _-]?(?:shown|displayed|available)|(?:value|password|psk|key|secret|passphrase)[ _-](?:is[ _-])?(?:redacted|masked|hidden|set|not[ _-]shown))\s?[>\])*_#•-]{1,8})$/i
  const symbols = /^([^\p{L}\p{M}\p{N}\p{C}\p{ASCII}])\1*$/u
  const solid = value.replace(/\s+/g, '')
  return (
    /^\*+$/.test(solid) ||
    value.includes('****') ||
    symbols.test(solid) ||
    /([^\p{L}\p{M}\p{N}\p{C}\p{ASCII}])\1{3}/u.test(value) ||
    marker.test(value.trim())
  )
}

describe('a mask', () => {
  test.each(masks)('matches %j', value => {
    expect(isMasked(value)).toBe(true)
    const live = Secret.live(value)
    expect(live).toMatchObject({ known: false, hidden: true })
    expect(() => live.reveal()).toThrow('cannot be revealed')
  })

  test.each(secrets)('does not match %j', value => {
    expect(isMasked(value)).toBe(false)
    expect(Secret.live(value).reveal()).toBe(value)
  })

  it('contains asterisks, redaction words and their delimiters only', () => {
    const printable = fc.string({ unit: 'grapheme-ascii', minLength: 8, maxLength: 63 })
    const psk = printable.filter(value => !/\*|^[<[(_#-]|^redacted$/i.test(value.trim()))
    fc.assert(fc.property(psk, value => !isMasked(value)))
  })

  it('is found in a text that the prefilter passes only', () => {
    const blank = fc.constantFrom('', ' ', '\t', '\n', '\u00a0', '\u2003', '\ufeff')
    const mark = fc.constantFrom(...'<[(*_#•->])', '**', '__')
    const word = fc.mixedCase(
      fc.constantFrom('redacted', 'hidden', 'secret', 'not shown', 'psk is set', 'ſecret', 'masKed')
    )
    const part = fc.oneof(blank, mark, word, fc.constantFrom(...masks), fc.string({ maxLength: 4 }))
    const texts = fc.oneof(
      fc.array(part, { maxLength: 5 }).map(parts => parts.join('')),
      fc.tuple(blank, mark, word, mark, blank).map(parts => parts.join(''))
    )
    fc.assert(fc.property(texts, value => isMasked(value) === isMaskedUnfiltered(value)))
  })

  it('is found in a long text in one pass', () => {
    for (const unit of ['*a', '•a', '<', '[ ', '_', ' '])
      expect(isMasked(unit.repeat(500_000))).toBe(false)
  })
})

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

  it('is found in a long text in one pass', () => {
    for (const unit of ['*a', '•a', '<', '[ ', '_', ' '])
      expect(isMasked(unit.repeat(500_000))).toBe(false)
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Redactor } from '../../src/service/redactor.ts'
import { anyCharacter, runs } from '../support/properties.ts'

function redactor(secrets: Iterable<string>): Redactor {
  const known = new Redactor()
  for (const secret of secrets) known.addSecret(secret)
  return known
}

function redacted(text: string, ...secrets: readonly string[]): string {
  return redactor(secrets).redact(text)
}

const base64 = (value: string) => Buffer.from(value).toString('base64')

/** The forms in which a secret is found. */
const forms: Readonly<Record<string, (value: string) => string>> = {
  'as it is': value => value,
  'in JSON': value => JSON.stringify(value).slice(1, -1),
  'in a URL': value => encodeURIComponent(value.replace(/\p{Cs}/gu, '\ufffd')),
  'in base64': base64,
  'in base64, unpadded': value => base64(value).replace(/=+$/, '')
}

describe('a secret in a text', () => {
  const secret = 'a "b"/ü\\'

  test.each<[text: string, secrets: readonly string[], shown: string]>([
    [`it is ${secret}.`, [secret], 'it is (secret).'],
    ['{"psk":"a \\"b\\"/ü\\\\"}', [secret], '{"psk":"(secret)"}'],
    ['?psk=a%20%22b%22%2F%C3%BC%5C&x', [secret], '?psk=(secret)&x'],
    [`Basic ${base64(secret)}`, [secret], `Basic (secret)`],
    [`unpadded ${base64('sesame-1').replaceAll('=', '')}`, ['sesame-1'], 'unpadded (secret)'],
    ['sesame-open and sesame', ['sesame', 'sesame-open'], '(secret) and (secret)'],
    ['a sesame-opens', ['sesame-o', 'me-open'], 'a (secret)s'],
    ['sesamesesame', ['sesame'], '(secret)'],
    ['two\n lines', ['two\n lines'], '(secret)'],
    ['(.*)+$1 and $&', ['(.*)+$1'], '(secret) and $&'],
    ['key 📶📶 and 📷', ['📶📶'], 'key (secret) and 📷'],
    ['lone \ud800 half', ['lone \ud800'], '(secret) half'],
    ['SESAME, sesam and esame', ['sesame'], 'SESAME, sesam and esame'],
    [
      'portal.privacy: None, not portal-99',
      ['portal', 'priv'],
      'portal.privacy: None, not (secret)-99'
    ],
    [
      'auth_servers[0].port: "port-1812" and "xport"',
      ['port'],
      'auth_servers[0].port: "(secret)-1812" and "x(secret)"'
    ],
    ['ssid: ok', ['ssi', 'id'], 'ssid: ok'],
    ['ssid: identical', ['ssi', 'id'], '(redacted: it contains a secret)'],
    ['portal.privacy', ['portal.p'], '(secret)rivacy'],
    ['nothing', [''], 'nothing'],
    ['nothing', [], 'nothing'],
    ['a text without', ['zq'], 'a text without'],
    ['invalid a', ['a'], '(redacted: it contains a secret)']
  ])('%j is redacted', (text, secrets, shown) => {
    expect(redacted(text, ...secrets)).toBe(shown)
  })

  test('is redacted where a long text is truncated, whatever follows', () => {
    const long = `${'x'.repeat(2040)}correct-horse-battery-staple`
    expect(redacted(long, 'correct-horse-battery-staple')).toBe(`${'x'.repeat(2040)}(secret)…`)
    expect(redacted(long)).toBe(`${long.slice(0, 2048)}…`)
  })

  test('is redacted with the rest of the text if it is longer than the searched forms', () => {
    const long = 'long-'.repeat(1000)
    expect(redacted(`was ${long} and more`, long)).toBe('was (secret)…')
    expect(redacted(`was ${long.slice(0, 500)}`, long)).toBe(`was ${long.slice(0, 500)}`)
  })

  test('is redacted among 100,000 secrets, even if it was added later', () => {
    const known = redactor(Array.from({ length: 100_000 }, (_, n) => `store-${n}-passphrase`))
    expect(known.redact('was store-77777-passphrase;')).toBe('was (secret);')
    expect(known.redact('was sesame;')).toBe('was sesame;')
    known.addSecret('sesame')
    expect(known.redact('was sesame;')).toBe('was (secret);')
  })

  test('hides every text once there are too many secrets', () => {
    const known = redactor(['sesame'])
    for (let n = 0; n < 256; n += 1) known.addSecret(`${n}`.padStart(65_536, 'x'))
    expect(known.redact('nothing of them')).toMatch(/^\(redacted: .* too many secrets/)
  })
})

describe('redaction', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 4, maxLength: 24 })

  test.each(Object.entries(forms))('leaves no secret %s', (_, formOf) => {
    const secret = fc.string({ unit: anyCharacter, minLength: 4, maxLength: 40 })
    const property = fc.property(
      fc.array(secret, { minLength: 1, maxLength: 5 }),
      fc.string({ maxLength: 30 }),
      (secrets, between) => {
        const shown = redacted(secrets.map(formOf).join(between) + between, ...secrets)
        expect(shown).toContain('(secret)')
        for (const part of secrets.map(formOf)) {
          if (!'(secret)'.includes(part))
            expect(shown.split('(secret)').join('\n\n')).not.toContain(part)
        }
      }
    )
    fc.assert(property, runs())
  })

  test('replaces what a secret covers, and nothing else', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '-'), maxLength: 120 })
    const property = fc.property(text, fc.array(word, { maxLength: 12 }), (text, secrets) => {
      expect(redacted(text, ...secrets)).toBe(naive(text, secrets))
    })
    fc.assert(property, runs(90))
  })
})

/** Covers each place of each secret of `a`, `b` and `c`, whose other forms have other letters. */
function naive(text: string, secrets: readonly string[]): string {
  const covered = new Set<number>()
  for (const secret of secrets) {
    for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + 1)) {
      for (let place = at; place < at + secret.length; place += 1) covered.add(place)
    }
  }
  return [...text]
    .map((unit, at) => (covered.has(at) ? (covered.has(at - 1) ? '' : '(secret)') : unit))
    .join('')
}

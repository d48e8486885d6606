import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Redactor } from '../../../src/service/redaction/redactor.ts'
import { anyCharacter, runs } from '../../support/properties.ts'

function redactor(secrets: Iterable<string>): Redactor {
  const known = new Redactor()
  for (const secret of secrets) known.addSecret(secret)
  return known
}

function redacted(text: string, ...secrets: readonly string[]): string {
  return redactor(secrets).redact(text)
}

describe('a part of a secret in an error message', () => {
  const secret = 'correct-horse-battery-staple-2026'

  test.each<[text: string, secrets: readonly string[], clean: string]>([
    ['"correct-horse-battery-…" is weak', [secret], '"(secret)…" is weak'],
    ['ends in staple-2026', [secret], 'ends in (secret)'],
    ['correct-h…staple-2026', [secret], '(secret)…(secret)'],
    ['CORRECT-horse', [secret], '(secret)'],
    ['correc', [secret], '(secret)'],
    ['corre and -2026', [secret], 'corre and -2026'],
    ['the horse-battery in the middle', [secret], 'the (secret) in the middle'],
    ['its rse-batt is 8, rse-bat 7', [secret], 'its (secret) is 8, rse-bat 7'],
    ['hex 72736520 2d626174 and 7273652d62617474', [secret], 'hex 72736520 2d626174 and (secret)'],
    ['hex 72:73:65:2D:62:61:74:74', [secret], 'hex (secret)'],
    ['<Buffer 72 73 65 2d 62 61 74 74>', [secret], '<Buffer (secret)>'],
    ['aGorse cnNlLWJhdHQ=', [secret], 'aGorse (secret)='],
    ['Basic YWRtaW46Y29ycmVjdC1ob3JzZQ==', [secret], 'Basic YWRtaW46(secret)=='],
    ['aPz8_Pj4-w7zDvMO8', ['???>>>üüü'], 'a(secret)'],
    [
      'ordinary words, of authentication and configuration',
      [secret],
      'ordinary words, of authentication and configuration'
    ],
    ['too short: passw', ['password123'], 'too short: passw'],
    ['the word is common', ['password123'], 'the word is common'],
    ['gr\\u00FCn\\u00e4ug', ['grünäugig'], '(secret)'],
    ['a&lt;b&quot;c&#39;', [`a<b"c'd>e`], '(secret)'],
    ['x=a%20b%26c%C3%BC&y', ['a b&cü and so on'], 'x=(secret)&y'],
    ['x=a+b%26cd&y', ['a b&cd and so on'], 'x=(secret)&y'],
    ['%C3%28 a%zz &#9999999; &nothing; \\', ['sesame'], '%C3%28 a%zz &#9999999; &nothing; \\'],
    ['key 📶📶📶📶', ['📶📶📶📷📷📷'], 'key (secret)']
  ])('%j is redacted', (text, secrets, clean) => {
    expect(redacted(text, ...secrets)).toBe(clean)
  })

  test('is redacted where a long text is truncated', () => {
    const shown = redacted(`${'x '.repeat(1022)}${secret}`, secret)
    expect(shown.slice(-19)).toBe('x x x x x (secret)…')
  })

  test('redacts every text once there are too many secrets', () => {
    const known = redactor(['sesame'])
    for (let n = 0; n < 256; n += 1) known.addSecret(`${n}`.padStart(65_536, 'x'))
    expect(known.redact('nothing of them')).toMatch(/^\(redacted: .* too many secrets/)
  })
})

describe('a part of a secret as bytes', () => {
  const solid = fc.string({ unit: 'grapheme-ascii', minLength: 10, maxLength: 60 })
  const secrets = solid.filter(value => /^[^\s]*$/.test(value))

  test.each<[string, (bytes: Buffer) => string]>([
    ['hexadecimal', bytes => bytes.toString('hex')],
    ['hexadecimal, one digit later', bytes => `a${bytes.toString('hex')}`],
    ['hexadecimal in upper case', bytes => bytes.toString('hex').toUpperCase()],
    ['base64', bytes => bytes.toString('base64')],
    ['base64 of URLs', bytes => bytes.toString('base64url')],
    ['base64, one digit later', bytes => `a${bytes.toString('base64')}`],
    ['base64, two digits later', bytes => `ab${bytes.toString('base64')}`],
    ['base64, three digits later', bytes => `abc${bytes.toString('base64')}`]
  ])('is redacted at any place: %s', (_, encode) => {
    const property = fc.property(
      secrets,
      fc.array(secrets, { maxLength: 3 }),
      fc.nat(),
      fc.nat(),
      fc.string({ maxLength: 9 }),
      fc.string({ maxLength: 9 }),
      (secret, others, from, more, before, after) => {
        const start = from % (secret.length - 7)
        const part = secret.slice(start, start + 8 + (more % (secret.length - start - 7)))
        const known = redactor([...others, secret])
        const shown = known.redact(`k=${encode(Buffer.from(before + part + after))};`)
        expect(shown).toContain('(secret)')
        // A quote may begin within a byte, so up to four digits of base64 remain at each end.
        const left = shown.replaceAll('(secret)', '\uffff').replace(/^k=|[=;]+$/g, '')
        const most = encode(Buffer.from(before)).length + encode(Buffer.from(after)).length + 4
        expect(left.length).toBeLessThanOrEqual(most + 4)
      }
    )
    fc.assert(property, runs())
  })
})

/** A naive implementation of the rule, position by position. */
function naive(text: string, secrets: readonly string[]): string {
  const covered = new Set<number>()
  for (const secret of secrets) {
    for (let length = 4; length <= secret.length; length += 1) {
      if (length < 6 && length < secret.length) continue
      const inner = Array.from({ length: length < 8 ? 0 : secret.length - length }, (_, start) =>
        secret.slice(start, start + length)
      )
      for (const part of [secret.slice(0, length), secret.slice(-length), ...inner]) {
        for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) {
          for (let place = at; place < at + length; place += 1) covered.add(place)
        }
      }
    }
  }
  return [...text]
    .map((unit, at) => (covered.has(at) ? (covered.has(at - 1) ? '' : '(secret)') : unit))
    .join('')
}

describe('redaction', () => {
  const few = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 60 })
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 4, maxLength: 24 })

  test('replaces exactly what the rule describes', () => {
    const property = fc.property(
      fc.oneof(few, fc.string({ unit: fc.constantFrom('a', 'b', 'c', '-'), maxLength: 120 })),
      fc.array(
        fc.oneof(
          word,
          few.filter(({ length }) => length > 3)
        ),
        { maxLength: 12 }
      ),
      (text, secrets) => {
        expect(redacted(text, ...secrets)).toBe(naive(text, secrets))
      }
    )
    fc.assert(property, runs(300))
  })

  test('does not depend on when secrets are registered', () => {
    const property = fc.property(few, fc.array(word, { maxLength: 30 }), (text, secrets) => {
      const known = new Redactor()
      for (const secret of secrets) {
        known.addSecret(secret)
        known.redact(text)
      }
      expect(known.redact(text)).toBe(redacted(text, ...secrets))
    })
    fc.assert(property)
  })

  test.each<[string, (value: string) => string]>([
    ['plain', value => value],
    ['JSON', value => JSON.stringify(value)],
    ['URL', value => encodeURIComponent(value)],
    ['HTML', value => value.replace(/[&<>"']/g, unit => `&#${unit.charCodeAt(0)};`)],
    ['a form', value => `${new URLSearchParams({ value })}`]
  ])('leaves no prefix and no suffix of 6 characters or more: %s', (_, encode) => {
    const solid = fc.string({ unit: anyCharacter, minLength: 6, maxLength: 40 })
    const secret = solid.filter(value => /^[^\s\p{Cs}]*$/u.test(value))
    const property = fc.property(
      fc.string({ maxLength: 30 }),
      fc.array(fc.tuple(secret, fc.nat(34), fc.boolean()), { minLength: 1, maxLength: 5 }),
      (between, quoted) => {
        const parts = quoted.map(([value, more, atEnd]) => {
          const units = [...value]
          const length = Math.min(6 + more, units.length)
          return (atEnd ? units.slice(-length) : units.slice(0, length)).join('')
        })
        const text = parts.map(part => ` ${between}${encode(part)}`).join('')
        const known = redactor(quoted.map(([value]) => value))
        // Text between the parts may contain parts of a secret, and is redacted, too.
        const shown = known.redact(text)
        const marks = shown.split('(secret)').length - 1
        expect(marks).toBeGreaterThan(0)
        for (const part of parts) {
          if (part.length >= 6) expect(shown).not.toContain(encode(part))
        }
      }
    )
    fc.assert(property, runs())
  })
})

test('finds a secret that is registered after other texts, among thousands with the same prefix', () => {
  const known = redactor(Array.from({ length: 5_000 }, (_, n) => `Not found: no such thing ${n}`))
  for (let n = 0; n < 500; n += 1) {
    known.addSecret(`another secret, number ${n}`)
    expect(known.redact(`another secret, number ${n} is known`)).toBe('(secret) is known')
  }
})

import { describe, expect, it } from 'vitest'
import { Secret } from '../../src/core/values/secret.ts'
import type { Value } from '../../src/core/values/value.ts'
import {
  formatField,
  formatParts,
  formatValue,
  secretSource
} from '../../src/report/fields/format-value.ts'

const secret = (reference: Secret['reference']) => new Secret(reference, 'the-value-itself')

describe('a value', () => {
  const rows: readonly [value: Value, text: string][] = [
    [null, 'null'],
    [true, 'true'],
    [40, '40'],
    ['', '""'],
    ['40', '"40"'],
    ['say "hi"', '"say \\"hi\\""'],
    ['back\\slash', '"back\\\\slash"'],
    ['bell\u0007', '"bell\\u{7}"'],
    ['::1', '"::1"'],
    ['##[error]', '"#\\u{23}[error]"'],
    [[], '[]'],
    [['a', 1], '["a", 1]'],
    [{}, '{}'],
    [{ type: 'psk', 'x\u202ey': null }, '{ type: "psk", x\\u{202e}y: null }'],
    [secret({ $live: true }), '(secret)'],
    [secret({ $env: 'WLAN_SECRET_A' }), '(secret from WLAN_SECRET_A)'],
    [secret({ $file: 'psk\u001b' }), '(secret from the file psk\\u{1b})'],
    [secret({ $plaintext: true }), '(secret from the YAML)'],
    [{ $env: 'WLAN_SECRET_A' }, '(secret from WLAN_SECRET_A)'],
    [{ auth: { psk: secret({ $live: true }) } }, '{ auth: { psk: (secret) } }']
  ]
  it.each(rows)('%o is formatted', (value, text) => {
    expect(formatValue(value)).toBe(text)
  })
})

it('a secret is formatted as its source', () => {
  expect(secretSource({ $env: 'WLAN_SECRET_A' })).toEqual(['from ', 'WLAN_SECRET_A'])
  expect(secretSource(secret({ $live: true }))).toBeUndefined()
  expect(secretSource({ $env: 'A', and: 'more' })).toBeUndefined()
  expect(secretSource('$env')).toBeUndefined()
})

it('an object is formatted by its members', () => {
  expect(formatParts(['a', 1])).toEqual(['"a"', '1'])
  expect(formatParts({ a: 1, b: [2] })).toEqual(['a: 1', 'b: [2]'])
  expect(formatParts('a, b')).toEqual(['"a, b"'])
  expect(formatParts({ $live: true })).toEqual(['(secret)'])
})

it.each([
  ['/auth/psk', 'auth.psk'],
  ['/app_limit/apps/a~1b', 'app_limit.apps.a/b'],
  ['/x\n', 'x\\n']
])('the pointer %s is formatted as a field', (pointer, field) => {
  expect(formatField(pointer)).toBe(field)
})

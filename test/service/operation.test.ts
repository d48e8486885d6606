import { expect, test } from 'vitest'
import { Secret } from '../../src/core/values/secret.ts'
import type { ValueObject } from '../../src/core/values/value.ts'
import { encodeBody } from '../../src/service/operation.ts'

const secret = (value: string) => new Secret({ $env: 'WLAN_SECRET_X' }, value)

test.each<[ValueObject, string, string[]]>([
  [{}, '{}', []],
  [
    { ssid: 'é"\u2028', a: null, b: true, c: 1.5 },
    '{"ssid":"é\\"\u2028","a":null,"b":true,"c":1.5}',
    []
  ],
  [{ auth: { psk: secret('one') } }, '{"auth":{"psk":"one"}}', ['one']],
  [{ s: [{ x: secret('a"b') }, secret('two')] }, '{"s":[{"x":"a\\"b"},"two"]}', ['a"b', 'two']],
  [{ n: Number.MAX_SAFE_INTEGER, m: -0.1 }, '{"n":9007199254740991,"m":-0.1}', []]
])('%j is encoded as a body', (body, text, secrets) => {
  expect(encodeBody(body)).toEqual({ text, secrets })
})

test('a member named __proto__ is encoded as an own member', () => {
  expect(encodeBody(JSON.parse('{"__proto__":{"a":1}}')).text).toBe('{"__proto__":{"a":1}}')
})

test.each([2 ** 53, -(2 ** 53), 1e300, Number.NaN, Number.POSITIVE_INFINITY])(
  'the number %d is rejected',
  number => {
    expect(() => encodeBody({ list: [{ number }] })).toThrow('carry exactly')
  }
)

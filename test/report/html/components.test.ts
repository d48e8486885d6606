import { expect, test } from 'vitest'
import { inlineCode, withCode } from '../../../src/report/html/components.ts'

test.each([
  ['set `isolation` there', ['set ', inlineCode('isolation'), ' there']],
  ['`a` and `b`', ['', inlineCode('a'), ' and ', inlineCode('b'), '']],
  ['an SSID "Caf`e"', ['an SSID "Caf`e"']],
  ['no code', ['no code']]
])('a text with code: %s', (text, parts) => {
  expect(withCode(text)).toEqual(parts)
})

import { describe, expect, it } from 'vitest'
import type { FindingCode } from '../../src/core/model/finding.ts'
import { excerptOf } from '../../src/report/text/findings.ts'

/** The excerpt of a line, whose `^` is before the character at the column of the finding. */
function excerpt(marked: string, message: string, code: FindingCode = 'FIELD_RANGE') {
  const column = marked.indexOf('^') + 1
  const found = { code, message, place: { file: 'a.yaml', line: 1, column } }
  const shown = excerptOf(found, marked.replace('^', ''))
  return shown && `${shown.code}\n${shown.marks}`
}

const unknownKey = 'unknown field "vlan_idd"'

describe('an excerpt', () => {
  it.each([
    [
      'a value',
      '    vlan_id: ^5000',
      'expected 1 to 4094, got 5000',
      'vlan_id: 5000\n         ^^^^'
    ],
    ['a quoted value', 'type: ^"wpa2"', 'expected psk, got "wpa2"', 'type: "wpa2"\n      ^^^^^^'],
    ['a plain text', 'type: ^wpa2', 'expected psk, got "wpa2"', 'type: wpa2\n      ^^^^'],
    ['a value of several words', 'ssid: ^a b', 'got "a b"', 'ssid: a b\n      ^^^'],
    ['a key', '    ^vlan_idd: 20', unknownKey, 'vlan_idd: …\n^^^^^^^^'],
    ['a key of a map', '    ^vlan_idd:', unknownKey, 'vlan_idd:\n^^^^^^^^'],
    [
      'what a rule names',
      'type: ^open',
      'auth.type is "open" (declared)',
      'type: open\n      ^^^^'
    ],
    ['an item', '  - ^guest', 'got "guest"', 'guest\n^^^^^'],
    ['a wide value', 'ssid: ^日本', 'got "日本"', 'ssid: 日本\n      ^^^^'],
    ['a line with tabs', 'x: {\ttype: ^wpa2\t}', 'got "wpa2"', '… type: wpa2 …\n        ^^^^']
  ])('shows %s', (_, line, message, expected) => {
    expect(excerpt(line, message)).toBe(expected)
  })

  it.each([
    ['a value that the message withholds', 'psk: ^hunter22', 'plaintext secret', 'psk: …\n     ^'],
    ['the value of an unknown key', '^pks: hunter22', 'unknown field "pks"', 'pks: …\n^^^'],
    ['a switch', 'access_token: ^true', 'plaintext secret', 'access_token: …\n              ^'],
    ['a number', 'secret: ^1234', 'expected a string', 'secret: …\n        ^'],
    [
      'a value that another word of the message equals',
      'psk: ^Corp',
      'the key contains "Corp"',
      'psk: …\n     ^'
    ],
    ['a value that begins like that of the message', 'psk: ^50', 'got 5000', 'psk: …\n     ^'],
    [
      'another value than a rule names',
      'psk: ^op',
      'auth.type is "open" (declared)',
      'psk: …\n     ^'
    ],
    [
      'the same value of another key',
      'psk: ^open',
      'auth.type is "open" (declared)',
      'psk: …\n     ^'
    ],
    ['a comment', 'vlan_id: ^5000 # hunter22', 'got 5000', 'vlan_id: 5000\n         ^^^^'],
    ['a comment behind a key', '^vlan_idd: # hunter22', unknownKey, 'vlan_idd:\n^^^^^^^^'],
    [
      'what stands before',
      'auth: { psk: hunter22, type: ^x }',
      'got "x"',
      '… type: x …\n        ^'
    ],
    [
      'what stands behind',
      'auth: { type: ^x, psk: hunter22 }',
      'got "x"',
      '… type: x …\n        ^'
    ],
    ['the end of a text of two lines', 'hunter22", type: ^x }', 'got "x"', '… type: x …\n        ^']
  ])('does not show %s', (_, line, message, expected) => {
    const shown = excerpt(line, message)
    expect(shown).toBe(expected)
    expect(shown).not.toContain('hunter')
  })

  it.each([
    ['a bracket', '  corp: ^[hunter22', '… [ …\n  ^'],
    ['a quote', 'psk: ^"hunter22', '… " …\n  ^'],
    ['a tab', '^\tcorp: hunter22', '⇥ …\n^'],
    ['an alias', '  psk: ^*', '… *\n  ^']
  ])('shows of invalid YAML only the sign: %s', (_, line, expected) => {
    expect(excerpt(line, 'invalid YAML', 'YAML_SYNTAX')).toBe(expected)
  })

  it.each([
    ['invalid YAML', 'psk: ^hunter22', 'got "hunter22"', 'YAML_SYNTAX'],
    ['a file that is a link', '^hunter22: x', 'got "hunter22"', 'FILE_NOT_REGULAR'],
    ['a value without a key', '^hunter22', 'expected a map', 'FIELD_RANGE'],
    ['a block of text', '  psk: ^|', 'plaintext secret', 'FIELD_RANGE'],
    ['an alias', '  psk: ^*hunter', 'unknown alias', 'FIELD_RANGE'],
    ['a column behind the end', 'psk:^', 'expected a string', 'FIELD_RANGE'],
    ['a line of megabytes', `${' '.repeat(2_000_000)}^x: 1`, 'unknown field "x"', 'FIELD_RANGE']
  ] as const)('is not made of %s', (_, line, message, code) => {
    expect(excerpt(line, message, code)).toBeUndefined()
  })

  it.each([
    ['a switch', 'isolation: ^false', 'isolation: false\n           ^^^^^'],
    ['a number, which may be a key', 'vlan_id: ^1234', 'vlan_id: …\n         ^'],
    ['a password', 'password: ^true', 'password: …\n          ^']
  ])('shows of what a rule is about only a switch: %s', (_, line, expected) => {
    expect(excerpt(line, 'guests reach each other', 'LINT')).toBe(expected)
  })

  it('escapes and truncates hostile text', () => {
    const hostile = `"\u001b[31m\u202e##[error]${'x'.repeat(100)}"`
    const shown = excerpt(`ssid: ^${hostile}`, `got ${JSON.stringify(hostile.slice(1, -1))}`)
    expect(shown).not.toMatch(/[\u001b\u202e]|##\[/)
    expect(shown?.split('\n')[0]?.length).toBeLessThan(120)
  })

  it('takes linear time', () => {
    const line = `${'a: '.repeat(3_000)}^x`
    expect(excerpt(line, 'got "y"')).toBe('… a: …\n     ^')
  })
})

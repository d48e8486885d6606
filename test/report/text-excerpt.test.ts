import { describe, expect, it } from 'vitest'
import type { FindingCode } from '../../src/core/model/finding.ts'
import { excerptOf } from '../../src/report/text/findings.ts'
import { tablesIn } from '../support/tables.ts'

/** The excerpt of a line, whose `^` is before the character at the column of the finding. */
function excerpt(marked: string, message: string, code: FindingCode = 'FIELD_RANGE') {
  const column = marked.indexOf('^') + 1
  const found = { code, message, place: { file: 'a.yaml', line: 1, column } }
  const shown = excerptOf(found, marked.replace('^', ''))
  return shown && `${shown.code}\n${shown.marks}`
}

type Row = readonly [what: string, line: string, message: string, excerpt: string]

const tables = tablesIn<Record<'shown' | 'hidden', readonly Row[]>>(
  import.meta.dirname,
  'text-excerpt.txt'
)

describe('an excerpt', () => {
  it.each(tables.shown)('shows %s', (_, line, message, expected) => {
    expect(excerpt(line, message)).toBe(expected)
  })

  it.each(tables.hidden)('does not show %s', (_, line, message, expected) => {
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

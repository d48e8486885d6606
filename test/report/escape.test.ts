import { describe, expect, it } from 'vitest'
import { escapeInside, escapeText } from '../../src/report/escape.ts'

describe('unprintable characters', () => {
  const rows: readonly [what: string, text: string, shown: string][] = [
    ['a line feed', 'a\nb', 'a\\nb'],
    ['a tab', 'a\tb', 'a\\tb'],
    ['a carriage return', 'a\rb', 'a\\u{d}b'],
    ['NUL', '\0', '\\u{0}'],
    ['an ANSI sequence', '\u001b[31mred', '\\u{1b}[31mred'],
    ['DEL', '\u007f', '\\u{7f}'],
    ['a C1 control', '\u009b31m', '\\u{9b}31m'],
    ['a bidi override', '\u202eevil', '\\u{202e}evil'],
    ['a bidi isolate', '\u2066x\u2069', '\\u{2066}x\\u{2069}'],
    ['a zero-width space', 'a\u200bb', 'a\\u{200b}b'],
    ['a zero-width joiner', 'a\u200db', 'a\\u{200d}b'],
    ['a byte order mark', '\ufeffa', '\\u{feff}a'],
    ['a soft hyphen', 'a\u00adb', 'a\\u{ad}b'],
    ['a line separator', 'a\u2028b', 'a\\u{2028}b'],
    ['a paragraph separator', 'a\u2029b', 'a\\u{2029}b'],
    ['a Hangul filler', 'a\u3164b', 'a\\u{3164}b'],
    ['a variation selector', 'a\ufe0fb', 'a\\u{fe0f}b'],
    ['a tag character', '\u{e0041}', '\\u{e0041}'],
    ['private use', '\ue000', '\\u{e000}'],
    ['an unassigned character', '\u0378', '\\u{378}'],
    ['a lone surrogate', 'a\ud800b', 'a\\u{d800}b']
  ]
  it.each(rows)('%s', (_, text, shown) => {
    expect(escapeText(text)).toBe(shown)
    expect(escapeInside(text)).toBe(shown)
  })
})

it.each(['Café', '東京 Wi-Fi', '📶 free', 'Ünïcödé', 'a  b', '# [x]', 'a:b', 'עברית'])(
  'leaves %s as it is',
  text => {
    expect(escapeText(text)).toBe(text)
  }
)

describe('runner commands', () => {
  const rows: readonly [text: string, shown: string][] = [
    ['##[command]x', '#\\u{23}[command]x'],
    ['a ##[error]b', 'a #\\u{23}[error]b'],
    ['####[', '###\\u{23}['],
    ['##[##[', '#\\u{23}[#\\u{23}['],
    ['##vso[task.setvariable]x', '#\\u{23}vso[task.setvariable]x'],
    ['##teamcity[x]', '#\\u{23}teamcity[x]'],
    ['::error::x', '\\u{3a}:error::x'],
    ['  ::stop-commands::x', '  \\u{3a}:stop-commands::x'],
    ['\u00a0::error::x', '\u00a0\\u{3a}:error::x'],
    [':::', '\\u{3a}::'],
    ['a::b', 'a::b'],
    [':a', ':a']
  ]
  it.each(rows)('%s', (text, shown) => {
    expect(escapeText(text)).toBe(shown)
    expect(escapeText(shown)).toBe(shown)
  })

  it('at the start of a line only, so that an address stays one', () => {
    expect(escapeInside('::1')).toBe('::1')
    expect(escapeInside('##[x]')).toBe('#\\u{23}[x]')
  })
})

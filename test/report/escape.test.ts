import { describe, expect, it } from 'vitest'
import {
  type EscapeTarget,
  escapeCode,
  escapeData,
  escapeInside,
  escapeJson,
  escapeLines,
  escapeMarkup,
  escapeProperty,
  escapeProse,
  escapeRules,
  escapeText
} from '../../src/report/escape.ts'

/** An example: the text, and the output of a sink. */
type Example = readonly [what: string, text: string, shown: string]

/** Examples for each row of the table of escapes, as on a line. */
const examples: Readonly<Record<string, readonly Example[]>> = {
  'line breaks and tabs': [
    ['a line feed', 'a\nb', 'a\\nb'],
    ['a tab', 'a\tb', 'a\\tb']
  ],
  'other control characters: ANSI': [
    ['a carriage return', 'a\rb', 'a\\u{d}b'],
    ['NUL', '\0', '\\u{0}'],
    ['a vertical tab', 'a\u000bb', 'a\\u{b}b'],
    ['an ANSI sequence', '\u001b[31mred', '\\u{1b}[31mred'],
    ['a title of a terminal', '\u001b]0;x\u0007', '\\u{1b}]0;x\\u{7}'],
    ['DEL', '\u007f', '\\u{7f}'],
    ['a line break of C1', 'a\u0085b', 'a\\u{85}b'],
    ['an ANSI sequence of C1', '\u009b31m', '\\u{9b}31m']
  ],
  'format characters: bidi, zero-width': [
    ['a bidi override', '\u202eevil', '\\u{202e}evil'],
    ['a bidi isolate', '\u2066x\u2069', '\\u{2066}x\\u{2069}'],
    ['a bidi mark', 'a\u200fb', 'a\\u{200f}b'],
    ['a zero-width space', 'a\u200bb', 'a\\u{200b}b'],
    ['a zero-width joiner', 'a\u200db', 'a\\u{200d}b'],
    ['a byte order mark', '\ufeffa', '\\u{feff}a'],
    ['a soft hyphen', 'a\u00adb', 'a\\u{ad}b'],
    ['a tag character', '\u{e0041}', '\\u{e0041}']
  ],
  'line and paragraph separators': [
    ['a line separator', 'a\u2028b', 'a\\u{2028}b'],
    ['a paragraph separator', 'a\u2029b', 'a\\u{2029}b']
  ],
  'halves of surrogate pairs': [
    ['a first half', 'a\ud800b', 'a\\u{d800}b'],
    ['a second half', 'a\udfffb', 'a\\u{dfff}b']
  ],
  'private use and unassigned': [
    ['private use', '\ue000', '\\u{e000}'],
    ['private use beyond 16 bits', '\u{f0000}', '\\u{f0000}'],
    ['an unassigned character', '\u0378', '\\u{378}'],
    ['a non-character', '\uffff', '\\u{ffff}']
  ],
  'what has no width: fillers, selectors': [
    ['a Hangul filler', 'a\u3164b', 'a\\u{3164}b'],
    ['a variation selector', 'a\ufe0fb', 'a\\u{fe0f}b'],
    ['a grapheme joiner', 'a\u034fb', 'a\\u{34f}b']
  ],
  '##command of a CI runner': [
    ['at the start', '##[command]x', '#\\u{23}[command]x'],
    ['in the middle', 'a ##[error]b', 'a #\\u{23}[error]b'],
    ['behind more of them', '####[', '###\\u{23}['],
    ['twice', '##[##[', '#\\u{23}[#\\u{23}['],
    ['of Azure', '##vso[task.setvariable]x', '#\\u{23}vso[task.setvariable]x'],
    ['of TeamCity', '##teamcity[x]', '#\\u{23}teamcity[x]']
  ],
  '::command::': [
    ['at the start', '::error::x', '\\u{3a}:error::x'],
    ['behind blanks', '  ::stop-commands::x', '  \\u{3a}:stop-commands::x'],
    ['behind another blank', '\u00a0::error::x', '\u00a0\\u{3a}:error::x'],
    ['behind a tab', '\t::error::x', '\\t\\u{3a}:error::x'],
    ['of three colons', ':::', '\\u{3a}::']
  ],
  'a comment of HTML': [
    ['a marker', '<!-- wlanctl:plan:. -->', '\\u{3c}!-- wlanctl:plan:. -->'],
    ['twice', '<<!--<!--', '<\\u{3c}!--\\u{3c}!--']
  ],
  'a pipe behind a backslash': [
    ['one', 'a\\|b', 'a\\\\u{7c}b'],
    ['behind two', '\\\\||', '\\\\\\u{7c}|']
  ],
  'backticks in a long run': [
    ['nine', '`'.repeat(9), `${'`'.repeat(8)}\\u{60}`],
    ['eleven', `a${'`'.repeat(11)}b`, `a${'`'.repeat(8)}${'\\u{60}'.repeat(3)}b`]
  ],
  'the sign that opens a tag': [
    ['an element', '<script>', '<script>'],
    ['an end', '</script >', '</script >']
  ],
  'what else means something in HTML': [
    ['an end of an attribute', '" onclick="x()', '" onclick="x()'],
    ['an entity', '&lt;', '&lt;']
  ],
  'the percent sign': [
    ['alone', '100%', '100%25'],
    ['a line break', 'a%0A::error::b', 'a%250A::error::b'],
    ['what is escaped', '%25', '%2525']
  ],
  'colon and comma': [['properties', 'a,title=b:c', 'a%2Ctitle=b%3Ac']],
  'a tag that no page has': [['an image', '<img>', '\\u{3c}img>']],
  'a mention': [['a team', '@acme/all', '\\u{40}acme/all']],
  'an image': [['one', '![a]', '\\u{21}[a]']],
  'a link': [['one', '[a](b)', '[a\\u{5d}(b)']],
  'an address': [['one', 'https://a.b', 'https\\u{3a}//a.b']],
  'an issue': [['one', 'fixes #1', 'fixes \\u{23}1']]
}

type OfText = Exclude<EscapeTarget, 'property' | 'markup' | 'lines' | 'prose'>

const sinks: Readonly<Record<OfText, (text: string) => string>> = {
  line: escapeText,
  inside: escapeInside,
  json: escapeJson,
  code: escapeCode,
  data: escapeData
}

it('every row of the table has examples', () => {
  expect(Object.keys(examples)).toEqual(escapeRules.map(({ what }) => what))
})

describe.each(escapeRules)('$what', ({ what, targets: wanted }) => {
  const rows = examples[what] ?? []

  it.each(rows)('%s: escaped on a line, once, if it has an effect there', (_, text, shown) => {
    const line = escapeText(text)
    expect(line).toBe(wanted.includes('line') ? shown : text)
    expect(escapeText(line)).toBe(line)
  })

  it.each(rows)('%s: escaped by the other sinks, if it has an effect there', (_, text, shown) => {
    for (const sink of ['inside', 'code', 'data'] as const) {
      const unescaped = text.replaceAll('\t', '\\t')
      expect(sinks[sink](text), sink).toBe(wanted.includes(sink) ? shown : unescaped)
    }
  })

  it.each(rows)('%s: does not end a property', (_, text) => {
    const inProperty = escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
    expect(escapeProperty(text)).toBe(inProperty)
    expect(escapeProperty(text)).not.toMatch(/[:,\r\n]/)
  })

  it.each(rows)('%s: escaped in the markup of the page', (_, text) => {
    expect(escapeMarkup(text)).not.toMatch(/[^\P{C}]|[\p{Zl}\p{Zp}]|##\w*\[|[<>"]|&(?!\w+;)/u)
  })

  it.each(rows)('%s: kept in JSON, and escaped in a log', (_, text) => {
    const document = escapeJson(JSON.stringify({ [text]: [text] }, null, 2))
    expect(JSON.parse(document)).toEqual({ [text]: [text] })
    expect(document).not.toMatch(/[^\P{C}\n]|[\p{Zl}\p{Zp}]|##\w*\[|^\s*::/mu)
  })
})

describe.each(Object.entries(sinks))('the sink %s', (_, escaped) => {
  it.each([
    'Café',
    '東京 Wi-Fi',
    '📶 free',
    'Ünïcödé',
    'a  b',
    '# [x]',
    '## x',
    'a:b',
    ':a',
    'a::b',
    'fe80::1',
    'עברית'
  ])('keeps %s', text => {
    expect(escaped(text)).toBe(text)
  })

  it('escapes a long text in linear time', () => {
    for (const part of [' ', ':', '#', '##a', ' ::', '\u001b', '\ud800']) {
      const text = part.repeat(200_000)
      expect(escaped(text).length).toBeGreaterThanOrEqual(text.length)
    }
  })
})

it.each([
  ['<b>&amp;"', '&lt;b&gt;&amp;amp;&quot;'],
  ['Café\u202e', 'Café\\u{202e}']
])('%j in an HTML element is unchanged', (text, written) => {
  expect(escapeMarkup(text)).toBe(written)
})

it('an address at the start of a text is escaped within a line', () => {
  expect(escapeInside('::1')).toBe('::1')
})

describe('the writer of assembled lines', () => {
  it.each([
    ['a\n  b\n', 'a\n  b\n'],
    ['\u001b[1m\u001b[31ma\u001b[39m\u001b[22m b', '\u001b[1m\u001b[31ma\u001b[39m\u001b[22m b'],
    ['\u001b[31ma\u001b[8mb\u001b[2J', '\u001b[31ma\\u{1b}[8mb\\u{1b}[2J'],
    ['a\n::error::b', 'a\n\\u{3a}:error::b'],
    ['a\r\u202e##[b]', 'a\\u{d}\\u{202e}#\\u{23}[b]']
  ])('%j is %j', (text, written) => {
    expect(escapeLines(text)).toBe(written)
    expect(escapeLines(written)).toBe(written)
  })
})

describe('the writer of Markdown', () => {
  it.each([
    '<!-- wlanctl:plan:fleets/a -->',
    '<details open><summary><b>a</b></summary>`@a`</details><br><sub>a</sub>',
    '[`a`](https://github.com/a/b/blob/0/a.yaml#L1)',
    '> [!CAUTION]',
    '#### a',
    '``@a ` ![b](https://c) <img>``',
    '**a** _b_ 🔴&nbsp;error'
  ])('keeps %j', text => {
    expect(escapeProse(text)).toBe(text)
  })

  it.each([
    ['<img src=x>', '\\u{3c}img src=x>'],
    ['a<!-- wlanctl:plan:. -->', 'a\\u{3c}!-- wlanctl:plan:. -->'],
    ['<details><script>', '<details>\\u{3c}script>'],
    ['`a` @b ``c ` @d`` @e', '`a` \\u{40}b ``c ` @d`` \\u{40}e'],
    ['`a @b', '`a \\u{40}b'],
    ['a\n# b', 'a\\n# b'],
    ['`a`[b](https://c)', '`a`[b\\u{5d}(https\\u{3a}//c)']
  ])('%j is %j', (text, written) => {
    expect(escapeProse(text)).toBe(written)
    expect(escapeProse(written)).toBe(written)
  })
})

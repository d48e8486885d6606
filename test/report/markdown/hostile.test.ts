import { describe, expect, it } from 'vitest'
import { formats } from '../../../src/report/formats.ts'
import { codeSpan, prose } from '../../../src/report/render/markdown.ts'
import { plain } from '../plans.ts'
import { blns, evened, harmlessCharacters, hostile, reports } from './hostile.ts'
import { skeleton, tableRows, unbalanced } from './skeleton.ts'

/** What is left of a text without code, harmless words and blanks: only the Markdown and HTML of the program. */
const ours = (shown: string) => evened(skeleton(shown)).replace(harmlessCharacters, '')
const texts = (text: string) => reports(text).map(report => formats.markdown(report, plain))
const harmless = texts('guest').map(ours)
const kinds = reports('guest').map(({ kind }, at) => [kind, at] as const)

describe('everything outside of code comes from wlanctl', () => {
  function check(text: string, shown: string, at: number) {
    expect(ours(shown), text).toBe(harmless[at])
    expect(shown.match(/<!--/g), text).toHaveLength(1)
    expect(shown, text).not.toMatch(/`{10}/)
  }

  it.each(Object.entries(hostile))('%j', (_, text) => {
    for (const [at, shown] of texts(text).entries()) check(text, shown, at)
  })

  it.each(kinds)('naughty strings in a %s', (_, at) => {
    for (const text of blns.filter((_, nth) => nth % kinds.length === at)) {
      const [report] = reports(text).slice(at)
      check(text, report === undefined ? '' : formats.markdown(report, plain), at)
    }
  })
})

it('harmless text has tables and lists, so that the other tests are meaningful', () => {
  for (const text of texts('guest')) {
    const items = text.split('\n').filter(line => line.startsWith('- '))
    expect(tableRows(text).length > 2 || items.length > 0).toBe(true)
    expect(unbalanced(text)).toEqual([])
    // Messages of findings and reasons are text.
    expect(skeleton(text).replace(/[mhr]guest/g, '')).not.toContain('guest')
  }
})

it.each([
  ['Guest', '`Guest`'],
  ['a`b', '``a`b``'],
  ['`', '`` ` ``'],
  ['a ``` b', '````a ``` b````'],
  [' a ', '`  a  `'],
  ['  ', '`  `'],
  ['a|b', '`a|b`'],
  ['a\\|b', '`a\\\\u{7c}b`'],
  ['<!-- a', '`\\u{3c}!-- a`'],
  ['a\nb', '`a\\nb`'],
  ['', '_empty_']
])('%j is %s', (text, span) => {
  expect(codeSpan(text)).toBe(span)
})

it.each([
  [
    'the site could not be read: 503: Service unavailable.',
    'the site could not be read: 503: Service unavailable.'
  ],
  ['GET /api/v1/sites/…/wlans failed', 'GET /api/v1/sites/…/wlans failed'],
  ['37 of 161 WLANs (23 %), at most 20', '37 of 161 WLANs (23 %), at most 20'],
  ['the field vlan_id of *all*', 'the field `vlan_id` of `*all*`'],
  ['ask @everyone in #1', 'ask `@everyone` in `#1`'],
  [
    'see https://evil.example or www.evil.example',
    'see `https://evil.example` or `www.evil.example`'
  ],
  ['<b>bold</b> & more', '`<b>bold</b> &` more'],
  ['commit 0123456789abcdef', 'commit `0123456789abcdef`'],
  ['see GH-26, (gh-7) and high-5', 'see `GH-26, (gh-7)` and high-5'],
  [
    'it stopped (policy.a_b), see --max_c: f(x_y)',
    'it stopped (`policy.a_b`), see `--max_c: f(x_y)`'
  ],
  [':boom: ![x](y)', '`:boom: ![x](y)`'],
  ['a\nb | c', '`a\\nb |` c']
])('the harmless words of %j stay: %s', (text, shown) => {
  expect(prose(text)).toBe(shown)
})

it('a text is truncated between characters', () => {
  expect(codeSpan(`${'a'.repeat(199)}😀`)).toBe(`\`${'a'.repeat(199)}…\``)
})

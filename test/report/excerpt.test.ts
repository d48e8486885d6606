import fc from 'fast-check'
import { expect, it } from 'vitest'
import { excerpts, partExcerpts } from '../../src/report/fields/format-value.ts'
import { formats } from '../../src/report/formats.ts'
import { changeOf, ended, planOf } from './plans.ts'

const url = (host: string) => `https://portal.example.com/?${'x'.repeat(400)}&next=${host}/a`

it.each(['text', 'markdown', 'github', 'html'] as const)(
  '%s shows a difference far behind the beginning of a value',
  format => {
    const change = changeOf('hq/guest', 'outage', {
      portal: [url('good.example'), url('evil.test')]
    })
    const output = formats[format](
      { kind: 'plan', plan: planOf([change]) },
      { colour: false, width: 80 }
    )
    const seen = output.replace(/<script[\s\S]*?<\/script>/g, '')
    expect(seen).toContain('next=good.example')
    expect(seen).toContain('next=evil.test')
  }
)

it('keeps different texts different, and short', () => {
  const text = fc.string({ maxLength: 300, unit: fc.constantFrom('a', 'b', '"') })
  fc.assert(
    fc.property(text, text, text, fc.integer({ min: 20, max: 200 }), (start, a, b, longest) => {
      const shown = excerpts([start + a, start + b], longest)
      expect(shown[0] === shown[1]).toBe(a === b)
      for (const each of shown) expect(each.length).toBeLessThanOrEqual(longest + 2)
    })
  )
})

it.each(['text', 'markdown'] as const)(
  '%s shows an unexpected value far behind its beginning',
  format => {
    const fields = [
      {
        pointer: '/portal',
        before: url('old.example'),
        wanted: url('good.example'),
        found: url('evil.test')
      }
    ]
    const outcome = ended('hq/guest', 'diverged', { fields })
    const output = formats[format](
      { kind: 'outcomes', plan: planOf([]), outcomes: [outcome] },
      { colour: false, width: 80 }
    )
    for (const host of ['old.example', 'good.example', 'evil.test']) {
      expect(output).toContain(`next=${host}`)
    }
  }
)

it('distinguishes three texts, two of which differ only at the end', () => {
  const wanted = `${'x'.repeat(1000)}y${'z'.repeat(1000)}a`
  const shown = excerpts([`${'x'.repeat(2002)}`, wanted, `${wanted.slice(0, -1)}b`], 100)
  expect(new Set(shown).size).toBe(3)
  for (const each of shown) expect(each.length).toBeLessThan(250)
})

it('shows the difference in a list element next to an added one', () => {
  const change = changeOf('hq/guest', undefined, {
    portals: [[url('good.example')], ['https://a.example', 'https://b.example', url('evil.test')]]
  })
  for (const format of ['text', 'markdown'] as const) {
    const output = formats[format](
      { kind: 'plan', plan: planOf([change]) },
      { colour: false, width: 80 }
    )
    expect(output).toContain('next=good.example')
    expect(output).toContain('next=evil.test')
  }
})

it('never shows the same part as removed and added', () => {
  const part = fc.string({ maxLength: 120, unit: fc.constantFrom('a', 'b') })
  fc.assert(
    fc.property(fc.array(part), fc.array(part), fc.integer({ min: 31, max: 60 }), (a, b, most) => {
      const come = b.filter(text => !a.includes(text))
      const shown = partExcerpts(a, come, most)
      expect(shown.added.filter(text => shown.removed.includes(text))).toEqual([])
    })
  )
})

it('leaves space for the values in an annotation, however long the name of the field is', () => {
  const change = changeOf('hq/guest', undefined, { ['x'.repeat(500)]: ['before', 'after'] })
  const output = formats.github(
    { kind: 'plan', plan: planOf([change]) },
    { colour: false, width: 80 }
  )
  expect(output).toMatch(/^::notice .*"before" → "after"/m)
})

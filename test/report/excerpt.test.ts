import fc from 'fast-check'
import { expect, it } from 'vitest'
import { excerpts } from '../../src/report/excerpt.ts'
import { formats } from '../../src/report/formats.ts'
import { changeOf, planOf } from './plans.ts'

const url = (host: string) => `https://portal.example.com/?${'x'.repeat(400)}&next=${host}/a`

it.each(['text', 'markdown', 'summary', 'github', 'html', 'junit'] as const)(
  '%s shows a difference far behind the beginning of a value',
  format => {
    const change = changeOf('hq/guest', 'outage', {
      portal: [url('good.example'), url('evil.test')]
    })
    const told = formats[format](
      { kind: 'plan', plan: planOf([change]) },
      { colour: false, width: 80 }
    )
    const seen = told.replace(/<script[\s\S]*?<\/script>/g, '')
    expect(seen).toContain('next=good.example')
    expect(seen).toContain('next=evil.test')
  }
)

it('keeps different texts different, and short', () => {
  const text = fc.string({ maxLength: 300, unit: fc.constantFrom('a', 'b', '"') })
  fc.assert(
    fc.property(text, text, text, fc.integer({ min: 20, max: 200 }), (start, a, b, longest) => {
      const shown = excerpts(start + a, start + b, longest)
      expect(shown[0] === shown[1]).toBe(a === b)
      for (const each of shown) expect(each.length).toBeLessThanOrEqual(longest + 2)
    })
  )
})

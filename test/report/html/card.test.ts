import { describe, expect, it } from 'vitest'
import type { FieldOutcome } from '../../../src/core/model/outcome.ts'
import type { Change } from '../../../src/core/model/plan.ts'
import { cardBody, requestDetails } from '../../../src/report/html/card.ts'
import type { Cell } from '../../../src/report/html/cells.ts'
import { h, renderToString } from '../../../src/report/html/vdom.ts'
import { changeOf } from '../plans.ts'

function cardOf(cell: Partial<Cell>): string {
  const whole: Cell = { site: 'hq', key: 'guest', linkId: 'guest', status: 'diverged', ...cell }
  const options = { mode: 'outcomes', hidden: [], dated: false } as const
  return renderToString(h('article', {}, cardBody(whole, [], options)))
}

function outcomeCard(fields: readonly FieldOutcome[]): string {
  return cardOf({ outcome: { address: 'hq/guest', status: 'diverged', fields } })
}

function count(html: string, text: string): number {
  return html.split(text).length - 1
}

describe('the outcome fields of a card', () => {
  it('show the first difference of long values', () => {
    const long = (end: string) => `${'a'.repeat(5000)}${end}`
    const html = outcomeCard([
      { pointer: '/terms', before: long('-old'), wanted: long('-new'), found: long('-mine') }
    ])
    for (const end of ['-old', '-new', '-mine']) expect(html).toContain(`a${end}`)
    expect(html.length).toBeLessThan(2000)
  })

  it('mark a value that is not set', () => {
    expect(outcomeCard([{ pointer: '/vlan_id', wanted: 40 }])).toContain(
      '<td>(unset)</td><td>40</td><td>(unset)</td>'
    )
  })

  it('are at most 200, with the number of the rest', () => {
    const fields = Array.from({ length: 1200 }, (_, n) => ({ pointer: `/f${n}`, wanted: n }))
    const html = outcomeCard(fields)
    expect(count(html, '<tr>')).toBe(201)
    expect(html).toContain('and 1,000 more fields; see the JSON report')
  })
})

describe('the fields of a change', () => {
  const card = (change: Change) => cardOf({ change })

  it('are at most 200, with the number of the rest', () => {
    const edits = Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`f${n}`, [n, n + 1]]))
    const html = card(changeOf('hq/guest', undefined, edits as never))
    expect(count(html, '<del>')).toBe(200)
    expect(html).toContain('and 1 more field; see the JSON report')
  })

  it('have at most 1,000 lines each, without counting the rest as deleted or inserted', () => {
    const list = (name: string) => Array.from({ length: 3000 }, (_, n) => `${name}${n}`)
    const html = card(changeOf('hq/guest', undefined, { list: [list('a'), list('b')] }))
    expect([count(html, '<del>'), count(html, '<ins>')]).toEqual([1000, 1000])
    expect(count(html, '<div class="faint">and 2,000 more lines</div>')).toBe(2)
    expect(html).not.toMatch(/<(del|ins)>and /)
  })

  it('count the list elements that are unchanged', () => {
    const kept = Array.from({ length: 40 }, (_, n) => `element ${n}`)
    const html = card(
      changeOf('hq/guest', undefined, {
        list: [
          [...kept, 'a'],
          [...kept, 'b']
        ]
      })
    )
    expect(html).toContain('<del>&quot;a&quot;</del>')
    expect(html).toContain('<ins>&quot;b&quot;</ins><div class="faint">40 unchanged</div>')
  })
})

it('a request has at most 2,000 lines, with the number of the rest', () => {
  const change = changeOf('hq/guest', undefined, {})
  const body = { list: Array.from({ length: 150_000 }, (_, n) => n) }
  const html = renderToString(requestDetails({ ...change, request: { ...change.request, body } }))
  expect(count(html, '<span class="line">')).toBe(2001)
  expect(html).toContain('and 148,004 more lines; see the JSON report')
})

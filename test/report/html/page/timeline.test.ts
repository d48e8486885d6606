import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Cell } from '../../../../src/report/html/cells.ts'
import { updateSpans } from '../../../../src/report/html/page/timeline.ts'

function cellOf(index: number, sent: number, end: number): Cell {
  const at = (seconds: number) => new Date(Date.UTC(2026, 10, 20) + seconds * 1000).toISOString()
  const site = `s${String(index).padStart(6, '0')}`
  const events = [
    { at: at(sent), step: 'sending' },
    { at: at(end), step: 'outcome' }
  ] as const
  const outcome = { address: `${site}/w`, status: 'applied', events } as const
  return { site, key: 'w', linkId: 'w', status: 'applied', outcome }
}

it('each update uses the lowest free lane', () => {
  const times = fc.tuple(fc.nat(20), fc.integer({ min: -2, max: 9 }))
  fc.assert(
    fc.property(fc.array(times), all => {
      const cells = all.map(([sent, duration], index) => cellOf(index, sent, sent + duration))
      const free: number[] = []
      for (const { sent, end, lane } of updateSpans(cells)) {
        const lowest = free.findIndex(each => each <= sent)
        expect(lane).toBe(lowest < 0 ? free.length : lowest)
        free[lane] = end
      }
    })
  )
})

// With time proportional to the square of the updates it would take longer than a test may.
it('100,000 overlapping updates use as many lanes', () => {
  const cells = Array.from({ length: 100_000 }, (_, index) => cellOf(index, index, 1_000_000))
  expect(updateSpans(cells).at(-1)?.lane).toBe(99_999)
})

it('a change without a request is no update', () => {
  const { outcome, ...cell } = cellOf(1, 0, 1)
  expect(updateSpans([cell])).toEqual([])
})

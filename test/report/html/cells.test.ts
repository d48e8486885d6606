import { describe, expect, it } from 'vitest'
import { type Cell, groupCells } from '../../../src/report/html/cells.ts'

const cell = (key: string, about: Pick<Cell, 'status' | 'danger'>): Cell => ({
  site: 'hq',
  key,
  linkId: key,
  ...about
})

/** The worst now is the cheapest to fix. */
const cells = [
  cell('fixed-by-outage', { status: 'outage' }),
  cell('open', { status: 'reconnect', danger: 'open' }),
  cell('off', { status: 'radio-reset', danger: 'off' })
]

describe('the order of drift on the page', () => {
  it('is that of the dangers now, then that of the effect of the fix', () => {
    expect(groupCells(cells).map(({ first }) => first.key)).toEqual([
      'off',
      'open',
      'fixed-by-outage'
    ])
  })
})

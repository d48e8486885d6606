import { expect, it } from 'vitest'
import { formats } from '../../src/report/formats.ts'
import { formatNames } from '../../src/report/names.ts'
import { guest, notFound, plain, planOf, unread } from './plans.ts'

const owners = ['of the change', 'of the blocked one', 'of the unread']
const [owner = '', ofBlocked = '', ofUnread = ''] = owners
const plan = planOf([{ ...guest, owner }], {
  findings: [
    { ...notFound, owner: ofBlocked },
    { ...unread('store-essen', 1), owner: ofUnread },
    { ...unread('store-kiel', 2), owner: ofUnread }
  ],
  summary: { blocked: 1, sites_failed: 2 }
})

// Metrics are of what differs: they name what they count, and its owner.
it.each(formatNames)('%s says who answers for what it lists', format => {
  for (const kind of ['plan', 'drift'] as const) {
    const text = formats[format]({ kind, plan }, plain)
    const said = owners.filter(each => text.includes(each))
    expect(said).toEqual(format === 'prometheus' ? [owner] : owners)
  }
})

it('what is said of many is said apart where others answer for it', () => {
  const findings = ['a', 'b'].map((owner, n) => ({ ...unread(`store-${n}`, n), owner }))
  const text = formats.text({ kind: 'plan', plan: planOf([], { findings }) }, plain)
  expect(text.match(/ {2}owner [ab]$/gm)).toEqual(['  owner a', '  owner b'])
})

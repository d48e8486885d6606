import { expect, it } from 'vitest'
import { formats } from '../../src/report/formats.ts'
import { formatNames } from '../../src/report/names.ts'
import { guest, notFound, plain, planOf, unread } from './plans.ts'

const owners = ['of the change', 'of the blocked one', 'of the unread', 'of a stranger']
const [owner = '', ofBlocked = '', ofUnread = '', ofStranger = ''] = owners
const plan = planOf([{ ...guest, owner }], {
  findings: [
    { ...notFound, owner: ofBlocked },
    { ...unread('store-essen', 1), owner: ofUnread },
    { ...unread('store-kiel', 2), owner: ofUnread }
  ],
  unmanaged: [
    { site: 'hq', id: '7d6f1c5e-30b2-4a6d-8f51-0a4e7c1f9b0f', ssid: 'IoT', owner: ofStranger },
    { site: 'lab', id: '7d6f1c5e-30b2-4a6d-8f51-0a4e7c1f9b0e', ssid: 'IoT' }
  ],
  summary: { blocked: 1, sites_failed: 2 }
})

/** Metrics are of what differs, tests of what is declared: what they do not list has no owner there. */
const unlisted: Readonly<Partial<Record<string, readonly string[]>>> = {
  prometheus: [ofBlocked, ofUnread, ofStranger],
  junit: [ofStranger]
}

it.each(formatNames)('%s says who answers for what it lists', format => {
  for (const kind of ['plan', 'drift'] as const) {
    const text = formats[format]({ kind, plan }, plain)
    const said = owners.filter(each => text.includes(each))
    expect(said).toEqual(owners.filter(each => !unlisted[format]?.includes(each)))
  }
})

it('what is said of many is said apart where others answer for it', () => {
  const findings = ['a', 'b'].map((owner, n) => ({ ...unread(`store-${n}`, n), owner }))
  const text = formats.text({ kind: 'plan', plan: planOf([], { findings }) }, plain)
  expect(text.match(/ {2}owner [ab]$/gm)).toEqual(['  owner a', '  owner b'])
})

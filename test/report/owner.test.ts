import { expect, it } from 'vitest'
import { formats } from '../../src/report/formats.ts'
import { formatNames } from '../../src/report/report.ts'
import { changeOf, guest, notFound, plain, planOf, unread } from './plans.ts'

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

/** Metrics list what differs, and tests what is declared; other entries have no owner in them. */
const unlisted: Readonly<Partial<Record<string, readonly string[]>>> = {
  prometheus: [ofBlocked, ofUnread, ofStranger],
  junit: [ofStranger],
  sarif: [ofStranger],
  codequality: [ofStranger]
}

/** A planned change is no issue. */
const issueFormats = ['sarif', 'codequality']

it.each(formatNames)('%s lists the owners of its entries', format => {
  for (const kind of ['plan', 'drift'] as const) {
    const text = formats[format]({ kind, plan }, plain)
    const unlistedChange = kind === 'plan' && issueFormats.includes(format) ? [owner] : []
    const omitted = [...(unlisted[format] ?? []), ...unlistedChange]
    const said = owners.filter(each => text.includes(each))
    expect(said).toEqual(owners.filter(each => !omitted.includes(each)))
  }
})

it('a group lists the owners of all', () => {
  const findings = ['b', 'a'].map((owner, n) => ({ ...unread(`store-${n}`, n), owner }))
  const changes = ['y', 'x'].map(owner =>
    changeOf(`${owner}/guest`, undefined, { dtim: [1, 2] }, { owner })
  )
  const text = formats.text({ kind: 'plan', plan: planOf(changes, { findings }) }, plain)
  expect(text).toContain('guest on 2 sites  "guest"  2 owners\n')
  expect(text).toContain('\n  owner a, b\n')
  const comment = formats.markdown({ kind: 'plan', plan: planOf(changes, { findings }) }, plain)
  expect(comment).toContain('<sub>owner `x`, `y`</sub>')
  expect(comment).toContain(' · owner `a`, `b`</sub>')
})

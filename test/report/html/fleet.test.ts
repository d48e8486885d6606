import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sitesOf, worstSitesOf } from '../../../src/report/html/cells.ts'
import { FleetWriter } from '../../../src/report/html/fleet.ts'
import { siteIssuesOf } from '../../../src/report/html/issues.ts'
import { looks } from '../../../src/report/html/status.ts'
import { pageData } from '../../../src/report/html/views.ts'
import { planOf } from '../plans.ts'
import { fleetReport, outcomesReport, smallReport } from './fleets.ts'

const statuses = looks.map(({ status }) => status)
const [empty] = pageData({ kind: 'plan', plan: planOf([]) }).views

describe('the statuses of a fleet', () => {
  const part = fc.stringMatching(/^[a-c]{1,3}$/)
  const wlan = fc.record({
    site: fc.stringMatching(/^[a-c/]{0,4}$/),
    key: part,
    status: fc.constantFrom(...statuses)
  })
  const wlans = fc.uniqueArray(wlan, { selector: ({ site, key }) => `${site}/${key}` })

  it('are read as they were written, whatever the order and the names', () => {
    fc.assert(
      fc.property(wlans, wlans, (first, last) => {
        const writer = new FleetWriter()
        for (const { site, key, status } of first) writer.add(`${site}/${key}`, status)
        for (const { site, key, status } of last) writer.set({ site, key }, status)
        const written = new Map([...first, ...last].map(each => [`${each.site}/${each.key}`, each]))
        const read = sitesOf({ ...empty, fleet: writer.data(0) }).flatMap(({ cells }) => cells)
        expect(
          read.map(({ site, key, status }) => ({ site, key, status })).sort(byAddress)
        ).toEqual([...written.values()].sort(byAddress))
      })
    )
  })

  it('take little more than a character each', () => {
    const { plan, verdicts } = fleetReport({ sites: 1000, wlans: 10, drift: 0 })
    const [{ fleet }] = pageData({ kind: 'drift', plan, verdicts }).views
    expect(fleet.shapes).toHaveLength(1)
    expect(JSON.stringify(fleet).length).toBeLessThan(50 * 1000)
  })
})

interface Named {
  readonly site: string
  readonly key: string
}

function byAddress(a: Named, b: Named): number {
  return `${a.site}/${a.key}` < `${b.site}/${b.key}` ? -1 : 1
}

describe('the sites to look at first', () => {
  it('are those of which the worst is worse, then those that have more of it', () => {
    const trouble = (site: string, ...all: readonly (typeof statuses)[number][]) =>
      all.map((status, nth) => ({ site, key: `w${nth}`, status }))
    const worries = siteIssuesOf([
      ...trouble('calm', 'sync', 'applied', 'unchanged'),
      ...trouble('many harmless', 'none', 'none', 'none', 'none', 'unmanaged'),
      ...trouble('one outage', 'outage', 'sync'),
      ...trouble('outage and reconnect', 'reconnect', 'outage'),
      ...trouble('b two outages', 'outage', 'outage'),
      ...trouble('a two outages', 'outage', 'outage'),
      ...trouble('downgrade', 'none', 'downgrade'),
      ...trouble('unread', 'unread', 'unread')
    ])
    expect(worries.map(({ site }) => site)).toEqual([
      'downgrade',
      'a two outages',
      'b two outages',
      'outage and reconnect',
      'one outage',
      'unread',
      'many harmless'
    ])
    expect(worries[3]?.troubles.map(({ status }) => status)).toEqual(['outage', 'reconnect'])
  })

  it.each([
    ['a small fleet', smallReport],
    ['a large one', fleetReport({ sites: 300, wlans: 8, drift: 5, unread: 40 })],
    ['outcomes', outcomesReport({ sites: 200, wlans: 8, drift: 5 })]
  ])('are the same whether all of %s is read or only they', (_, report) => {
    const [view] = pageData(report).views
    const all = siteIssuesOf(sitesOf(view).flatMap(({ cells }) => cells))
    const { sites, total } = worstSitesOf(view, 5)
    expect(total).toBe(all.length)
    expect(sites.map(({ name }) => name)).toEqual(all.slice(0, 5).map(({ site }) => site))
  })
})

describe('a saved plan', () => {
  it('counts the WLANs in sync that it does not name, and shows the sites that were not read', () => {
    const [view] = pageData({ kind: 'plan', plan: smallReport.plan }).views
    expect(view.fleet.unnamed).toBe(2)
    const jena = sitesOf(view).find(({ name }) => name === 'store-jena')
    expect(jena?.cells.map(({ key, status }) => [key, status])).toEqual([['', 'unread']])
  })
})

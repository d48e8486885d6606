import { describe, expect, it } from 'vitest'
import { type CellStatus, countStatus, siteIssuesOf } from '../../../src/report/html/cell-status.ts'
import { cellsOfConcern, decodeSites, needsAttention } from '../../../src/report/html/cells.ts'
import { pageData } from '../../../src/report/html/views.ts'
import { fleetReport, outcomesReport, smallReport } from './fleets.ts'

describe('the worst sites', () => {
  it('are those with the worst status, then those with more WLANs in it', () => {
    const issues = (site: string, ...statuses: readonly CellStatus[]) =>
      statuses.map((status, nth) => ({ site, key: `w${nth}`, status }))
    const sites = siteIssuesOf([
      ...issues('calm', 'sync', 'applied', 'unchanged'),
      ...issues('many harmless', 'none', 'none', 'none', 'none', 'unmanaged'),
      ...issues('one outage', 'outage', 'sync'),
      ...issues('outage and reconnect', 'reconnect', 'outage'),
      ...issues('b two outages', 'outage', 'outage'),
      ...issues('a two outages', 'outage', 'outage'),
      ...issues('downgrade', 'none', 'downgrade'),
      ...issues('unread', 'unread', 'unread')
    ])
    expect(sites.map(({ site }) => site)).toEqual([
      'downgrade',
      'a two outages',
      'b two outages',
      'outage and reconnect',
      'one outage',
      'unread',
      'many harmless'
    ])
    expect(sites[3]?.issues.map(({ status }) => status)).toEqual(['outage', 'reconnect'])
  })

  it.each([
    ['a small fleet', smallReport],
    ['a large one', fleetReport({ sites: 300, wlans: 8, drift: 5, unread: 40 })],
    ['outcomes', outcomesReport({ sites: 200, wlans: 8, drift: 5 })]
  ])('of %s: decoding only the sites that need attention gives the same WLANs', (_, report) => {
    const [view] = pageData(report).views
    const all = decodeSites(view).flatMap(({ cells }) => cells)
    expect(cellsOfConcern(view)).toEqual(all.filter(needsAttention))
  })
})

it.each<[CellStatus, number, string]>([
  ['outage', 2, '2 outages'],
  ['reconnect', 1, '1 reconnect'],
  ['some', 1200, '1,200 partial outages'],
  ['sync', 2, '2 in sync']
])('counts WLANs that are %s: %i', (status, count, text) => {
  expect(countStatus(status, count)).toBe(text)
})

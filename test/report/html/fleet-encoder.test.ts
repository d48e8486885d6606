import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { statusInfos } from '../../../src/report/html/cell-status.ts'
import { decodeSites } from '../../../src/report/html/cells.ts'
import { FleetEncoder } from '../../../src/report/html/fleet-encoder.ts'
import { pageData } from '../../../src/report/html/views.ts'
import { planOf } from '../plans.ts'
import { fleetReport, smallReport } from './fleets.ts'

const statuses = statusInfos.map(({ status }) => status)
const [empty] = pageData({ kind: 'plan', plan: planOf([]) }).views

describe('the statuses of a fleet', () => {
  const part = fc.stringMatching(/^[a-c]{1,3}$/)
  const wlan = fc.record({
    site: fc.stringMatching(/^[a-c/]{0,4}$/),
    key: part,
    status: fc.constantFrom(...statuses)
  })
  const wlans = fc.uniqueArray(wlan, { selector: ({ site, key }) => `${site}/${key}` })

  it('are decoded from their encoding, in any order, with any names', () => {
    fc.assert(
      fc.property(wlans, wlans, (first, last) => {
        const encoder = new FleetEncoder()
        for (const { site, key, status } of first) encoder.add(`${site}/${key}`, status)
        for (const { site, key, status } of last) encoder.set({ site, key }, status)
        const written = new Map([...first, ...last].map(each => [`${each.site}/${each.key}`, each]))
        const read = decodeSites({ ...empty, fleet: encoder.encode(0) }).flatMap(
          ({ cells }) => cells
        )
        expect(
          read.map(({ site, key, status }) => ({ site, key, status })).sort(byAddress)
        ).toEqual([...written.values()].sort(byAddress))
      })
    )
  })

  it('take about one character per WLAN', () => {
    const { plan, verdicts } = fleetReport({ sites: 1000, wlans: 10, drift: 0 })
    const [{ fleet }] = pageData({ kind: 'drift', plan, verdicts }).views
    expect(fleet.keySets).toHaveLength(1)
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

describe('a saved plan', () => {
  it('counts the WLANs in sync without names, and contains the unread sites', () => {
    const [view] = pageData({ kind: 'plan', plan: smallReport.plan }).views
    expect(view.fleet.unnamed).toBe(2)
    const jena = decodeSites(view).find(({ name }) => name === 'store-jena')
    expect(jena?.cells.map(({ key, status }) => [key, status])).toEqual([['', 'unread']])
  })
})

import { expect, it } from 'vitest'
import type { Finding } from '../../../src/core/model/finding.ts'
import { renderHtml } from '../../../src/report/html/html.ts'
import type { Report } from '../../../src/report/report.ts'
import { planOf } from '../plans.ts'
import { fleetReport } from './fleets.ts'

const findings = Array.from(
  { length: 20_000 },
  (_, n): Finding => ({
    level: 'error',
    code: 'WLAN_NOT_FOUND',
    message: `no WLAN ${n}`,
    address: `hq/w${n}`
  })
)

it.each<[what: string, report: Report]>([
  ['20,000 findings on one site', { kind: 'plan', plan: planOf([], { findings }) }],
  ['5,000 WLANs of one site', fleetReport({ sites: 1, wlans: 5000, drift: 100 })]
])('%s take less than 2 s of CPU', (_, report) => {
  const before = process.cpuUsage()
  expect(renderHtml(report)).toContain('</html>')
  const { user, system } = process.cpuUsage(before)
  expect(user + system).toBeLessThan(2_000_000)
})

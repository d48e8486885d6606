import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Finding } from '../../../src/core/model/finding.ts'
import { formats } from '../../../src/report/formats.ts'
import { networkStates } from '../../../src/report/overview/overview.ts'
import type { Report } from '../../../src/report/report.ts'
import { ROOT } from '../../support/program.ts'
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

it.each<[what: string, report: Report, bytes: number]>([
  ['20,000 findings on one site', { kind: 'plan', plan: planOf([], { findings }) }, 12e6],
  ['5,000 WLANs of one site', fleetReport({ sites: 1, wlans: 5000, drift: 100 }), 10e6]
])('%s make a page of bounded size', (_, report, bytes) => {
  const text = formats.html(report, {})
  expect(text).toMatch(/<\/html>\n$/)
  expect(Buffer.byteLength(text)).toBeLessThan(bytes)
})

it('links to lines of files whose address is known', () => {
  const report = fleetReport({ sites: 3, wlans: 2, drift: 100 })
  const link = '<a href="https://github.com/acme/wifi/blob/abc/sites/store-0001.yaml#L12">'
  expect(formats.html(report, { source: 'https://github.com/acme/wifi/blob/abc' })).toContain(link)
  expect(formats.html(report, {})).not.toContain('href="https:')
})

it.each(networkStates.filter(state => state !== 'differs'))('%s has a colour', state => {
  const style = readFileSync(join(ROOT, 'src/report/html/page/style.css'), 'utf8')
  expect(style).toMatch(new RegExp(`\\.s[^{]*\\.${state}\\b[^{]*\\{\\s*--c: light-dark`))
})

import { expect, it } from 'vitest'
import { finding } from '../../../../src/core/model/finding.ts'
import type { History } from '../../../../src/core/model/history.ts'
import { historyHtml } from '../../../../src/report/html/history.ts'
import { violations } from './axe.ts'
import { browserForTests, type Window } from './browser.ts'

const open = browserForTests()

const hostile = '</svg><script>alert(1)</script>"><img src=x onerror=alert(1)>'

const history: History = {
  baseUrl: 'https://api.example.com',
  points: [
    {
      at: '2026-11-18T05:00:00Z',
      file: 'a.json',
      kind: 'plan',
      drifted: 3,
      unmanaged: 1,
      failed: 0
    },
    { at: '2026-11-18T06:00:00Z', file: hostile, kind: 'outcomes', failed: 2 },
    {
      at: '2026-11-20T05:00:00Z',
      file: 'b.json',
      kind: 'plan',
      drifted: 9,
      unmanaged: 1,
      failed: 0
    }
  ],
  sites: [
    { name: 'hq', reports: 2, wlans: 9, now: 6 },
    { name: hostile, reports: 1, wlans: 3, now: 0 }
  ],
  fields: [{ name: '/auth/psk', reports: 2, wlans: 12, now: 9 }],
  findings: [finding('HISTORY_LEFT_OUT', {}, hostile, 'it is damaged')]
}

it('a history has a column for each report, and tables with the same data', async () => {
  const { page, problems } = await open(historyHtml(history), { script: false })
  expect(await page.locator('h1').innerText()).toBe('9 networks differ, 6 more than before')
  expect(await page.locator('.coverage').innerText()).toContain(
    'failed updates: 0, 2 fewer than before'
  )
  const chart = page.getByRole('group', { name: 'Drifted over time: from 3 to 9' })
  expect(await chart.locator('a').count()).toBe(3)
  await chart.getByRole('link', { name: '2026-11-20 05:00:00 UTC: drifted 9, failed 0' }).click()
  expect(await page.locator('#reports :target').innerText()).toBe('2026-11-20 05:00:00 UTC')
  const sites = page.locator('#often-sites tbody tr')
  expect(await sites.first().innerText()).toMatch(/^hq\s+2 of 2\s+9\s+6$/)
  expect(await page.locator('#reports tbody tr').count()).toBe(3)
  expect(problems).toEqual([])
})

it('keeps the names of sites, fields and files readable on a phone', async () => {
  const name = 'store-berlin-nord'
  const { page } = await open(
    historyHtml({
      ...history,
      sites: [{ name, reports: 2, wlans: 9, now: 6 }],
      fields: [{ name: '/client_limit_down', reports: 2, wlans: 9, now: 6 }]
    }),
    { width: 390, height: 740 }
  )
  for (const cell of await page.locator('tbody th').all())
    expect((await cell.boundingBox())?.width ?? 0).toBeGreaterThan(100)
  const file = page.locator('#reports td code', { hasText: 'a.json' })
  expect((await file.boundingBox())?.height).toBeLessThan(30)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
})

it.each<Window>([{}, { scheme: 'dark' }, { width: 390, height: 844 }])(
  'axe finds no violations, and nothing runs or loads: %j',
  async window => {
    const { page, problems } = await open(historyHtml(history), window)
    expect(await violations(page)).toEqual([])
    expect(await page.locator('img').count()).toBe(0)
    expect(await page.locator('body').innerText()).toContain(hostile)
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    expect(await page.evaluate(overflow)).toBe(0)
    expect(problems).toEqual([])
  }
)

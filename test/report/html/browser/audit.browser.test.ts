import { expect, it } from 'vitest'
import { Auditor } from '../../../../src/core/audit/auditor.ts'
import type { ValueObject } from '../../../../src/core/values/value.ts'
import { auditHtml } from '../../../../src/report/html/audit.ts'
import { wlanValue } from '../../../../src/service/live.ts'
import { violations } from './axe.ts'
import { browserForTests, type Window } from './browser.ts'

const open = browserForTests()

const hostile = '</td><script>alert(1)</script>"><img src=x onerror=alert(1)>'

/** The page of an audit of 120 sites: the first one has other security and no VLAN for guests. */
function pageOf(): string {
  const auditor = new Auditor()
  for (let nth = 0; nth < 120; nth += 1) {
    const auth = nth === 0 ? { type: 'psk' } : { type: 'eap', pairwise: ['wpa3'] }
    const records = [
      { ssid: 'Corp', auth, auth_servers: [{ host: '10.0.0.1', secret: 'planted' }] },
      { ssid: hostile, auth: { type: 'open' }, vlan_enabled: nth > 0, vlan_id: 40 }
    ]
    const wlans = records.map(({ ssid, ...fields }, at) => ({
      id: `w${at}`,
      ssid,
      record: wlanValue({ ssid, enabled: true, ...fields }) as ValueObject,
      readAt: 0
    }))
    auditor.add({ site: { id: `id${nth}`, name: `site-${nth}` }, wlans })
  }
  const site = { id: 'x', name: hostile }
  const unread = [{ site, reason: hostile }]
  return auditHtml(auditor.result({ baseUrl: 'https://api.example.com', requests: 121, unread }))
}

it('an audit has the verdict, the worst problem with its places, and a matrix that opens', async () => {
  const { page, problems } = await open(pageOf(), { script: false })
  expect(await page.locator('h1').innerText()).toMatch(
    /^Incomplete: 1 site not read\. 1 error, 122 warnings and 2 outliers at 120 of 120 sites$/
  )
  await page.locator('#first a').first().click()
  const first = page.locator('#problems li.finding').first()
  await first.locator('summary').click()
  expect(await first.locator('ul.places').innerText()).toContain('site-0/')
  const folds = page.locator('#matrix details')
  expect(await folds.count()).toBe(2)
  expect(await folds.first().locator('tbody tr').first().innerText()).toMatch(
    /^site-0\s.*! untagged.*! psk/s
  )
  await folds.last().locator('summary').click()
  expect(await folds.last().locator('tbody tr').last().isVisible()).toBe(true)
  expect(problems).toEqual([])
})

it.each<Window>([{}, { scheme: 'dark' }, { width: 360, height: 740 }])(
  'axe finds no violations, and nothing runs or loads: %j',
  async window => {
    const { page, problems } = await open(pageOf(), window)
    expect(await violations(page)).toEqual([])
    expect(await page.locator('img,script').count()).toBe(0)
    expect(await page.locator('body').innerText()).toContain(hostile)
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    expect(await page.evaluate(overflow)).toBe(0)
    expect(problems).toEqual([])
  }
)

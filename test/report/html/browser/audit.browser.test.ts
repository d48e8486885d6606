import { expect, it } from 'vitest'
import { Auditor } from '../../../../src/core/audit/auditor.ts'
import type { ValueObject } from '../../../../src/core/values/value.ts'
import { auditFormats } from '../../../../src/report/audit.ts'
import { wlanValue } from '../../../../src/service/live.ts'
import { plain } from '../../plans.ts'
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
  const audit = auditor.result({ baseUrl: 'https://api.example.com', requests: 121, unread })
  return auditFormats.html(audit, plain)
}

it('an audit has the worst problem, each site with its networks, and the networks by site', async () => {
  const { page, problems } = await open(pageOf())
  expect(await page.title()).toBe(`Audit: ${await page.locator('h1').innerText()} – wlanctl`)
  expect(await page.locator('#sites li').first().innerText()).toContain('site-0')
  expect(await page.locator('#squares a').count()).toBe(121)
  await page.locator('#q').fill('site:site-0 wlan:corp')
  expect(await page.locator('#sites article:not([hidden])').innerText()).toContain('site-0')
  expect(await page.locator('#networks').innerText()).toMatch(/Corp.*119.*eap.*\s.*1.*psk/s)
  expect(problems).toEqual([])
})

it.each<Window>([{}, { scheme: 'dark' }, { width: 360, height: 740 }])(
  'axe finds no violations, and nothing runs or loads: %j',
  async window => {
    const { page, problems } = await open(pageOf(), window)
    expect(await violations(page)).toEqual([])
    expect(await page.locator('img').count()).toBe(0)
    expect(await page.locator('#networks').innerText()).toContain(hostile.slice(0, 30))
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    expect(await page.evaluate(overflow)).toBe(0)
    expect(problems).toEqual([])
  }
)

import { describe, expect, it } from 'vitest'
import type { Report } from '../../../../src/report/report.ts'
import { notFound } from '../../plans.ts'
import { fleetReport, outcomesReport, smallReport } from '../fleets.ts'
import { violations } from './axe.ts'
import { browserForTests, type Window } from './browser.ts'

const open = browserForTests()

const large = fleetReport({ sites: 120, wlans: 8, drift: 4, unread: 30 })
const site = `#site=${encodeURIComponent(large.plan.changes[0]?.site.name ?? '')}`

describe('axe finds no violations', () => {
  it.each<[what: string, report: Report, window: Window]>([
    ['a small fleet', smallReport, {}],
    ['a small fleet in the dark', smallReport, { scheme: 'dark' }],
    ['a small fleet on a phone', smallReport, { width: 360, height: 740 }],
    ['a WLAN', smallReport, { fragment: '#site=hq&wlan=guest' }],
    ['a WLAN in the dark', smallReport, { scheme: 'dark', fragment: '#site=hq&wlan=guest' }],
    ['a large fleet, filtered', large, { fragment: '#status=outage&text=o&hide=%2Fvlan_id' }],
    ['a large fleet in the dark', large, { scheme: 'dark', fragment: '#status=reconnect' }],
    ['a site on a phone', large, { width: 360, height: 740, fragment: site }],
    ['a fleet in sync', fleetReport({ sites: 12, wlans: 4, drift: 0 }), {}],
    ['outcomes of a plan', outcomesReport({ sites: 60, wlans: 6, drift: 9 }), {}],
    ['invalid files', { kind: 'findings', findings: [notFound] }, {}]
  ])('in %s', async (_, report, window) => {
    const { page, problems } = await open(report, window)
    expect(await violations(page)).toEqual([])
    expect(problems).toEqual([])
  })
})

describe('the keyboard', () => {
  it('moves from site to site on the map, and opens one', async () => {
    const { page } = await open(large)
    const readout = page.locator('#readout')
    await page.locator('#canvas').focus()
    const [first, second] = [...large.plan.changes.map(({ site: { name } }) => name)]
    expect(first).not.toBe(second)
    const names = await page.evaluate(
      () => JSON.parse(document.getElementById('data')?.textContent ?? '').views[0].fleet.sites
    )
    expect(await readout.innerText()).toContain(names[0][0])
    await page.keyboard.press('ArrowRight')
    expect(await readout.innerText()).toContain(names[1][0])
    await page.keyboard.press('End')
    expect(await readout.innerText()).toContain(names.at(-1)[0])
    await page.keyboard.press('Enter')
    const title = page.locator('#detail h2')
    expect(await title.innerText()).toBe(names.at(-1)[0])
    expect(await title.evaluate(element => element === document.activeElement)).toBe(true)
    await page.keyboard.press('Escape')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('canvas')
  })

  it('reaches every element, with a visible focus that returns after closing details', async () => {
    const { page } = await open(smallReport)
    const seen = new Set<string>()
    for (let at = 0; at < 80; at += 1) {
      await page.keyboard.press('Tab')
      const { where, outline } = await page.evaluate(() => {
        const active = document.activeElement
        const style = active && getComputedStyle(active)
        const section = active?.closest('section,aside')?.id ?? active?.className ?? ''
        return { where: section, outline: `${style?.outlineStyle} ${style?.outlineWidth}` }
      })
      if (where !== '') expect(outline, where).toMatch(/solid 3px|auto/)
      seen.add(where)
    }
    for (const part of ['skip', 'worst', 'fleet', 'changes', 'sites', 'findings']) {
      expect([...seen]).toContain(part)
    }
    const chip = page.locator('#legend button').first()
    await chip.focus()
    await page.keyboard.press('Space')
    expect(await chip.getAttribute('aria-pressed')).toBe('true')
    expect(await chip.evaluate(element => element === document.activeElement)).toBe(true)
    const link = page.locator('#matrix a').nth(3)
    await link.focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    expect(await link.evaluate(element => element === document.activeElement)).toBe(true)
  })

  it('starts a search with a slash', async () => {
    const { page } = await open(smallReport)
    await page.keyboard.press('/')
    await page.keyboard.type('guest')
    expect(await page.locator('#text').inputValue()).toBe('guest')
  })
})

describe('a window', () => {
  it.each([320, 360, 768, 1280, 2560])('%d pixels wide never scrolls sideways', async width => {
    for (const report of [smallReport, large]) {
      const { page } = await open(report, { width, fragment: '#text=o' })
      const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
      expect(await page.evaluate(overflow)).toBe(0)
    }
  })

  it('follows the colour scheme of the system', async () => {
    const paper = async (scheme: 'light' | 'dark') => {
      const { page } = await open(large, { scheme })
      return page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
    }
    expect(await paper('light')).not.toBe(await paper('dark'))
  })

  it('prints every change, open, and no controls', async () => {
    const { page } = await open(large)
    await page.emulateMedia({ media: 'print' })
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')))
    expect(await page.locator('#groups > li > details:not([open])').count()).toBe(0)
    expect(await page.locator('.filters').isVisible()).toBe(false)
    const body = await page.locator('#groups').innerText()
    for (const {
      site: { name }
    } of large.plan.changes)
      expect(body).toContain(name)
    await page.evaluate(() => dispatchEvent(new Event('afterprint')))
    expect(await page.locator('#groups > li > details:not([open])').count()).toBeGreaterThan(0)
  })
})

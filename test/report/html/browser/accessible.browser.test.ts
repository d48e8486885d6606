import { describe, expect, it } from 'vitest'
import { auditFormats } from '../../../../src/report/audit.ts'
import { diffFormats } from '../../../../src/report/estate-diff.ts'
import { splitAddress } from '../../../../src/report/fields/change-key.ts'
import { formats } from '../../../../src/report/formats.ts'
import { targetId } from '../../../../src/report/html/targets.ts'
import { estate, outcomesReport } from '../../overview/estates.ts'
import { plain } from '../../plans.ts'
import { richAudit, richDiff } from '../../rich.ts'
import { violations } from './axe.ts'
import { browserForTests, type Window } from './browser.ts'

const open = browserForTests()

const drift = estate(60)
const plan = estate(40, 'plan')
const applied = outcomesReport(60)
const network = `#at/${encodeURIComponent('Store 0015 Meadow Lane')}/corp`

const reports = {
  'a drift report': [drift, ''],
  'a plan': [plan, ''],
  '3 sites': [estate(3), ''],
  'a network': [drift, network],
  'a search': [drift, '#q=s:wrong'],
  'an apply': [applied, ''],
  'a search in an apply': [applied, '#q=s:not-read'],
  'an audit': [auditFormats.html(richAudit, plain), ''],
  'a diff': [diffFormats.html(richDiff, plain), '']
} as const

/** Other windows show the same parts: a few pages have all of them. */
const few = ['a plan', '3 sites', 'an audit', 'a diff'] as const

describe.each<[Window, readonly (keyof typeof reports)[]]>([
  [{}, Object.keys(reports) as (keyof typeof reports)[]],
  [{ scheme: 'dark' }, few],
  [{ width: 390, height: 844 }, few]
])('in %j, axe finds no violations', (window, names) => {
  it.each(names)('in %s', { timeout: 120_000 }, async name => {
    const [report, fragment] = reports[name]
    const { page, problems } = await open(report, { ...window, fragment })
    expect(await violations(page)).toEqual([])
    expect(problems).toEqual([])
  })
})

describe('the keyboard', () => {
  it('stops once at the squares, moves between them, and opens a site', async () => {
    const { page } = await open(drift)
    const squares = page.locator('#squares a')
    expect(await page.locator('#squares a[tabindex="0"]').count()).toBe(1)
    await squares.first().focus()
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('title') ?? '')
    const first = await focused()
    expect(await page.locator('#readout').innerText()).toBe(first)
    await page.keyboard.press('ArrowRight')
    const second = await focused()
    expect(second).not.toBe(first)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    expect(await focused()).toBe(second)
    await page.keyboard.press('End')
    expect(await focused()).toBe(await squares.last().getAttribute('title'))
    await page.keyboard.press('Home')
    expect(await focused()).toBe(first)
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.closest('#squares'))).toBe(null)
    await page.keyboard.press('Shift+Tab')
    expect(await focused()).toBe(first)
    await page.keyboard.press('Enter')
    const opened = page.locator('#sites div:target')
    expect(await opened.isVisible()).toBe(true)
    expect(await opened.evaluate(element => element === document.activeElement)).toBe(true)
  })

  it('reaches every part, with a visible focus', async () => {
    const next = [['wlanctl apply', 'puts the declared values back']] as const
    const { page } = await open(formats.html(estate(3), { next }))
    const seen = new Set<string>()
    for (let at = 0; at < 60; at += 1) {
      await page.keyboard.press('Tab')
      const { where, outline } = await page.evaluate(() => {
        const active = document.activeElement
        const style = active && getComputedStyle(active)
        const part = active?.closest('section,header')?.id || active?.className || ''
        return { where: part, outline: `${style?.outlineStyle} ${style?.outlineWidth}` }
      })
      if (where !== '') expect(outline, where).toMatch(/solid [23]px|auto/)
      seen.add(where)
    }
    for (const part of ['skip', 'first', 'next', 'sites', 'changes', 'findings'])
      expect([...seen]).toContain(part)
  })

  it('starts a search with a slash', async () => {
    const { page } = await open(plan)
    await page.keyboard.press('/')
    await page.keyboard.type('guest')
    expect(await page.locator('#q').inputValue()).toBe('guest')
  })
})

const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

describe('a window', () => {
  it.each<Window>([{ width: 320 }, { width: 390 }, { width: 1024 }, { width: 640, zoom: 2 }])(
    '%j never scrolls sideways, also with all folds open',
    async window => {
      for (const report of [estate(3), drift, plan]) {
        const { page } = await open(report, window)
        expect(await page.evaluate(overflow)).toBe(0)
        await page.locator('details').evaluateAll(all => {
          for (const details of all) details.setAttribute('open', '')
        })
        expect(await page.evaluate(overflow)).toBe(0)
      }
    }
  )

  it.each<[Window, lines: number]>([
    [{ width: 390 }, 4],
    [{ width: 760 }, 2],
    [{ width: 1280 }, 1]
  ])('%j shows all sections', async (window, lines) => {
    const findings = ['NO_LONGER_DECLARED', 'POLICY_RELAXED', 'FIELD_UNKNOWN'] as const
    const refusals = [{ level: 'error', code: 'OVER_MAX_CHANGES', message: 'too many' }] as const
    const crowded = {
      ...plan,
      plan: {
        ...plan.plan,
        findings: findings.map(code => ({ level: 'warning', code, message: code }) as const),
        refusals,
        rollout: [{ name: 'canary', sites: ['Store 0001 Harbour'] }]
      }
    }
    const { page } = await open(crowded, window)
    const links = await page.locator('.bar nav a').all()
    expect(links.length).toBeGreaterThan(6)
    const tops = new Set<number>()
    for (const link of links) {
      const { x, y, width } = (await link.boundingBox()) ?? { x: Number.NaN, y: 0, width: 0 }
      expect(x + width, await link.innerText()).toBeLessThanOrEqual(window.width ?? 0)
      tops.add(y)
    }
    expect(tops.size).toBeLessThanOrEqual(lines)
    expect(await page.locator('nav').evaluate(nav => nav.scrollWidth - nav.clientWidth)).toBe(0)
  })

  it('follows the colour scheme of the system', async () => {
    const paper = async (scheme: 'light' | 'dark') => {
      const { page } = await open(plan, { scheme })
      return page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
    }
    expect(await paper('light')).not.toBe(await paper('dark'))
  })

  it.each([estate(300), outcomesReport(300)])(
    'prints the fields of equal changes once: 300 sites on 20 pages at most',
    async report => {
      const { page } = await open(report)
      const pdf = (await page.pdf({ format: 'A4' })).toString('latin1')
      const count = pdf.match(/\/Type \/Page\b/g)?.length ?? 0
      expect(count).toBeGreaterThan(1)
      expect(count).toBeLessThanOrEqual(20)
    }
  )

  it('prints of 2,000 sites a line for each with a problem, and the others with their change', async () => {
    const { page } = await open(outcomesReport(2000))
    await page.emulateMedia({ media: 'print' })
    const items = page.locator('#sites .rows > li:not(.rows li li)')
    const shown = (state: string) =>
      items
        .filter({ has: page.locator(`summary > .${state}`) })
        .first()
        .isVisible()
    expect(await shown('failed')).toBe(true)
    expect(await shown('applied')).toBe(false)
    expect(await page.locator('#sites article').first().isVisible()).toBe(false)
    expect(await page.locator('#changes .places a').last().isVisible()).toBe(true)
  })

  it('prints every change, open, and no controls', async () => {
    const { page } = await open(drift)
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator('search').isVisible()).toBe(false)
    for (const { address } of drift.plan.changes) {
      const { site, key } = splitAddress(address)
      const link = page.locator(`#changes a[href="#${targetId(site, key)}"]`)
      expect(await link.isVisible(), address).toBe(true)
    }
    for (const network of await page.locator('article').all())
      expect(await network.isVisible()).toBe(true)
    for (const group of await page.locator('#changes table').all())
      expect(await group.isVisible()).toBe(true)
  })
})

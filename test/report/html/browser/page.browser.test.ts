import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { estate, outcomesReport } from '../../overview/estates.ts'
import { guestsOf } from '../../plans.ts'
import { browserForTests } from './browser.ts'

const open = browserForTests()

const drift = estate(300)
const plan = estate(40, 'plan')
const site = 'Store 0015 Meadow Lane'
const corp = `#at/${encodeURIComponent(site)}/corp`

it.each([1440, 390])('breaks a command between words only, %d pixels wide', async width => {
  const { page } = await open(drift, { width })
  const broken = await page.locator('#first .command code').evaluateAll(commands =>
    commands.flatMap(command => {
      const nodes: { node: Node; from: number }[] = []
      const walker = document.createTreeWalker(command, NodeFilter.SHOW_TEXT)
      let length = 0
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        nodes.push({ node, from: length })
        length += node.textContent?.length ?? 0
      }
      const place = (at: number) => {
        const { node = command, from = 0 } = nodes.findLast(each => each.from <= at) ?? {}
        return [node, at - from] as const
      }
      return [...(command.textContent ?? '').matchAll(/(?:--\w+ )?(?:'[^']*'|[^\s']+)/g)].flatMap(
        word => {
          const range = document.createRange()
          range.setStart(...place(word.index))
          range.setEnd(...place(word.index + word[0].length - 1))
          return new Set([...range.getClientRects()].map(({ top }) => top)).size > 1 ? word[0] : []
        }
      )
    })
  )
  expect(broken).toEqual([])
})

it('keeps a long state on the screen, 390 pixels wide', async () => {
  const made = outcomesReport(300)
  const ends = ['off', 'not-isolated'] as const
  const changes = made.plan.changes.map((each, nth) => ({ ...each, ends: ends[nth % 2] ?? 'off' }))
  const outcomes = made.outcomes.map(({ address }) => ({ address, status: 'skipped' as const }))
  const report = { ...made, plan: { ...made.plan, changes }, outcomes }
  const { page } = await open(report, { width: 390 })
  const skipped = page.locator('.legend a', { hasText: /skipped \(\d+ still off, \d+ still less/ })
  const { x, width } = (await skipped.boundingBox()) ?? { x: 390, width: 0 }
  expect(x + width).toBeLessThanOrEqual(390 - 16)
})

it('has a bar of one row that covers no target', async () => {
  const made = {
    commit: '0123456789abcdef0123456789abcdef01234567',
    created: '2026-11-20T10:00:07Z'
  }
  const report = { ...drift, plan: { ...drift.plan, ...made } }
  const { page } = await open(report, { width: 1440, fragment: corp })
  const bar = await page.locator('.bar').boundingBox()
  expect(bar?.height).toBeLessThanOrEqual(56)
  const about = await page.locator('.bar small').innerText()
  expect(about).toBe('2026-11-20 10:00:07 UTC · commit 0123456')
  const target = await page.locator('article:target').boundingBox()
  expect(target?.y).toBeGreaterThanOrEqual((bar?.y ?? 0) + (bar?.height ?? 0))
})

it('lists the wrong networks of each site in one column', async () => {
  const { page } = await open(drift, { width: 1440 })
  const lefts = await page.locator('#sites .row > :nth-child(3)').evaluateAll(all =>
    all.map(cell => {
      const range = document.createRange()
      range.selectNodeContents(cell)
      return Math.round(range.getBoundingClientRect().left)
    })
  )
  expect(new Set(lefts.filter(left => left > 0)).size).toBe(1)
})

describe('the details of a network', () => {
  it('are the live and the declared value, the effect, the line in the files, and the commands', async () => {
    const { page, problems } = await open(drift, {
      fragment: `#at/${encodeURIComponent('Store 0002 Lakeside')}/iot`
    })
    const network = page.locator('article:target')
    expect(await network.isVisible()).toBe(true)
    const text = await network.innerText()
    for (const part of [
      'Live now → should be',
      '"open" → "psk"',
      'clients stay out until they are reconfigured',
      'declared in sites/Store 0002 Lakeside.yaml:16:3',
      "wlanctl apply --site 'Store 0002 Lakeside' --wlan iot",
      "wlanctl explain 'Store 0002 Lakeside/iot'"
    ])
      expect(text).toContain(part)
    // To adopt an open network would declare the fault.
    expect(text).not.toContain('wlanctl adopt')
    await network.getByRole('link', { name: 'The same at 4 networks' }).click()
    expect(await page.locator('#changes li:target details[open]').innerText()).toContain(
      'Old Mill Hospital'
    )
    expect(problems).toEqual([])
  })

  it('mark a new value that weakens security', async () => {
    const { page } = await open(plan)
    expect(await page.locator('#changes ins.less').first().innerText()).toBe('"open"')
  })

  it('open by a link also without script', async () => {
    const { page } = await open(drift, { script: false })
    await page.locator('#first a', { hasText: site }).click()
    const network = page.locator(`[id="${corp.slice(1)}"]`)
    expect(await network.isVisible()).toBe(true)
    expect(await page.locator('search').isVisible()).toBe(false)
    expect(await page.locator('button:visible').count()).toBe(0)
  })
})

describe('the search', () => {
  it('shows the networks with all words and tokens, and is in the address', async () => {
    const { page, problems } = await open(drift)
    await page.locator('.legend a', { hasText: 'wrong' }).click()
    expect(page.url()).toContain('#q=s:wrong')
    await page.locator('#q').fill('s:wrong s:open field:auth.type')
    await expect.poll(() => page.url()).toContain('#q=s:wrong+s:open+field:auth.type')
    const networks = page.locator('#sites article[data-t]:not([hidden])')
    const tokens = await networks.evaluateAll(all => all.map(({ dataset }) => dataset['t'] ?? ''))
    expect(tokens.length).toBeGreaterThan(3)
    for (const each of tokens) expect(each).toMatch(/^\|s:(wrong|open)\|.*\|field:auth\.type/)
    const shown = await page.locator('#squares a:not([hidden])').count()
    expect(await page.locator('#sites li[data-t]:not([hidden])').count()).toBe(shown)
    expect(await page.locator('#count').innerText()).toBe(
      `${shown} sites, ${tokens.length} networks to look at`
    )
    for (const group of await page.locator('#changes li[data-links]:not([hidden])').all())
      expect(await group.locator('i').getAttribute('class')).toMatch(/wrong|open/)
    expect(problems).toEqual([])
  })

  it('finds a site by a part of its name, and a whole value in quotes', async () => {
    const { page } = await open(drift, { fragment: '#q=meadow+lane' })
    const sites = page.locator('#sites li[data-t]:not([hidden])')
    for (const text of await sites.evaluateAll(all => all.map(each => each.textContent)))
      expect(text).toContain('Meadow Lane')
    await page.locator('#q').fill(`site:"${site}"`)
    await expect.poll(() => sites.count()).toBe(1)
    expect(await page.locator('#sites article').first().isVisible()).toBe(false)
    expect(await sites.locator('article').first().isVisible()).toBe(true)
  })

  it('finds networks by field and by rule', async () => {
    const { page } = await open(drift, { fragment: '#q=field:vlan_id' })
    expect(await page.locator('#changes li[data-links]:not([hidden])').count()).toBe(1)
    await page.locator('#q').fill('rule:rates-mixed')
    await expect.poll(() => page.locator('#findings li[data-links]:not([hidden])').count()).toBe(1)
  })

  it('is undone by the back button and by emptying it', async () => {
    const { page } = await open(drift, { fragment: '#q=s:off' })
    const hidden = page.locator('[data-t][hidden]')
    expect(await hidden.count()).toBeGreaterThan(0)
    await page.locator('.legend a', { hasText: 'open' }).click()
    await expect.poll(() => page.locator('#q').inputValue()).toBe('s:open')
    await page.goBack()
    await expect.poll(() => page.locator('#q').inputValue()).toBe('s:off')
    await page.locator('#q').fill('')
    await expect.poll(() => hidden.count()).toBe(0)
    expect(await page.locator('details[open]').count()).toBe(0)
  })

  it('gives way to a link to what it hides', async () => {
    const { page } = await open(drift, { fragment: '#q=s:open' })
    await page.locator('#first a', { hasText: site }).click()
    await expect.poll(() => page.locator('#q').inputValue()).toBe('')
    expect(await page.locator(`[id="${corp.slice(1)}"]`).isVisible()).toBe(true)
  })

  it.each(['#q=%', '#q=', '#q=s:', '#q="', '#at/nowhere', '#__proto__', '#%', '#q=__proto__:x'])(
    'ignores %s',
    async fragment => {
      const { page, problems } = await open(plan, { fragment })
      expect(await page.locator('h1').isVisible()).toBe(true)
      expect(problems).toEqual([])
    }
  )
})

describe('a reader', () => {
  it('finds each of many sites that change alike, and saves its fields', async () => {
    const { page, problems } = await open({ kind: 'plan', plan: guestsOf(120) })
    const found = page.locator('.alike li:not([hidden])')
    await page.locator('#q').fill('s:differs field:vlan_id')
    expect(await page.locator('#count').innerText()).toBe('120 sites, 120 networks to look at')
    await page.locator('#q').fill('store 0007')
    expect(await found.allInnerTexts()).toEqual(['Store 0007'])
    expect(await page.locator('#count').innerText()).toBe('1 site, 1 network to look at')
    const saving = page.waitForEvent('download')
    await page.locator('#csv').click()
    const csv = readFileSync(await (await saving).path(), 'utf8')
    expect(csv.split('\r\n').slice(1)).toEqual(['Store 0007,guest,to change,vlan_id,40 → 45', ''])
    await page.locator('#q').fill('s:off')
    expect(await page.locator('.alike').isVisible()).toBe(false)
    await page.locator('#q').fill('')
    await page.locator('#squares a').nth(9).click()
    await expect.poll(() => page.locator('.alike li:target').innerText()).toBe('Store 0009')
    expect(problems.filter(problem => !problem.startsWith('request: blob:'))).toEqual([])
  })

  it('copies a command, and the address of the search', async () => {
    const { page, problems } = await open(drift, { fragment: '#q=s:off' })
    const command = page.locator('#first .command').first()
    await command.getByRole('button').click()
    const copied = () => page.evaluate(() => navigator.clipboard.readText())
    expect(await copied()).toBe(await command.locator('code').innerText())
    await page.locator('#link').click()
    await expect.poll(copied).toBe(page.url())
    expect(problems).toEqual([])
  })

  it('saves the networks that are shown as a table, without formulas', async () => {
    const [change] = estate(3).plan.changes
    if (change === undefined) throw new Error('no change')
    const site = { ...change.site, name: '=HYPERLINK("http://evil")' }
    const renamed = { ...change, site, address: `${site.name}/corp` }
    const { page, problems } = await open({
      kind: 'drift',
      plan: { ...estate(3).plan, changes: [renamed] }
    })
    await page.locator('#q').fill('wlan:corp s:off')
    const saved = page.waitForEvent('download')
    await page.locator('#csv').click()
    const [head, ...rows] = readFileSync(await (await saved).path(), 'utf8')
      .trim()
      .split('\r\n')
    expect(head).toBe('site,network,state,field,value')
    expect(rows).toContainEqual(`"'=HYPERLINK(""http://evil"")",corp,off,enabled,false → true`)
    expect(problems.filter(problem => !problem.startsWith('request: blob:'))).toEqual([])
  })
})

it('an apply has the failed changes with their reasons, and the time of each update', async () => {
  const { page, problems } = await open(outcomesReport(100))
  expect(await page.locator('h1').innerText()).toMatch(/\d+ of \d+ changes were not verified/)
  const labels = (await page.locator('.legend a').allInnerTexts()).map(text =>
    text.replace(/[\d,]+/, '').trim()
  )
  const rest = ['blocked', 'not read', 'applied', 'as declared']
  expect(labels).toEqual(['unknown', 'diverged', 'failed', 'stale', ...rest])
  await page.locator('#first a').first().click()
  const network = page.locator('#sites article').first()
  expect(await network.innerText()).toContain('the connection was lost before the answer came')
  expect(await network.innerText()).toMatch(
    /10:00:\d\d UTC sent, response after 0\.\d s, read back after/
  )
  expect(problems).toEqual([])
})

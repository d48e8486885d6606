import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { RecordedRun } from '../../../../src/core/model/record.ts'
import { estate, sizes } from '../../overview/estates.ts'
import { changeOf, planOf, tills } from '../../plans.ts'
import { outcomesReport } from '../fleets.ts'
import { browserForTests } from './browser.ts'

const open = browserForTests()

const drift = estate(300)
const plan = estate(40, 'plan')
const site = 'Store 0015 Meadow Lane'
const corp = `#at/${encodeURIComponent(site)}/corp`

describe('the first screen', () => {
  it('has the worst problem, the unread sites, and the commands', async () => {
    const { page, problems } = await open(drift)
    expect(await page.title()).toMatch(/^Drift: 4 sites have no Corp Wi-Fi/)
    expect(await page.locator('h1').innerText()).toMatch(
      /^4 sites have no Corp Wi-Fi, and 4 have an open/
    )
    expect(await page.locator('.coverage').allInnerTexts()).toContainEqual(
      expect.stringMatching(/^\d+ of 300 sites differ from the files\. 3 could not be read, so 15 /)
    )
    const [first] = await page.locator('#first li').allInnerTexts()
    expect(first).toContain('Corp is switched off at 3 sites')
    expect(first).toContain(`wlanctl apply --wlan corp`)
    expect(problems).toEqual([])
  })

  it.each(sizes)('counts each network of %d sites in one state', async size => {
    const { page } = await open(estate(size))
    const counts = await page.locator('.legend b').allInnerTexts()
    const sum = counts.reduce((total, count) => total + Number(count.replace(',', '')), 0)
    expect(sum).toBe(size * 5)
  })
})

it('calls sites all only where it has all', async () => {
  const title = async (report: Parameters<typeof open>[0]) =>
    (await open(report)).page.locator('#sites-title').innerText()
  expect(await title(plan)).toBe('All sites')
  expect(await title({ kind: 'plan', plan: plan.plan })).toBe('Sites to change or check')
  const { verdicts: _, ...merged } = outcomesReport({ sites: 9, wlans: 3, drift: 50 })
  expect(await title(merged)).toBe('Changed sites')
})

it('names the state of the networks of a site once', async () => {
  const changes = ['corp', 'guest', 'iot', 'lab'].map(key =>
    changeOf(`hq/${key}`, undefined, { dtim: [1, 2] })
  )
  const { page } = await open({ kind: 'plan', plan: planOf(changes) })
  const line = page.locator('#sites summary', { hasText: 'hq' })
  expect(await line.innerText()).toContain('corp, guest, iot to change · 1 more')
})

it('has a square for each site of an apply, also for those that could not be read', async () => {
  const { page } = await open(outcomesReport({ sites: 40, wlans: 3, drift: 20, unread: 10 }))
  expect(await page.locator('#squares a').count()).toBe(40)
  expect(await page.locator('#squares a.not-read').count()).toBe(4)
  await page.locator('#findings summary').first().click()
  await page.locator('#findings li a').first().click()
  expect(await page.locator(':target').innerText()).toContain('the site could not be read')
})

it('has what apply would refuse before what the files no longer declare', async () => {
  const refusals = [{ level: 'error', code: 'OVER_MAX_CHANGES', message: 'too many' }] as const
  const findings = [{ level: 'warning', code: 'NO_LONGER_DECLARED', message: 'hq/lab' }] as const
  const { page } = await open({ ...plan, plan: { ...plan.plan, refusals, findings } })
  const ids = await page.locator('main > section').evaluateAll(all => all.map(({ id }) => id))
  expect(ids.filter(id => id === 'refused' || id === 'removed')).toEqual(['refused', 'removed'])
})

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
      return [...(command.textContent ?? '').matchAll(/'[^']*'|[^\s']+/g)].flatMap(word => {
        const range = document.createRange()
        range.setStart(...place(word.index))
        range.setEnd(...place(word.index + word[0].length - 1))
        return new Set([...range.getClientRects()].map(({ top }) => top)).size > 1 ? word[0] : []
      })
    })
  )
  expect(broken).toEqual([])
})

it('has the waves in their order, then the sites in none', async () => {
  const [first = '', second = '', third = ''] = plan.plan.changes.map(({ site: { name } }) => name)
  const rollout = [
    { name: 'canary', sites: [third] },
    { name: 'half', sites: [second] },
    { sites: [first] }
  ]
  const { page } = await open({ ...plan, plan: { ...plan.plan, rollout } })
  const groups = await page.locator('#squares .group b').allInnerTexts()
  expect(groups).toEqual(['canary', 'half', 'rest', 'no change'])
  const outcomes = plan.plan.changes.map(({ address, site }) => {
    const wave = site.name === third ? 'canary' : site.name === second ? 'half' : undefined
    const fields = { fields: [], sideEffects: [], notVerifiable: [] }
    return { address, status: 'applied', ...fields, ...(wave && { wave }) } as const
  })
  const applied = { ...plan, kind: 'outcomes', plan: { ...plan.plan, rollout }, outcomes } as const
  const { page: run } = await open(applied)
  expect(await run.locator('#squares .group b').allInnerTexts()).toEqual(groups)
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
      "wlanctl adopt --site 'Store 0002 Lakeside' --wlan iot",
      "wlanctl explain 'Store 0002 Lakeside/iot'"
    ])
      expect(text).toContain(part)
    await network.getByRole('link', { name: 'The same at 4 networks' }).click()
    expect(await page.locator('#changes li:target').innerText()).toContain('Old Mill Hospital/iot')
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
      `${shown} sites found, ${tokens.length} networks`
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
    expect(await page.locator('#q').inputValue()).toBe('s:open')
    await page.goBack()
    await expect.poll(() => page.locator('#q').inputValue()).toBe('s:off')
    await page.locator('#q').fill('')
    await expect.poll(() => hidden.count()).toBe(0)
    expect(await page.locator('details[open]').count()).toBe(0)
  })

  it('gives way to a link to what it hides', async () => {
    const { page } = await open(drift, { fragment: '#q=s:open' })
    await page.locator('#first a', { hasText: site }).click()
    expect(await page.locator('#q').inputValue()).toBe('')
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
  const { page, problems } = await open(outcomesReport({ sites: 100, wlans: 8, drift: 6 }))
  expect(await page.locator('h1').innerText()).toMatch(/\d+ of \d+ changes were not verified/)
  const labels = (await page.locator('.legend a').allInnerTexts()).map(text =>
    text.replace(/[\d,]+/, '').trim()
  )
  expect(labels).toEqual(['unknown', 'diverged', 'failed', 'stale', 'applied', 'as declared'])
  await page.locator('#first a').first().click()
  const network = page.locator('#sites article').first()
  expect(await network.innerText()).toContain('the connection was lost before the answer came')
  expect(await network.innerText()).toMatch(
    /10:00:\d\d UTC sent, response after 0\.\d s, read back after/
  )
  expect(problems).toEqual([])
})

it('a record has the outcomes of each run', async () => {
  const run = (id: string, started: string): RecordedRun => ({
    id,
    command: 'apply',
    tool: 'wlanctl/0.1.0',
    baseUrl: 'https://api.example.com',
    digest: `sha256:${'0'.repeat(64)}`,
    started,
    ended: started,
    changes: [
      {
        change: tills,
        lostSecrets: ['/auth/psk'],
        outcome: {
          address: tills.address,
          status: 'applied',
          fields: [],
          sideEffects: [],
          notVerifiable: []
        },
        at: started,
        timeline: [{ at: started, step: 'sending' }],
        line: 2
      }
    ]
  })
  const runs = [
    run('aaaaaaaa', '2026-11-19T10:00:00.000Z'),
    run('bbbbbbbb', '2026-11-20T10:00:00.000Z')
  ]
  const { page, problems } = await open({ kind: 'record', runs })
  for (const { id } of runs) {
    const run = page.locator(`#run-${id}`)
    await run.getByText('Show').click()
    expect(await run.innerText()).toContain(tills.address)
  }
  const bar = await page.locator('.bar nav a').allInnerTexts()
  expect(bar).toEqual(['Now', 'Changed sites 1', 'Changes 1', 'Apply'])
  expect(problems).toEqual([])
})

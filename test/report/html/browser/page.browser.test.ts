import { describe, expect, it } from 'vitest'
import type { RecordedRun } from '../../../../src/core/model/record.ts'
import { guest, notFound, planOf, tills } from '../../plans.ts'
import { fleetReport, outcomesReport, smallReport } from '../fleets.ts'
import { browserForTests } from './browser.ts'

const open = browserForTests()

const large = fleetReport({ sites: 300, wlans: 8, drift: 3 })

describe('a plan opened from a file', () => {
  it('shows the verdict, what to look at first and the legend', async () => {
    const { page, problems } = await open(smallReport)
    expect(await page.locator('h1').innerText()).toContain('3 of 8 WLANs differ')
    expect(await page.locator('.worst-site h3').allInnerTexts()).toEqual([
      'another key than declared 1 WLAN on 1 site',
      'not read 1 site',
      'blocked 1 WLAN on 1 site'
    ])
    expect(await page.locator('.worst-site').nth(2).innerText()).toContain('owner team hq')
    expect(await page.locator('#legend button').allInnerTexts()).toEqual([
      '1\noutage',
      '1\nnot read',
      '1\nblocked',
      '1\nreconnect',
      '1\nno interruption',
      '1\nnot compared',
      '1\nunmanaged',
      '2\nin sync'
    ])
    expect(problems).toEqual([])
  })

  it('shows the verdict, what to look at first and the findings without script', async () => {
    const { page } = await open(smallReport, { script: false })
    expect(await page.locator('h1').innerText()).toContain('3 of 8 WLANs differ')
    expect(await page.locator('.worst-site').count()).toBe(3)
    expect(await page.locator('.finding').count()).toBe(2)
    expect(await page.locator('#fleet').isVisible()).toBe(false)
  })

  it('shows the details of a WLAN: values, location, findings and the request', async () => {
    const { page, problems } = await open(smallReport)
    await page.locator('#matrix').getByRole('link', { name: 'hq/guest: outage' }).click()
    const detail = page.locator('#detail')
    expect(await detail.locator('h2').innerText()).toBe('hq/guest')
    const text = await detail.innerText()
    for (const expected of [
      '"Visitors"',
      '"Guest"',
      'sites/hq.yaml:12:3',
      'WLAN_SECRET_GUEST_PSK'
    ]) {
      expect(text).toContain(expected)
    }
    expect(await detail.locator('pre').innerText()).toContain(guest.request.path)
    await page.keyboard.press('Escape')
    expect(await detail.isVisible()).toBe(false)
    await page.locator('#matrix').getByRole('link', { name: 'hq/lobby: blocked' }).click()
    expect(await detail.innerText()).toContain(notFound.message)
    expect(problems).toEqual([])
  })
})

describe('the filters', () => {
  it('show only what matches, and are in the address', async () => {
    const { page, problems } = await open(large)
    const groups = page.locator('#groups > li')
    const all = await groups.count()
    await page
      .locator('#legend')
      .getByRole('button', { name: /outage/ })
      .click()
    expect(page.url()).toContain('#status=outage')
    expect(await groups.count()).toBeLessThan(all)
    for (const text of await groups.allInnerTexts()) expect(text).toContain('outage')
    await page.locator('#text').fill('guest')
    await expect.poll(() => page.url()).toContain('text=guest')
    for (const text of await groups.allInnerTexts()) expect(text).toContain('guest')
    expect(problems).toEqual([])
  })

  it('select by field and by owner, and hide a field everywhere', async () => {
    const { page } = await open(large)
    await page.locator('[data-action=field]').first().selectOption('/vlan_id')
    await page.locator('[data-action=owner]').first().selectOption('facilities')
    const sites = await page.locator('#sites-sum').innerText()
    expect(await page.locator('#active-filters button').allInnerTexts()).toEqual([
      'field vlan_id ×',
      'owner facilities ×',
      'Clear filters'
    ])
    await page
      .locator('#groups')
      .getByRole('button', { name: /Hide the field vlan_id/ })
      .first()
      .click()
    expect(page.url()).toContain('hide=%2Fvlan_id')
    expect(await page.locator('#sites-sum').innerText()).toBe(sites)
    expect(await page.locator('#groups').innerText()).not.toContain('vlan_id')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    expect(new URL(page.url()).hash).toBe('#all')
  })

  it('are shared by the address, and undone by the back button', async () => {
    const fragment = '#text=guest&status=reconnect&hide=%2Fvlan_id'
    const { page } = await open(large, { fragment })
    expect(await page.locator('#text').inputValue()).toBe('guest')
    const chip = page.locator('#legend').getByRole('button', { name: /reconnect/ })
    expect(await chip.getAttribute('aria-pressed')).toBe('true')
    await chip.click()
    expect(await chip.getAttribute('aria-pressed')).toBe('false')
    await page.goBack()
    expect(new URL(page.url()).hash).toBe(fragment)
    expect(await chip.getAttribute('aria-pressed')).toBe('true')
  })

  it('ignore invalid parts of a fragment', async () => {
    const fragment = '#status=nonsense&site=nowhere&wlan=x&__proto__=1&order=up&run=7&%&='
    const { page, problems } = await open(large, { fragment })
    expect(await page.locator('#detail').isVisible()).toBe(false)
    expect(await page.locator('.worst-site').count()).toBe(3)
    expect(problems).toEqual([])
  })
})

it('outcomes: the worst first, and a timeline of all updates', async () => {
  const { page, problems } = await open(outcomesReport({ sites: 100, wlans: 8, drift: 6 }))
  expect(await page.locator('h1').innerText()).toMatch(/^Apply: .*applied.*1 unknown/)
  expect(await page.locator('.worst-site').first().innerText()).toContain('unknown')
  const chips = await page.locator('#legend button').allInnerTexts()
  expect(chips.map(chip => chip.split('\n')[1])).toEqual([
    'unknown',
    'diverged',
    'failed',
    'stale',
    'applied',
    'in sync'
  ])
  expect(await page.locator('#timeline-chart svg').getAttribute('aria-label')).toMatch(
    /^\d+ updates in [\d.]+ s/
  )
  const rows = page.locator('#timeline-table tbody tr')
  expect(await rows.first().innerText()).toMatch(/applied\s+10:00:00.000\s+300 ms\s+410 ms\s+1/)
  await page.locator('.worst-site').nth(1).getByRole('link').first().click()
  expect(await page.locator('#detail').innerText()).toContain('reading it back shows otherwise')
  expect(problems).toEqual([])
})

it('a record shows the last run first, and the others on selection', async () => {
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
  const { page, problems } = await open({
    kind: 'record',
    runs: [run('aaaaaaaa', '2026-11-19T10:00:00.000Z'), run('bbbbbbbb', '2026-11-20T10:00:00.000Z')]
  })
  expect(await page.locator('.accounts').innerText()).toContain('bbbbbbbb')
  await page.locator('#runs select').selectOption('aaaaaaaa')
  expect(await page.locator('.accounts').innerText()).toContain('2026-11-19')
  expect(page.url()).toContain('#run=aaaaaaaa')
  await page.locator('#matrix').getByRole('link', { name: /tills/ }).click()
  expect(await page.locator('#detail').innerText()).toContain('Cannot be reverted: auth.psk')
  expect(page.url()).toContain('run=aaaaaaaa&site=store-kiel&wlan=tills')
  expect(problems).toEqual([])
})

it('each wave of a rollout has a title', async () => {
  const waves = [{ name: 'canary', sites: ['store-kiel'] }, { sites: ['hq', 'store-bonn'] }]
  const { page } = await open({
    ...smallReport,
    kind: 'plan',
    plan: { ...smallReport.plan, rollout: waves }
  })
  expect(await page.locator('#matrix .wave').allInnerTexts()).toEqual([
    'Wave 1: canary, 1 site',
    'Wave 2: rest, 2 sites',
    'No changes: 1 site'
  ])
  await page.locator('#order').selectOption('worst')
  expect(await page.locator('#matrix .wave').count()).toBe(0)
  expect(await page.locator('#matrix tbody th').first().innerText()).toBe('hq')
})

describe('a matrix that is wider than the window', () => {
  const keys = ['aaa', 'bbb', 'ccc', 'ddd', 'eee', 'fff', 'guest']
  const sites = ['store-1', 'store-2', 'store-3']
  const verdicts = sites.flatMap(site =>
    keys.map(key => ({ address: `${site}/${key}`, status: 'unchanged' as const }))
  )
  const change = { ...guest, address: 'store-2/guest', site: { ...guest.site, name: 'store-2' } }
  const report = { kind: 'plan', plan: planOf([change]), verdicts } as const

  it('shows the changed column next to the names of the sites', async () => {
    const { page } = await open(report, { width: 390 })
    const boxOf = (text: string) =>
      page.locator('#matrix th', { hasText: text }).first().boundingBox()
    const [changed, names] = [await boxOf('guest'), await boxOf('Site')]
    expect((changed?.x ?? 999) + (changed?.width ?? 0)).toBeLessThanOrEqual(390)
    expect(changed?.x ?? 0).toBeGreaterThanOrEqual((names?.x ?? 0) + (names?.width ?? 0) - 1)
    expect(names?.x).toBeGreaterThanOrEqual(0)
  })

  it('has the WLANs of most sites first', async () => {
    const fewer = verdicts.filter(({ address }) => !/store-[12]\/[abc]/.test(address))
    const { page } = await open({ ...report, verdicts: fewer })
    const headings = await page.locator('#matrix thead th').allInnerTexts()
    expect(headings).toEqual(['Site', 'ddd', 'eee', 'fff', 'guest', 'aaa', 'bbb', 'ccc'])
  })
})

it('a click on a changed field shows where its value is from', async () => {
  const places = { '/vlan_id': { file: 'profiles.yaml', line: 8, column: 3 } }
  const { page } = await open({ kind: 'plan', plan: planOf([{ ...guest, places }]) })
  const place = page.locator('#groups').getByText('profiles.yaml:8')
  expect(await place.isVisible()).toBe(false)
  await page.locator('#groups summary', { hasText: 'vlan_id' }).last().click()
  expect(await place.isVisible()).toBe(true)
})

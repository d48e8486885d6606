import { expect, it } from 'vitest'
import { contestedFields } from '../../../../src/core/history/contested.ts'
import type { EstateEvent } from '../../../../src/core/history/events.ts'
import { diffFormats, historyFormats } from '../../../../src/report/estate-history.ts'
import { nth } from '../../../support/ids.ts'
import { plain } from '../../plans.ts'
import { richDiff } from '../../rich.ts'
import { violations } from './axe.ts'
import { browserForTests, type Window } from './browser.ts'

const open = browserForTests()

const hostile = '</svg><script>alert(1)</script>"><img src=x onerror=alert(1)>'

function changed(day: number, before: number, after: number, more: object = {}): EstateEvent {
  const time = `2026-11-${10 + day}T05:00:00Z`
  const ids = { siteId: nth(1), wlanId: nth(2), pointer: '/vlan_id' }
  const names = { site: 'hq', ssid: hostile, address: `hq/${hostile}` }
  return { time, ...ids, ...names, kind: 'changed', before, after, ...more }
}

const events = [
  changed(1, 20, 77),
  changed(2, 77, 20),
  changed(3, 20, 77, { isDowngrade: true }),
  changed(4, 77, 20)
]

const page = historyFormats.html(
  {
    began: '2026-11-10T05:00:00Z',
    ended: '2026-11-14T05:00:00Z',
    states: 4,
    changes: events.length,
    events,
    contested: contestedFields(events),
    isShallow: false,
    unreadable: []
  },
  { colour: false, width: 80 }
)

it('a history has its contested fields first, and a column for each state that leads to its day', async () => {
  const { page: shown, problems } = await open(page, { script: false })
  const section = shown.locator('#history')
  expect(await section.locator('tbody th').innerText()).toContain('was set back 2 times to 20')
  const chart = section.getByRole('group', { name: 'Changes over time' })
  expect(await chart.locator('a').count()).toBe(4)
  const name = '2026-11-13 05:00:00 UTC: 1 change, 1 less secure'
  await chart.getByRole('link', { name }).click()
  expect(await shown.locator(':target h2').innerText()).toBe('2026-11-13')
  expect(problems).toEqual([])
})

it('a history of months has its latest days, and the earlier ones in a fold that a link opens', async () => {
  const days = Array.from({ length: 12 }, (_, day) => changed(day + 1, day, day + 1))
  const facts = { began: '2026-11-10T05:00:00Z', ended: '2026-11-22T05:00:00Z', states: 12 }
  const about = { changes: days.length, events: days, contested: [] }
  const { page: shown, problems } = await open(
    historyFormats.html({ ...facts, ...about, isShallow: false, unreadable: [] }, plain),
    { script: false }
  )
  const visible = shown.locator('section[id^="day-"]:visible')
  expect(await visible.count()).toBe(7)
  await shown.getByRole('link', { name: '2026-11-11 05:00:00 UTC: 1 change' }).click()
  expect(await shown.locator(':target h2').innerText()).toBe('2026-11-11')
  expect(await visible.count()).toBe(12)
  expect(problems).toEqual([])
})

const names = richDiff.changes.map(change => ({
  ...change,
  wlan: { id: change.wlan.id, ssid: hostile },
  address: `hq/${hostile}`
}))
const diffPage = diffFormats.html({ ...richDiff, changes: names }, { colour: false, width: 80 })

it('a diff has what disappeared, and leads from a problem to its site', async () => {
  const { page: shown, problems } = await open(diffPage, { script: false })
  expect(await shown.locator('#disappeared tbody tr').innerText()).toContain('psk, VLAN 20')
  await shown.locator('#first').getByRole('link').first().click()
  expect(await shown.locator(':target').innerText()).toContain('disappeared: psk, VLAN 20')
  expect(problems).toEqual([])
})

const windows: readonly Window[] = [{}, { scheme: 'dark' }, { width: 390, height: 844 }]

it.each(windows.flatMap(window => [[window, page] as const, [window, diffPage] as const]))(
  'axe finds no violations, and nothing runs or loads: %j',
  async (window, html) => {
    const { page: shown, problems } = await open(html, window)
    expect(await violations(shown)).toEqual([])
    expect(await shown.locator('img').count()).toBe(0)
    expect(await shown.locator('body').innerText()).toContain(hostile)
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    expect(await shown.evaluate(overflow)).toBe(0)
    expect(problems).toEqual([])
  }
)

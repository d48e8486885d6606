import { expect, it } from 'vitest'
import { contestedFields } from '../../../../src/core/history/contested.ts'
import type { EstateEvent } from '../../../../src/core/history/events.ts'
import type { RecordedRun } from '../../../../src/core/model/record.ts'
import { historyFormats } from '../../../../src/report/estate-history.ts'
import { formats } from '../../../../src/report/formats.ts'
import { siteName } from '../../../../src/simulator/fleet/generate.ts'
import { nth } from '../../../support/ids.ts'
import { estate } from '../../overview/estates.ts'
import { plain } from '../../plans.ts'
import { outcomesReport } from '../fleets.ts'
import { browserForTests } from './browser.ts'

const open = browserForTests()

const height = 'document.documentElement.scrollHeight'
const nodes = 'document.querySelectorAll("*").length'

/** An apply with every status, of which some sites could not be read. */
const applied = (sites: number) => outcomesReport({ sites, wlans: 5, drift: 12, unread: 100 })

/** The record of such an apply, and of a second run of its changes. */
function recorded(sites: number): string {
  const { plan, outcomes } = applied(sites)
  const changes = new Map(plan.changes.map(change => [change.address, change]))
  const started = '2026-11-20T10:00:00.000Z'
  const run = (id: string): RecordedRun => ({
    id,
    command: 'apply',
    tool: 'wlanctl/0.1.0',
    baseUrl: 'https://api.example.com',
    digest: `sha256:${'0'.repeat(64)}`,
    started,
    ended: started,
    changes: outcomes.flatMap((outcome, line) => {
      const change = changes.get(outcome.address)
      return change ? [{ change, lostSecrets: [], outcome, at: started, timeline: [], line }] : []
    })
  })
  return formats.html({ kind: 'record', runs: [run('aaaaaaaa'), run('bbbbbbbb')] }, {})
}

/** The history of a month in which an edit reached each site, and one field is contested. */
function historyOf(sites: number): string {
  const edits = Array.from({ length: sites }, (_, site): EstateEvent => {
    const names = { site: siteName(site), ssid: 'Guest', address: `${siteName(site)}/Guest` }
    const ids = { siteId: nth(site), wlanId: nth(sites + site), pointer: '/vlan_id' }
    const time = `2026-11-${String((site % 28) + 1).padStart(2, '0')}T05:00:00Z`
    return { ...names, ...ids, kind: 'changed', time, before: 20, after: 77 }
  })
  const [first] = edits
  const again = [77, 20, 77, 20].flatMap((after, day) =>
    first ? [{ ...first, time: `2026-11-0${day + 2}T05:00:00Z`, before: 97 - after, after }] : []
  )
  const events = [...edits, ...again].sort((a, b) => (a.time < b.time ? -1 : 1))
  const counts = { states: 28, changes: events.length, contested: contestedFields(events) }
  const times = { began: '2026-11-01T05:00:00Z', ended: '2026-11-28T05:00:00Z' }
  const facts = { ...times, ...counts, events, isShallow: false, unreadable: [] }
  return historyFormats.html(facts, plain)
}

const pages = {
  drift: (sites: number) => formats.html(estate(sites), {}),
  plan: (sites: number) => formats.html(estate(sites, 'plan'), {}),
  apply: (sites: number) => formats.html(applied(sites), {}),
  record: recorded,
  history: historyOf
} as const

it.each(Object.entries(pages))(
  'a page of 300 sites is at most 4,000 pixels high: %s',
  async (_, pageOf) => {
    const { page } = await open(pageOf(300), { width: 1440 })
    expect(await page.evaluate(height)).toBeLessThanOrEqual(4000)
  }
)

/** A run has the times of each of its 1,200 changes, too. */
const mostNodes = { drift: 40_000, plan: 40_000, apply: 60_000, record: 60_000, history: 40_000 }

it.each(['drift', 'plan', 'apply', 'record', 'history'] as const)(
  'a page of 2,000 sites is small: %s',
  async kind => {
    const text = pages[kind](2000)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(3_000_000)
    const { page } = await open(text)
    expect(await page.evaluate(nodes)).toBeLessThanOrEqual(mostNodes[kind])
    expect(await page.evaluate(height)).toBeLessThanOrEqual(5000)
  }
)

it('10,000 sites open, and can be searched', { timeout: 60_000 }, async () => {
  const { page, problems } = await open(estate(10_000))
  expect(await page.locator('#squares a').count()).toBe(10_000)
  await page.locator('#q').fill('s:off')
  const off = await page.locator('.legend a', { hasText: 'off' }).locator('b').innerText()
  await expect
    .poll(() => page.locator('#sites article:not([hidden])').count(), { timeout: 20_000 })
    .toBe(Number(off))
  expect(problems).toEqual([])
})

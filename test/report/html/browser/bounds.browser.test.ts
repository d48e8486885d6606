import { expect, it } from 'vitest'
import type { Finding } from '../../../../src/core/model/finding.ts'
import type { RecordedRun } from '../../../../src/core/model/record.ts'
import { formats } from '../../../../src/report/formats.ts'
import { githubPage } from '../../../pictures/draw/github.ts'
import { estate, outcomesReport } from '../../overview/estates.ts'
import { plain } from '../../plans.ts'
import { browserForTests } from './browser.ts'

const open = browserForTests()

const height = 'document.documentElement.scrollHeight'
const nodes = 'document.querySelectorAll("*").length'

/** The record of such an apply, and of a second run of its changes. */
function recorded(sites: number): string {
  const { plan, outcomes } = outcomesReport(sites)
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

const pages = {
  drift: (sites: number) => formats.html(estate(sites), {}),
  plan: (sites: number) => formats.html(estate(sites, 'plan'), {}),
  apply: (sites: number) => formats.html(outcomesReport(sites), {}),
  record: recorded
} as const

it.each(Object.entries(pages))(
  'a page of 300 sites is at most 4,000 pixels high: %s',
  async (_, pageOf) => {
    const { page } = await open(pageOf(300), { width: 1440 })
    expect(await page.evaluate(height)).toBeLessThanOrEqual(4000)
  }
)

it('a comment of a pull request at 300 sites is at most 1,600 pixels high', async () => {
  const { plan } = estate(300, 'plan')
  const { changes } = plan
  const refusals = (['DOWNGRADE_REFUSED', 'OVER_MAX_CHANGES', 'RULE'] as const).map(
    (code): Finding => ({ level: 'error', code, message: 'a reason', hint: 'what allows it' })
  )
  const removed = changes.slice(0, 60).map(
    ({ address }, nth): Finding => ({
      ...{ level: 'warning', code: 'NO_LONGER_DECLARED', address },
      message: `field_${nth % 6} is declared at "main" and no longer in the files`
    })
  )
  const findings = [...plan.findings, ...removed]
  const report = { kind: 'plan', plan: { ...plan, refusals, findings } } as const
  const comment = formats.markdown(report, plain)
  const html = githubPage(comment, { header: ['github-actions', 'commented'] })
  const { page } = await open(html, { width: 900, height: 600 })
  expect(await page.evaluate(height)).toBeLessThanOrEqual(1600)
})

/** A run has the times of each of its 1,200 changes, too. */
const mostNodes = { drift: 30_000, plan: 25_000, apply: 40_000, record: 40_000 }
const mostBytes = { drift: 1_000_000, plan: 1_000_000, apply: 1_300_000, record: 1_300_000 }

it.each(['drift', 'plan', 'apply', 'record'] as const)(
  'a page of 2,000 sites is small: %s',
  async kind => {
    const text = pages[kind](2000)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(mostBytes[kind])
    const { page } = await open(text)
    expect(await page.evaluate(nodes)).toBeLessThanOrEqual(mostNodes[kind])
    expect(await page.evaluate(height)).toBeLessThanOrEqual(5000)
  }
)

it('10,000 sites open, and can be searched', { timeout: 60_000 }, async () => {
  const { page, problems } = await open(estate(10_000))
  expect(await page.locator('#squares a').count()).toBe(10_000)
  await page.locator('#q').fill('s:off')
  const off = await page
    .locator('.legend a', { hasText: /^\s*\d+ off\s*$/ })
    .locator('b')
    .innerText()
  await expect
    .poll(() => page.locator('#sites article:not([hidden])').count(), { timeout: 20_000 })
    .toBe(Number(off))
  expect(problems).toEqual([])
})

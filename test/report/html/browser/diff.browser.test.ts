import { expect, it } from 'vitest'
import { diffFormats } from '../../../../src/report/estate-diff.ts'
import { plain } from '../../plans.ts'
import { richDiff } from '../../rich.ts'
import { violations } from './axe.ts'
import { browserForTests, type Window } from './browser.ts'

const open = browserForTests()

const hostile = '</svg><script>alert(1)</script>"><img src=x onerror=alert(1)>'

const changes = richDiff.changes.map(change => ({
  ...change,
  wlan: { id: change.wlan.id, ssid: hostile },
  address: `hq/${hostile}`
}))
const page = diffFormats.html({ ...richDiff, changes }, plain)

it('a diff has what disappeared, and leads from a problem to its site', async () => {
  const { page: shown, problems } = await open(page, { script: false })
  expect(await shown.locator('#disappeared tbody tr').innerText()).toContain('psk, VLAN 20')
  await shown.locator('#first').getByRole('link').first().click()
  expect(await shown.locator(':target').innerText()).toContain('disappeared: psk, VLAN 20')
  expect(problems).toEqual([])
})

const windows: readonly Window[] = [{}, { scheme: 'dark' }, { width: 390, height: 844 }]

it.each(windows)('axe finds no violations, and nothing runs or loads: %j', async window => {
  const { page: shown, problems } = await open(page, window)
  expect(await violations(shown)).toEqual([])
  expect(await shown.locator('img').count()).toBe(0)
  expect(await shown.locator('body').innerText()).toContain(hostile)
  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
  expect(await shown.evaluate(overflow)).toBe(0)
  expect(problems).toEqual([])
})

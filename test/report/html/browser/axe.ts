import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe has to complain of in a page, each with the elements it is about. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(source)
  const { violations: found } = (await page.evaluate('axe.run()')) as AxeResults
  return found.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join('\n')}`
  )
}

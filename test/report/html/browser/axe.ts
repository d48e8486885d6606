import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The violations that axe finds in a page, each with its elements. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(source)
  const { violations: found } = (await page.evaluate('axe.run()')) as AxeResults
  return found.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join('\n')}`
  )
}

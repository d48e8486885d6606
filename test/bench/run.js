// Measures the program as ratios to a floor that is measured in turn with it. Prints tables in Markdown
// without checking limits. Build first; arguments select benches by name.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { benchApply } from './apply.js'
import { benchChanged } from './changed.js'
import { benchGrowth, growthHead } from './growth.js'
import { benchHtml, htmlHead } from './html.js'
import { benchImport } from './import.js'
import { benchLint } from './lint.js'
import { benchLarge, benchPlan } from './plan.js'
import { benchStates, statesHead } from './states.js'
import { comparedHead, machine, table } from './table.js'
import { benchValidate } from './validate.js'

/** Each bench with its columns; benches with the same columns share a table. */
const benches = new Map([
  ['plan', { bench: benchPlan, head: comparedHead }],
  ['large', { bench: benchLarge, head: comparedHead }],
  ['lint', { bench: benchLint, head: comparedHead }],
  ['validate', { bench: benchValidate, head: comparedHead }],
  ['changed', { bench: benchChanged, head: comparedHead }],
  ['apply', { bench: benchApply, head: comparedHead }],
  ['import', { bench: benchImport, head: comparedHead }],
  ['growth', { bench: benchGrowth, head: growthHead }],
  ['states', { bench: benchStates, head: statesHead }],
  ['html', { bench: benchHtml, head: htmlHead }]
])

const args = process.argv.slice(2)
const isSelected = (/** @type {string} */ name) => args.length === 0 || args.includes(name)
const folder = mkdtempSync(join(tmpdir(), 'wlanctl-bench-'))
try {
  /** @type {Map<readonly string[], string[][]>} */
  const tables = new Map()
  for (const [name, { bench, head }] of benches) {
    if (isSelected(name)) tables.set(head, [...(tables.get(head) ?? []), ...(await bench(folder))])
  }
  console.log(`Measured on ${machine()}.\n`)
  for (const [head, rows] of tables) console.log(table(head, rows))
} finally {
  rmSync(folder, { recursive: true })
}
if (isSelected('startup')) await import('./startup.js')

// Measures the program as ratios to a floor that is measured in turn with it. Prints a table in Markdown
// for each bench as soon as it is measured, without checking limits. Build first; arguments select benches by name.
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
import { benchShared } from './shared.js'
import { benchStates, statesHead } from './states.js'
import { comparedHead, machine, table } from './table.js'
import { benchValidate } from './validate.js'

/** Each bench with its columns. */
const benches = new Map([
  ['plan', { bench: benchPlan, head: comparedHead }],
  ['large', { bench: benchLarge, head: comparedHead }],
  ['lint', { bench: benchLint, head: comparedHead }],
  ['shared', { bench: benchShared, head: comparedHead }],
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
  console.log(`Measured on ${machine()}.\n`)
  for (const [name, { bench, head }] of benches) {
    if (!isSelected(name)) continue
    const start = performance.now()
    const rows = await bench(folder)
    const seconds = (performance.now() - start) / 1000
    console.log(`${name}, measured in ${seconds.toFixed(0)} s\n\n${table(head, rows)}`)
  }
} finally {
  rmSync(folder, { recursive: true })
}
if (isSelected('startup')) await import('./startup.js')

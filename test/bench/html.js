import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'rolldown'
import { median, PROGRAM } from './measure.js'

const ROUNDS = 3
const root = join(import.meta.dirname, '../..')

/** The columns of `benchHtml`. */
export const htmlHead = ['HTML report', 'measured', 'as JSON', 'ratio', 'at most']

/** Arguments of the child process: 100,000 WLANs, of which 3 % drifted. */
const large = ['10000', '10', '3']

/**
 * Measures the size and the time of the HTML report on 100,000 WLANs, compared with JSON; and the longest
 * task of the browser while 1,000 changed WLANs are filtered.
 * @param {string} folder
 */
export async function benchHtml(folder) {
  const made = join(folder, 'html.mjs')
  const id = join(root, 'html-child.ts')
  await build({
    cwd: root,
    input: id,
    platform: 'node',
    plugins: [
      {
        name: 'child',
        resolveId: asked => (asked === id ? id : null),
        load: asked => (asked === id ? child : null)
      }
    ],
    output: { file: made, codeSplitting: false }
  })
  const make = (/** @type {readonly string[]} */ ...args) => JSON.parse(run(made, ...args))
  const plan = join(folder, 'saved.json')
  const { bytes: jsonBytes } = make('json', ...large, plan)
  const { bytes } = make('html', ...large)
  const filtered = join(folder, 'filtered.html')
  make('html', '1000', '8', '12.5', filtered)
  const alone = (/** @type {string} */ format) => make(format, ...large).milliseconds
  const shown = (/** @type {string} */ format) => {
    const start = performance.now()
    run(PROGRAM, 'show', plan, '--format', format)
    return performance.now() - start
  }
  return [
    ['size, 10,000 sites × 10, 3 % drift', megabytes(bytes), megabytes(jsonBytes), '', '6 MB'],
    compare('made by `show`, of a saved plan', shown, '2.00'),
    compare('the text alone; JSON leaves out what is in sync', alone, ''),
    ['longest task while 1,000 are filtered', `${await longestTask(filtered)} ms`, '', '', '200 ms']
  ]
}

/**
 * Measures both formats in turn; the first round is a warm-up.
 * @param {string} name
 * @param {(format: string) => number} take in milliseconds
 * @param {string} limit
 */
function compare(name, take, limit) {
  const rounds = Array.from({ length: ROUNDS + 1 }, () => [take('html'), take('json')]).slice(1)
  const [html, json] = [0, 1].map(place => median(rounds.map(round => round[place])))
  const ratio = median(rounds.map(([a, b]) => a / b))
  return [name, `${html.toFixed(0)} ms`, `${json.toFixed(0)} ms`, ratio.toFixed(2), limit]
}

/** Renders the report of a fleet in one format; prints its time and size to stdout. */
const child = `
import { writeFileSync } from 'node:fs'
import { digestOf } from './src/core/plan/digest.ts'
import { formats } from './src/report/formats.ts'
import { fleetReport } from './test/report/html/fleets.ts'
const [format, sites, wlans, drift, file] = process.argv.slice(2)
const made = fleetReport({ sites: +sites, wlans: +wlans, drift: +drift })
made.plan.digest = digestOf(made.plan.base_url, made.plan.changes)
// As in a run, whose texts were all looked at before.
const report = JSON.parse(JSON.stringify(made))
const start = performance.now()
const text = formats[format](report, { colour: false, width: 80 })
const milliseconds = performance.now() - start
if (file) writeFileSync(file, text)
console.log(JSON.stringify({ milliseconds, bytes: Buffer.byteLength(text) }))
`

/** @param {readonly string[]} args */
function run(...args) {
  const options = /** @type {const} */ ({ encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options)
  if (status !== 0) throw new Error(stderr)
  return stdout
}

/** @param {number} bytes */
function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`
}

/**
 * The longest task in milliseconds while the filters are used; 50 if every task is shorter.
 * @param {string} file
 */
async function longestTask(file) {
  const { chromium } = await import('playwright-core')
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox']
  })
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.goto(pathToFileURL(file).href)
    await page.waitForTimeout(1000)
    await page.evaluate(`
      window.longest = 50
      new PerformanceObserver(list => {
        for (const { duration } of list.getEntries()) longest = Math.max(longest, Math.round(duration))
      }).observe({ type: 'longtask' })`)
    await page.locator('#q').pressSequentially('guest', { delay: 200 })
    await page.locator('#q').fill('')
    for (const state of await page.locator('.legend a').all()) await state.click()
    await page.locator('#q').fill('field:vlan_id s:wrong')
    await page.locator('#q').fill('')
    await page.waitForTimeout(500)
    return await page.evaluate('longest')
  } finally {
    await browser.close()
  }
}

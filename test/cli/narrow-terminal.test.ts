import { expect, it } from 'vitest'
import { columnsOfText } from '../../src/report/layout.ts'
import { CORP, GUEST, HQ } from '../simulator/simulate.ts'
import { Screen } from '../support/screen.ts'
import { stage } from '../support/stage.ts'

/** The lines that a terminal breaks, although they could be broken between words; commands and digests to copy stay whole, and diffs. */
function broken(text: string, columns: number): string[] {
  return text
    .split('\n')
    .filter(line => columnsOfText(line) > columns && /\S +\S/.test(line.trim()))
    .filter(line => !/^(?: {2}(?:wlanctl|git) |digest |[-+])/.test(line))
}

it.each(
  [80, 50].flatMap(columns =>
    [
      'demo',
      'explain',
      'explain auth.psk',
      'explain weak-key',
      'explain hq/guest --fleet fleet',
      'explain --as worksheet --fleet fleet',
      `audit ${HQ}`,
      'init wifi --ci none',
      'token list',
      'list fleet --live',
      'doctor fleet',
      'validate fleet',
      'plan fleet',
      'drift fleet',
      'adopt fleet --dry-run --undeclared',
      'import --out sites --org 8145b02b-3e31-4b6c-b8a0-77003efee24b'
    ].map(line => [line, columns] as const)
  )
)('`%s` breaks no word at %d columns', async (line, columns) => {
  const { run, simulator } = await stage()
  simulator.edit(HQ, CORP, { ssid: 'Corp 日本語 with a very long name' })
  simulator.edit(HQ, GUEST, { auth: { type: 'open' }, isolation: false })
  const [stdout, stderr] = [new Screen(columns), new Screen(columns)]
  await run(line, { NO_COLOR: '1', TERM: 'dumb' }, { stdout, stderr })
  expect(stdout.text.length + stderr.text.length).toBeGreaterThan(40)
  expect(broken(stdout.text + stderr.text, columns)).toEqual([])
})

it('a question breaks no word at 40 columns', async () => {
  const { startOnScreen } = await stage()
  const running = startOnScreen('apply fleet --no-color', {}, 40)
  await running.until(/Enter\s+"yes"\s+to\s+confirm: /)
  expect(running.stdout).toContain('Apply these 2 changes? Enter "yes" to\n  confirm: ')
  running.type('no\r')
  expect(await running.ended).toMatchObject({ code: 4 })
})

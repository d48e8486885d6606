import { describe, expect, it } from 'vitest'
import { GUEST, HQ } from '../simulator/simulate.ts'
import { wlanctl } from '../support/program.ts'
import { hqFile, PSK, stage } from '../support/stage.ts'

describe('a setting', () => {
  /** A variable, an invalid or visible value of it, and the flag that overrides it. */
  it.each([
    ['WLANCTL_PARALLELISM', 'many', '--parallelism 2'],
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
    const { stdout } = await run('plan fleet', { WLANCTL_FORMAT: 'json' })
    expect(JSON.parse(stdout)).toMatchObject({ format: 'wlanctl-plan/1' })
    expect((await run('plan fleet --format text', { WLANCTL_FORMAT: 'json' })).stdout).toContain(
      'Plan:'
    )
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

  it('for the prefix of secrets must come from the run', async () => {
    const { run, write } = await stage()
    const yaml = `site: { id: ${HQ} }\nwlans: { g: { ssid: Guest, auth: { psk: { $env: CI_PSK } } } }\n`
    write('fleet/hq.yaml', yaml)
    const change = { CI_PSK: PSK }
    expect(await run('plan fleet', change)).toMatchObject({ code: 3 })
    expect(await run('validate fleet', change)).toMatchObject({ code: 3 })
    expect(await run('plan fleet --secret-prefix CI_', change)).toMatchObject({ code: 0 })
    expect(await run('validate fleet', { WLANCTL_SECRET_PREFIX: 'CI_' })).toMatchObject({ code: 0 })
  })

  it.each(['', 'WLANCTL_API'])(
    'the prefix %j of secrets is rejected, as it matches the API token',
    async prefix => {
      const { run, write, cwd, env, methods } = await stage()
      const psk = '{ $env: WLANCTL_API_TOKEN }'
      const servers = `auth_servers: [{ host: 10.0.0.1, secret: ${psk} }]`
      write('fleet/hq.yaml', `site: { id: ${HQ} }\nwlans: { g: { ssid: Guest, ${servers} } }\n`)
      for (const command of ['validate', 'plan', 'apply', 'drift']) {
        const yes = command === 'apply' ? ['--yes'] : []
        const argv = [command, 'fleet', ...yes, '--secret-prefix', prefix]
        const ended = await wlanctl(argv, { cwd, env })
        expect(ended).toMatchObject({ code: 3, stdout: '' })
        expect(ended.stderr).toContain('--secret-prefix')
      }
      expect((await run('plan fleet', { WLANCTL_SECRET_PREFIX: prefix })).code).toBe(3)
      expect(await run('apply fleet --yes --secret-prefix W')).toMatchObject({ code: 3 })
      expect(methods()).toEqual([])
    }
  )

  it('a confirmation is never read from the environment', async () => {
    const { run, write, methods } = await stage()
    write('fleet/policy.yaml', 'policy: { max_changes: 1 }\n')
    const change = { WLANCTL_YES: '1', WLANCTL_MAX_CHANGES: 'all', WLANCTL_FORCE: '1' }
    expect(await run('apply fleet', change)).toMatchObject({ code: 3 })
    expect(await run('apply fleet --yes', change)).toMatchObject({ code: 4 })
    expect(methods()).toEqual(['GET'])
  })

  it('--site and --wlan accept several globs', async () => {
    const { run } = await stage()
    const addresses = async (flags: string) => {
      const { stdout } = await run(`plan fleet --format json ${flags}`)
      return JSON.parse(stdout).changes.map(({ address }: { address: string }) => address)
    }
    expect(await addresses('--wlan c*')).toEqual(['hq/corp'])
    expect(await addresses('--wlan corp --wlan hq/g?est')).toEqual(['hq/corp', 'hq/guest'])
    expect(await addresses(`--site ${HQ.slice(0, 8)}*`)).toHaveLength(2)
    expect(await run('plan fleet --wlan nobody')).toMatchObject({ code: 3, stdout: '' })
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

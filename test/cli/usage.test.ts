import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { GUEST, HQ } from '../simulator/simulate.ts'
import { wlanctl } from '../support/program.ts'
import { hqFile, PSK, stage } from '../support/stage.ts'

/** Runs lines on a stage with a fleet; none of them may send a request, or write a file. */
async function refused(line: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const made = await stage()
  const ended = await wlanctl(line, { ...made, env: { ...made.env, ...env } })
  expect(ended).toMatchObject({ code: 3, stdout: '' })
  expect({ methods: made.methods(), files: readdirSync(made.cwd) }).toEqual({
    methods: [],
    files: ['fleet']
  })
  return ended.stderr
}

const LISTS = '`wlanctl plan --help` lists the options'

describe('an option with an empty value', () => {
  it.each([
    ['plan fleet', '--out'],
    ['plan fleet', '--site'],
    ['apply fleet --yes', '--plan'],
    [`import ${HQ}`, '--out'],
    ['import', '--from']
  ])('%s %s: the error names the option', async (line, option) => {
    for (const words of [[option, ''], [`${option}=`]]) {
      const stderr = await refused([...line.split(' '), ...words])
      expect(stderr).toContain(`wlanctl: option "${option} <`)
      expect(stderr).toContain('must not be empty')
    }
  })

  it.each([
    [['plan', ''], 'wlanctl: argument "fleet" must not be empty'],
    [['import', HQ, ''], 'wlanctl: argument "site-id" must not be empty']
  ])('an empty argument is rejected: %j', async (line, message) => {
    expect(await refused(line)).toContain(message)
  })
})

describe('a wrong word', () => {
  it.each([
    ['plna', 'unknown command "plna"', 'did you mean plan?'],
    ['status', 'unknown command "status"', 'did you mean drift?'],
    ['nonsense', 'unknown command "nonsense"', '`wlanctl help` lists the commands'],
    ['plan --repot', 'unknown option --repot', 'did you mean --report?'],
    ['plan a b', 'plan: expected 1 argument at most, got 2', LISTS],
    ['plan --site', '--site: expected a value, got none', LISTS],
    ['plan -q --verbose', '--quiet cannot be used with --verbose', LISTS],
    [
      'revert',
      'expected a record, or a state with --to, got neither',
      'name the file of `wlanctl apply --record FILE`, or a snapshot with `--to`'
    ],
    ['schema', 'expected the argument <name>, got none', LISTS.replace('plan', 'schema')],
    ['plan --timeout 0', '--timeout: expected an integer from 1 to 3600, got "0"', LISTS]
  ])('`%s` is an error with a hint, as all others', async (line, message, hint) => {
    expect(await refused(line.split(' '))).toBe(`wlanctl: ${message}\n  ${hint}\n`)
  })
})

describe('a value that is none of the choices', () => {
  it.each([
    [
      ['schema', 'nope'],
      'wlanctl: expected one of fleet, wlan, plan, record, snapshot, outcomes, audit, diff for <name>, got "nope"\n  `wlanctl schema --help` lists the options\n'
    ],
    [
      ['explain', '--format', 'x\ny'],
      'wlanctl: --format: expected one of text, json, got "x\\ny"\n  `wlanctl explain --help` lists the options\n'
    ]
  ])('%j: the error names the choices and the value', async (line, message) => {
    expect(await refused(line)).toContain(message)
  })
})

describe('a repeated option', () => {
  it.each([['plan fleet', '--out a --out b']])(
    '%s %s: is rejected by name',
    async (line, twice) => {
      const option = twice.split(' ')[0]
      const stderr = await refused([...line.split(' '), ...twice.split(' ')])
      expect(stderr).toContain(`wlanctl: option "${option} <`)
      expect(stderr).toContain('is given more than once')
    }
  )

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

describe('a secret in an option', () => {
  const secret = 'planted-token-of-a-person'

  it.each(['--token', '--api-token', '--api-key', '--key', '--password'])(
    '%s: the error names the right place for it, and does not print it',
    async option => {
      for (const command of [['plan', 'fleet'], ['token', 'list'], []]) {
        for (const words of [[option, secret], [`${option}=${secret}`]]) {
          const stderr = await refused([...command, ...words])
          expect(stderr).toContain(`wlanctl: unknown option ${option}\n`)
          expect(stderr).toContain('WLANCTL_API_TOKEN')
          expect(stderr).toContain('--token-file')
          expect(stderr).not.toContain(secret)
        }
      }
    }
  )

  it('a short option is printed without its possible value', async () => {
    const stderr = await refused(['plan', 'fleet', `-p${secret}`])
    expect(stderr).toContain('wlanctl: unknown option -p\n')
    expect(stderr).not.toContain(secret)
  })
})

const site = `site: { id: ${HQ}, name: hq }\n`

/** An invalid fleet, the code of the finding, and its location. */
const wrongFleets = [
  [
    'an unknown field',
    `${site}wlans:\n  corp: { ssid: Corp, vlanid: 3 }\n`,
    'FIELD_UNKNOWN',
    '3:23'
  ],
  [
    'a plaintext secret',
    `${site}wlans:\n  corp: { ssid: Corp, auth: { psk: open-sesame } }\n`,
    'SECRET_IN_CLEAR',
    '3:36'
  ],
  ['no site', 'profiles: {}\n', 'EMPTY_FLEET', undefined]
] as const

describe('a fleet with an error', () => {
  it.each(wrongFleets)(
    '%s: reported with its location, and nothing is sent',
    async (_, yaml, code, at) => {
      const { write, run, methods } = await stage()
      write('fleet/hq.yaml', yaml)
      const validated = await run('validate fleet --format json', {
        WLANCTL_BASE_URL: undefined,
        WLANCTL_API_TOKEN: undefined
      })
      const { findings, summary } = JSON.parse(validated.stdout)
      expect(validated).toMatchObject({ code: 3, stderr: '' })
      expect(summary.errors).toBeGreaterThan(0)
      expect(findings).toContainEqual(expect.objectContaining({ code, level: 'error' }))
      const place = at === undefined ? '' : `fleet/hq.yaml:${at}: `
      const applied = await run('apply fleet --yes')
      expect(applied).toMatchObject({ code: 3, stdout: '' })
      expect(applied.stderr).toContain(`${place}error: `)
      expect(applied.stderr).toContain(`[${code}]`)
      expect(applied.stderr).not.toContain('open-sesame')
      expect(methods()).toEqual([])
    }
  )

  it('is rejected if it does not exist or is not a directory', async () => {
    const { run, methods } = await stage()
    for (const fleet of ['nowhere', 'fleet/hq.yaml']) {
      const { code, stderr } = await run(`plan ${fleet}`)
      expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining(fleet) })
    }
    expect(methods()).toEqual([])
  })
})

describe('invalid arguments', () => {
  it.each([
    ['plan --parallelism 0', '1 to 256'],
    ['plan --timeout soon', '--timeout'],
    ['plan --report nowhere', 'FORMAT=FILE'],
    ['apply --max-changes some', '--max-changes'],
    ['apply --verify-timeout -1', '--verify-timeout'],
    ['apply --detailed-exitcode', 'unknown option --detailed-exitcode'],
    ['completion cmd', 'bash, zsh, fish'],
    ['token', 'Usage: wlanctl token'],
    ['simulate --seed nowhere.json', 'nowhere.json']
  ])('`%s` exits 3 with a message on stderr alone', async (line, message) => {
    const { run, methods } = await stage()
    const { code, stdout, stderr } = await run(line)
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toContain(message)
    expect(methods()).toEqual([])
  })
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

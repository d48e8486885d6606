import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { corp, HQ } from '../simulator/simulate.ts'
import { stage } from '../support/stage.ts'

const site = `site: { id: ${HQ}, name: hq }\n`

/** An invalid fleet, the code of the finding, and its location. */
const wrongFleets = [
  [
    'an unknown field',
    `${site}wlans:\n  corp: { ssid: Corp, vlanid: 3 }\n`,
    'FIELD_UNKNOWN',
    '3:23'
  ],
  ['an invalid type', `${site}wlans:\n  corp: { ssid: Corp, dtim: often }\n`, 'FIELD_TYPE', '3:29'],
  [
    'a duplicate key',
    `${site}wlans:\n  corp:\n    ssid: Corp\n    ssid: Two\n`,
    'DUPLICATE_KEY',
    '5:5'
  ],
  ['broken YAML', `${site}wlans: {\n`, 'YAML_SYNTAX', '2:8'],
  ['an unknown key', `${site}wlan:\n  corp: { ssid: Corp }\n`, 'UNKNOWN_KEY', '2:1'],
  [
    'a plaintext secret',
    `${site}wlans:\n  corp: { ssid: Corp, auth: { psk: open-sesame } }\n`,
    'SECRET_IN_CLEAR',
    '3:36'
  ],
  ['an invalid id', 'site: { id: ../../self, name: hq }\nwlans: {}\n', 'ID_NOT_UUID', '1:13'],
  [
    'a secret of another prefix',
    `${site}wlans:\n  corp: { ssid: Corp, auth: { psk: { $env: HOME } } }\n`,
    'SECRET_REFERENCE',
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

  it('reports all errors at once, in the order of the files', async () => {
    const { write, run } = await stage()
    write('fleet/b.yaml', `${site}wlans:\n  b: { ssid: B, dtims: 1, vlan_id: 5000 }\n`)
    write('fleet/a.yaml', `wlans:\n  a: { ssid: A }\n`)
    const { stdout } = await run('validate fleet --format json')
    const { findings } = JSON.parse(stdout)
    expect(findings.map(({ place }: { place: { file: string } }) => place.file)).toEqual([
      'fleet/a.yaml',
      'fleet/b.yaml',
      'fleet/b.yaml'
    ])
  })

  it('is rejected if it does not exist or is not a directory', async () => {
    const { run, methods } = await stage()
    for (const fleet of ['nowhere', 'fleet/hq.yaml']) {
      const { code, stderr } = await run(`plan ${fleet}`)
      expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining(fleet) })
    }
    expect(methods()).toEqual([])
  })

  it('is not read through a link that leaves it', async () => {
    const { cwd, write, run } = await stage()
    symlinkSync(write('elsewhere/more.yaml', 'profiles: {}\n'), join(cwd, 'fleet/more.yaml'))
    const { code, stdout } = await run('validate fleet')
    expect({ code, stdout }).toEqual({ code: 3, stdout: expect.stringContaining('LINK_LEADS_OUT') })
  })
})

describe('invalid arguments', () => {
  it.each([
    ['plann', 'unknown command "plann"'],
    ['plan --formt json', 'unknown option --formt'],
    ['plan --format xml', '--format'],
    ['plan fleet other', 'expected 1 argument at most, got 2'],
    ['plan --parallelism 0', '1 to 256'],
    ['plan --parallelism 257', '1 to 256'],
    ['plan --timeout soon', '--timeout'],
    ['plan --quiet --verbose', '--quiet'],
    ['plan --report nowhere', 'FORMAT=FILE'],
    ['plan --report xml=file', 'FORMAT=FILE'],
    ['apply --max-changes some', '--max-changes'],
    ['apply --verify-timeout -1', '--verify-timeout'],
    ['apply --detailed-exitcode', 'unknown option --detailed-exitcode'],
    ['show', 'expected the argument <file>, got none'],
    ['schema house', 'fleet, wlan, plan'],
    ['completion cmd', 'bash, zsh, fish'],
    ['token', 'Usage: wlanctl token'],
    ['token delete', 'unknown command "delete"'],
    ['simulate --seed nowhere.json', 'nowhere.json']
  ])('`%s` exits 3 with a message on stderr alone', async (line, message) => {
    const { run, methods } = await stage()
    const { code, stdout, stderr } = await run(line)
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toContain(message)
    expect(methods()).toEqual([])
  })
})

describe('a declaration that the service cannot apply', () => {
  it.each([
    ['an unknown SSID', 'Copr', 'WLAN_NOT_FOUND'],
    ['an SSID of two WLANs', 'Twin', 'WLAN_AMBIGUOUS']
  ])('%s: reported with its location, and nothing is sent', async (_, ssid, code) => {
    const twin = (n: number) => ({ ...corp, ssid: 'Twin', id: corp.id.replace(/..$/, `1${n}`) })
    const sites = [{ id: HQ, name: 'hq', wlans: [corp, twin(1), twin(2)] }]
    const { write, run, methods } = await stage({ sites })
    write('fleet/hq.yaml', `${site}wlans:\n  corp: { ssid: ${ssid}, vlan_id: 9 }\n`)
    const ended = await run('apply fleet --yes')
    expect(ended).toMatchObject({ code: 5, stdout: expect.stringContaining('1 WLAN blocked') })
    expect(ended.stderr).toMatch(new RegExp(`fleet/hq\\.yaml:3:3: error: .* \\[${code}\\]`))
    expect(methods()).toEqual(['GET'])
  })
})

describe('a file with a byte order mark, as PowerShell writes it', () => {
  it.each([
    ['a plan', 'plan fleet --out saved', 'show saved'],
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

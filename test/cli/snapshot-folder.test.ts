import { readdirSync, symlinkSync, truncateSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DEFAULT_ORG } from '../../src/simulator/store.ts'
import { CORP, corp, guest, HQ } from '../simulator/simulate.ts'
import { git, gitEnv, repository } from '../support/git.ts'
import { Scanner } from '../support/scanner.ts'
import { secretsIn } from '../support/secrets.ts'
import { PSK, type Stage, stage } from '../support/stage.ts'

const LAB = '5ac1dcf4-9d8b-4211-95c4-057819f0862b'
const offline = { WLANCTL_BASE_URL: undefined, WLANCTL_API_TOKEN: undefined, ...gitEnv }

async function taken(): Promise<Stage> {
  const made = await stage()
  expect(await made.run('snapshot fleet --into estate')).toMatchObject({ code: 0 })
  return made
}

const filesOf = ({ cwd }: Stage) => readdirSync(join(cwd, 'estate')).sort()

describe('snapshot --into', () => {
  it('writes a file a site, whose changed field is a changed line in Git', async () => {
    const made = await taken()
    expect(filesOf(made)).toEqual(['hq.json'])
    repository(made.cwd)
    made.simulator.edit(HQ, CORP, { vlan_id: 77 })
    expect(await made.run('snapshot fleet --into estate')).toMatchObject({
      code: 0,
      stderr: 'wlanctl: estate: 1 file written, 0 removed\n'
    })
    const diff = git(made.cwd, 'diff', '--unified=0', '--', 'estate').split('\n')
    const changed = diff.filter(line => /^[-+] /.test(line))
    expect(changed).toEqual(['-      "vlan_id": 20', '+      "vlan_id": 77'])
  })

  it('changes no byte where nothing is new, also when a WLAN was saved without a change', async () => {
    const made = await taken()
    const before = made.read('estate/hq.json')
    made.simulator.edit(HQ, CORP, { vlan_id: 20 })
    const { stderr } = await made.run('snapshot fleet --into estate')
    expect(stderr).toBe('wlanctl: estate: 0 files written, 0 removed\n')
    expect(made.read('estate/hq.json')).toBe(before)
  })

  it('leaves the folder as it is where nothing could be read', async () => {
    const made = await taken()
    made.simulator.set({ fail: [{ answer: { status: 503 }, times: 'always' }] })
    const env = { ...made.env, WLANCTL_MAX_ATTEMPTS: '1' }
    const { stderr } = await made.run('snapshot fleet --into estate', env)
    expect(stderr).toContain('wlanctl: estate: 0 files written, 0 removed\n')
  })

  it('contains no secret, and no time', async () => {
    const { read, env } = await taken()
    const ofSites = secretsIn([{ id: HQ, name: 'hq', wlans: [corp, guest] }])
    const values = [...ofSites, PSK, env['WLANCTL_API_TOKEN'] ?? '']
    const scanner = new Scanner(values.map((value, n) => ({ name: `secret ${n}`, value })))
    const text = read('estate/hq.json')
    expect(scanner.scan({ text })).toEqual([])
    expect(text).toContain('"psk": "(secret)"')
    expect(text).not.toMatch(/_time|digest|created/)
  })

  it('keeps the file of a site that could not be read, and removes that of one that left', async () => {
    const made = await stage({
      sites: [
        { id: HQ, name: 'hq', wlans: [corp, guest] },
        { id: LAB, name: 'lab', wlans: [] }
      ]
    })
    made.write('fleet/lab.yaml', `site: { id: ${LAB}, name: lab }\n`)
    await made.run('snapshot fleet --into estate')
    made.simulator.set({
      fail: [{ path: HQ, answer: { status: 404, body: '{}' }, times: 'always' }]
    })
    expect(await made.run('snapshot fleet --into estate')).toMatchObject({ code: 5 })
    expect(filesOf(made)).toEqual(['hq.json', 'lab.json'])
    made.simulator.set({ fail: [] })
    made.write('fleet/lab.yaml', '')
    await made.run('snapshot fleet --site hq --into estate')
    expect(filesOf(made)).toEqual(['hq.json', 'lab.json'])
    await made.run('snapshot fleet --into estate')
    expect(filesOf(made)).toEqual(['hq.json'])
  })

  it('follows a site by its id when its name changes', async () => {
    const made = await taken()
    made.write(
      'fleet/hq.yaml',
      made.read('fleet/hq.yaml').replace('name: hq', 'name: Head Quarters')
    )
    await made.run('snapshot fleet --into estate')
    expect(filesOf(made)).toEqual(['Head-Quarters.json'])
  })

  it('reads the sites of an organization, for people who declare nothing yet', async () => {
    const made = await stage()
    const { code, stderr } = await made.run(`snapshot --org ${DEFAULT_ORG} --into estate`)
    expect(stderr).toContain('1 file written')
    expect({ code, files: filesOf(made) }).toEqual({ code: 0, files: ['hq.json'] })
  })

  it('writes nothing into a folder with a file of another program', async () => {
    const made = await stage()
    made.write('estate/package.json', '{ "name": "x" }\n')
    const { code, stderr } = await made.run('snapshot fleet --into estate')
    expect(stderr).toContain('is not a file of a snapshot folder')
    expect(code).toBe(3)
    expect(filesOf(made)).toEqual(['package.json'])
  })

  it('writes nothing over the state of another service', async () => {
    const { run } = await taken()
    const other = await stage()
    const { code, stderr } = await run('snapshot fleet --into estate', {
      WLANCTL_BASE_URL: other.simulator.url,
      WLANCTL_API_TOKEN: other.env['WLANCTL_API_TOKEN']
    })
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('is about') })
  })

  it('does not write through a link', async () => {
    const made = await taken()
    made.write('elsewhere.json', made.read('estate/hq.json'))
    unlinkSync(join(made.cwd, 'estate/hq.json'))
    symlinkSync(join(made.cwd, 'elsewhere.json'), join(made.cwd, 'estate/hq.json'))
    const before = made.read('elsewhere.json')
    made.simulator.edit(HQ, CORP, { vlan_id: 77 })
    expect(await made.run('snapshot fleet --into estate')).toMatchObject({ code: 3 })
    expect(made.read('elsewhere.json')).toBe(before)
  })

  it('is no part of a fleet', async () => {
    const made = await stage()
    await made.run('snapshot fleet --into fleet/estate')
    expect(await made.run('validate fleet')).toMatchObject({ code: 0 })
  })
})

describe('a state', () => {
  const planOf = async ({ run }: Stage, state: string) => {
    const { code, stdout, stderr } = await run(
      `plan fleet --format json --against ${state}`,
      offline
    )
    if (code === 3) return stderr
    return JSON.parse(stdout).changes.map(
      ({ modified, ...change }: Record<string, unknown>) => change
    )
  }

  it('is a file, or a folder: the plan is the same', async () => {
    const made = await taken()
    await made.run('snapshot fleet --out s.json')
    const expected = await planOf(made, 's.json')
    expect(expected).toHaveLength(1)
    expect(await planOf(made, 'estate')).toEqual(expected)
    expect(await made.run('audit --against estate', offline)).toMatchObject({ stderr: '' })
  })

  it('knows which secrets the service hides', async () => {
    const made = await stage()
    made.simulator.set({ hiddenSecrets: 'masked' })
    await made.run('snapshot fleet --into estate')
    await made.run('snapshot fleet --out s.json')
    expect(made.read('estate/hq.json')).toContain('"(hidden secret)"')
    expect(await planOf(made, 'estate')).toEqual(await planOf(made, 's.json'))
  })

  it.each([
    ['a value', (text: string) => text.replace('"vlan_id": 20', '"vlan_id":  20')],
    ['a secret in clear', (text: string) => text.replace('"(secret)"', '"a-secret-of-ours"')],
    ['a member twice', (text: string) => text.replace('"vlan_id"', '"vlan_id": 1, "vlan_id"')],
    ['the end', (text: string) => text.slice(0, -20)]
  ])('is refused with an edit by hand: %s', async (_, edit) => {
    const made = await taken()
    made.write('estate/hq.json', edit(made.read('estate/hq.json')))
    const problem = await planOf(made, 'estate')
    expect(problem).toContain('estate/hq.json is not')
    expect(problem).not.toContain('a-secret-of-ours')
  })

  it('is refused where two files are about one site', async () => {
    const made = await taken()
    made.write('estate/other.json', made.read('estate/hq.json'))
    expect(await planOf(made, 'estate')).toContain('are about one site')
  })
})

const OTHER_ORG = '22222222-2222-4222-8222-222222222222'

/** A snapshot folder, whose network was edited by hand since. */
async function remembered(): Promise<Stage> {
  const made = await stage()
  await made.run('snapshot fleet --into estate')
  made.simulator.edit(HQ, CORP, { vlan_id: 77 })
  return made
}

const edit = (made: Stage, change: (text: string) => string) =>
  made.write('estate/hq.json', change(made.read('estate/hq.json')))

/** Replaces the file of the site by a link to it. */
function link(made: Stage) {
  made.write('elsewhere.json', made.read('estate/hq.json'))
  unlinkSync(join(made.cwd, 'estate/hq.json'))
  symlinkSync('../elsewhere.json', join(made.cwd, 'estate/hq.json'))
}

type Prepare = (made: Stage) => void

const otherService: Prepare = made =>
  void edit(made, text => text.replace(/http:[^"]*/, 'https://api.example.com'))
const otherOrganization: Prepare = made =>
  void edit(made, text => text.replace(/"org_id": "[^"]*"/, `"org_id": "${OTHER_ORG}"`))
const tooLarge: Prepare = made => truncateSync(join(made.cwd, 'estate/hq.json'), 49 * 1024 * 1024)
/** A state that no command takes, and why. */
const states: readonly [what: string, prepare: Prepare, problem: RegExp][] = [
  ['another service', otherService, /is about https:\/\/api\.example\.com/],
  ['another organization', otherOrganization, /is of another organization/],
  ['a file beyond the limit', tooLarge, /estate\/hq\.json: the file .*49.*limit/],
  ['a link', link, /estate\/hq\.json .*link/]
]

const commands = ['revert --to estate fleet --yes', 'drift fleet --since estate', 'diff estate']

describe.each(commands)('%s', line => {
  it.each(states)('refuses %s', async (_, prepare, problem) => {
    const made = await remembered()
    prepare(made)
    const writes = made.simulator.history.length
    const { code, stdout, stderr } = await made.run(line)
    expect(stderr).toMatch(problem)
    expect(stdout).toBe('')
    expect(code).toBe(3)
    const [first, ...hints] = stderr.trimEnd().split('\n')
    expect(first).toMatch(/^wlanctl: /)
    expect(hints.every(hint => hint.startsWith('  '))).toBe(true)
    expect(made.simulator.history).toHaveLength(writes)
  })
})

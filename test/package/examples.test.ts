import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSeed } from '../../src/simulator/fleet/seed.ts'
import { folder, ROOT, wlanctl } from '../support/program.ts'
import { secretsIn } from '../support/secrets.ts'
import { stage } from '../support/stage.ts'

const secrets = {
  WLAN_SECRET_GUEST_PSK: 'welcome-to-the-lobby',
  WLAN_SECRET_STAFF_PSK: 'green-kettles-of-this-year',
  WLAN_SECRET_RADIUS: 'radius-of-retail',
  WLAN_SECRET_TILLS_PSK: 'tills-of-this-year',
  WLAN_SECRET_CAFE_PSK: 'coffee-and-cake'
}

/** Each example, with its differences from the initial state in its `simulator.json`, and its findings. */
const examples = [
  { name: 'github', sites: 2, wlans: 3, changed: 1 },
  {
    name: 'policy',
    sites: 1,
    wlans: 3,
    changed: 2,
    findings: [{ rule: 'keys-only-on-iot-vlans', waived: { reason: expect.any(String) } }]
  },
  { name: 'quickstart', sites: 1, wlans: 2, changed: 1 },
  {
    name: 'retail',
    sites: 30,
    wlans: 90,
    changed: 43,
    // A test network that no file declares.
    findings: ['open-without-login', 'guest-traffic-untagged'].map(rule => ({
      ...{ rule, address: 'store-bonn', existing: true }
    }))
  },
  { name: 'rollout', sites: 9, wlans: 9, changed: 9 },
  { name: 'rotation', sites: 6, wlans: 6, changed: 6 }
]

/** Monday night in Germany, when the window of an example is open. */
const night = { now: () => new Date('2026-11-23T21:30:00Z') }

describe('the examples', () => {
  it('with a fleet are all tested', () => {
    const names = examples.map(({ name }) => name)
    const fleets = readdirSync(join(ROOT, 'examples')).filter(name =>
      existsSync(join(ROOT, 'examples', name, 'simulator.json'))
    )
    expect(fleets.sort()).toEqual(names)
  })

  it.each(examples)('$name: valid, planned, applied, then in sync', async example => {
    const source = join(ROOT, 'examples', example.name)
    const sites = readSeed(readFileSync(join(source, 'simulator.json'), 'utf8')).sites
    const made = await stage({ sites })
    const directory = join(made.cwd, example.name)
    cpSync(source, directory, { recursive: true })
    const file = join(directory, 'sites.yaml')
    if (existsSync(file)) {
      writeFileSync(file, readFileSync(file, 'utf8').replace('pause: 300', 'pause: 0'))
    }
    const { simulator } = made
    const run = (line: string, env = {}) => made.run(line, env, night)
    expect(await run(`validate ${directory}`)).toMatchObject({ code: 0, stderr: '' })
    const planned = await run(`plan ${directory} --format json`, secrets)
    const { name, findings = [], ...counts } = example
    expect(JSON.parse(planned.stdout)).toMatchObject({
      summary: { ...counts, blocked: 0, requests: example.sites },
      findings
    })
    const applied = await run(`apply ${directory} --yes`, secrets)
    expect(applied).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`Apply: ${example.changed} applied\n`)
    })
    expect(simulator.history).toHaveLength(example.changed)
    const again = await run(`plan ${directory} --detailed-exitcode`, secrets)
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('No changes') })
    const shown = planned.stdout + applied.stdout + applied.stderr + again.stdout
    for (const secret of [...Object.values(secrets), ...secretsIn(sites)]) {
      expect(shown).not.toContain(secret)
    }
  })
})

describe('examples/tests', () => {
  interface Mutation {
    readonly edit: string
    readonly file: string
    readonly find: string
    readonly replace: string
  }

  const example = join(ROOT, 'examples/tests')
  const mutations: readonly Mutation[] = JSON.parse(
    readFileSync(join(example, 'mutations.json'), 'utf8')
  )

  it('needs at most 15 lines of tests for 20 mutations', () => {
    expect(readFileSync(join(example, 'tests.yaml'), 'utf8').split('\n').length - 1).toBeLessThan(
      16
    )
    expect(mutations.length).toBe(20)
  })

  it('passes', async () => {
    expect(await wlanctl(['test', 'examples/tests'], { cwd: ROOT })).toMatchObject({ code: 0 })
  })

  it('shows in its README what two edits print', async () => {
    const cwd = folder()
    cpSync(example, cwd, { recursive: true })
    const text = readFileSync(join(cwd, 'sites.yaml'), 'utf8')
      .replace('corp_vlan: 101', 'corp_vlan: 1')
      .replace(/corp_vlan: 104 .*/, '$&\n    wlans: { scanners: { bands: ["24"] } }')
    writeFileSync(join(cwd, 'sites.yaml'), text)
    const { stdout } = await wlanctl(['test'], { cwd })
    expect(readFileSync(join(example, 'README.md'), 'utf8')).toContain(stdout)
  })

  it.each(mutations)('catches that $edit, which validate accepts', async mutation => {
    const { file, find, replace } = mutation
    const cwd = folder()
    cpSync(example, cwd, { recursive: true })
    const text = readFileSync(join(cwd, file), 'utf8')
    expect(text.split(find).length).toBe(2)
    writeFileSync(
      join(cwd, file),
      text.replace(find, () => replace)
    )
    expect(await wlanctl(['validate'], { cwd })).toMatchObject({ code: 0 })
    expect(await wlanctl(['test'], { cwd })).toMatchObject({ code: 1 })
  })
})

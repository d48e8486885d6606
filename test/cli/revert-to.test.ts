import { describe, expect, it } from 'vitest'
import type { SimulatorOptions } from '../../src/simulator/server.ts'
import { CORP, corp, GUEST, guest, HQ, UNKNOWN_ID } from '../simulator/simulate.ts'
import { PSK, type Stage, stage } from '../support/stage.ts'

const LAB = '5ac1dcf4-9d8b-4211-95c4-057819f0862b'
const STAFF = '9b1f1c52-9a10-4f4e-8a7e-0d3a3a1b6a01'
const IOT = '9b1f1c52-9a10-4f4e-8a7e-0d3a3a1b6a02'

const staff = { id: STAFF, ssid: 'Staff', site_id: HQ, enabled: true, vlan_id: 30, dtim: 20 }
const iot = { id: IOT, ssid: 'IoT', site_id: HQ, enabled: true, vlan_id: 40 }

/** A site with a network without secrets, and its state: as a file and a folder. */
async function remembered(options: Partial<SimulatorOptions> = {}): Promise<Stage> {
  const made = await stage({
    sites: [{ id: HQ, name: 'hq', wlans: [corp, guest, staff] }],
    ...options
  })
  expect(await made.run('snapshot fleet --into estate')).toMatchObject({ code: 0 })
  expect(await made.run('snapshot fleet --out s.json')).toMatchObject({ code: 0 })
  return made
}

/** The bodies that a command sends. */
async function sent(made: Stage, line: string, env = {}) {
  const before = made.simulator.history.length
  const ended = await made.run(line, env)
  return { ...ended, bodies: made.simulator.history.slice(before).map(({ body }) => body) }
}

const TO = 'revert --to estate fleet --yes'

describe('revert --to', () => {
  it.each(['estate', 's.json'])('restores %s after edits by hand', async state => {
    const made = await remembered()
    made.simulator.edit(HQ, STAFF, { vlan_id: 99, dtim: null, hide_ssid: true, ssid: 'Personal' })
    const ended = await sent(made, `revert --to ${state} fleet --yes --wlan Staff`)
    expect(ended).toMatchObject({
      code: 0,
      stdout: 'applied  Staff at hq\n\nRevert: 1 applied\n',
      bodies: [{ vlan_id: 30, dtim: 20, hide_ssid: null, ssid: 'Staff' }]
    })
    expect(ended.stderr).toMatch(/vlan_id +99 +→ 30/)
    expect(made.simulator.record(HQ, STAFF)).toMatchObject({ vlan_id: 30, dtim: 20, ssid: 'Staff' })
  })

  it('names the secrets that no state has, and restores the other fields', async () => {
    const made = await remembered()
    made.simulator.edit(HQ, CORP, { vlan_id: 77 })
    const keyed = { auth: { type: 'psk', psk: 'edited-by-hand' } }
    made.simulator.edit(HQ, GUEST, { ...keyed, vlan_id: 78 })
    const { code, stdout, stderr, bodies } = await sent(made, TO)
    expect({ code, bodies }).toEqual({ code: 5, bodies: [{ vlan_id: 20 }, { vlan_id: null }] })
    expect(stderr).toMatch(/: auth\.psk, portal\.password \[SECRET_NOT_RESTORED\]\n +hq\/guest\n/)
    expect(stdout).toContain('Incomplete: secrets of 2 WLANs not restored. Revert: 2 applied')
    expect(stdout + stderr).not.toMatch(new RegExp(`edited-by-hand|test-psk-123|seesam|${PSK}`))
    expect(made.simulator.record(HQ, GUEST)).toMatchObject({ auth: { psk: 'edited-by-hand' } })
  })

  it.each([
    ['shown', {}],
    ['hidden', { auth: { type: 'eap', psk: '********' } }]
  ])('fails for no network that is as before, with secrets that are %s', async (_, hidden) => {
    const made = await remembered({
      sites: [{ id: HQ, name: 'hq', wlans: [{ ...corp, ...hidden }, staff] }]
    })
    made.simulator.edit(HQ, STAFF, { vlan_id: 99 })
    expect(await sent(made, TO)).toMatchObject({ code: 0, bodies: [{ vlan_id: 30 }] })
    expect(await made.run(TO)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('except for secrets')
    })
    expect((await made.run(`${TO} --field /auth_servers`)).code).toBe(5)
    made.simulator.edit(HQ, CORP, { auth_servers: [{ host: '10.0.0.1', secret: '' }] })
    expect((await made.run(TO)).code).toBe(5)
  })

  it('does not ask for a key that the network lacks', async () => {
    const made = await remembered()
    made.simulator.edit(HQ, GUEST, { auth: { type: 'open' }, dtim: 5 })
    const { code, stderr, bodies } = await sent(made, `${TO} --wlan guest`)
    expect({ code, bodies }).toEqual({ code: 5, bodies: [{ dtim: null }] })
    expect(stderr).toMatch(/auth\.type.* \[NOT_RESTORED\]/)
  })

  it('sends neither what only the service sets, nor what wlanctl does not know', async () => {
    const made = await remembered()
    made.simulator.edit(HQ, STAFF, { template_id: null, msp_id: UNKNOWN_ID, brand_new: 1, dtim: 5 })
    const { code, stderr, bodies } = await sent(made, `${TO} --wlan Staff`)
    expect({ code, bodies }).toEqual({ code: 5, bodies: [{ dtim: 20 }] })
    expect(stderr).toMatch(/brand_new.* \[NOT_RESTORED\]/)
    expect(stderr).not.toContain('msp_id')
  })

  it('restores whole elements of a list, and keeps their secrets', async () => {
    const made = await remembered()
    const servers = [{ host: '10.0.0.1', port: 1645, secret: 'radius-one' }, corp['auth_servers']]
    made.simulator.edit(HQ, CORP, {
      auth_servers: [servers[0] ?? null, { host: '10.0.0.2', port: '1812', secret: 'radius-two' }]
    })
    expect(await sent(made, `${TO} --wlan corp`)).toMatchObject({ code: 5 })
    expect(made.simulator.record(HQ, CORP)).toMatchObject({ auth_servers: corp['auth_servers'] })
  })

  it.each([
    ['--field /vlan_id', [{ vlan_id: 30 }]],
    ['--field /vlan_id --field /hide_ssid', [{ vlan_id: 30, hide_ssid: null }]],
    ['--site other --site hq --field /dtim', []]
  ])('restores only %s', async (options, bodies) => {
    const made = await remembered()
    made.simulator.edit(HQ, STAFF, { vlan_id: 99, hide_ssid: true })
    const ended = await sent(made, `${TO} --wlan Staff ${options}`)
    expect(ended).toMatchObject({ code: 0, bodies })
  })

  it('names networks and sites that only one side has, and never creates or deletes', async () => {
    const made = await remembered({
      sites: [
        { id: HQ, name: 'hq', wlans: [corp, guest, staff] },
        { id: LAB, name: 'lab', wlans: [] }
      ]
    })
    made.write('fleet/lab.yaml', `site: { id: ${LAB}, name: lab }\n`)
    made.simulator.remove(HQ, CORP)
    const body = JSON.stringify([guest, { ...staff, vlan_id: 99 }, iot])
    const path = `/sites/${HQ}/wlans`
    made.simulator.set({ fail: [{ method: 'GET', path, answer: { status: 200, body } }] })
    const { code, stderr, stdout } = await sent(made, `${TO} --format json --field /vlan_id`)
    const { findings, outcomes } = JSON.parse(stdout)
    expect(stderr).not.toContain('bug')
    expect(code).toBe(5)
    expect(outcomes).toMatchObject([
      { address: 'hq/Staff', status: 'applied' },
      { address: 'hq/corp', status: 'skipped' }
    ])
    expect(
      findings.map((found: Record<string, unknown>) => [found['code'], found['address']])
    ).toEqual([
      ['NOT_RESTORED', 'lab'],
      ['NOT_RESTORED', 'hq/IoT'],
      ['WLAN_NOT_FOUND', 'hq/corp'],
      ['LINT', 'hq/Staff']
    ])
    expect(new Set(made.methods())).toEqual(new Set(['GET', 'PUT']))
  })

  it('follows a site by its id when its name changes', async () => {
    const made = await remembered()
    made.write('fleet/hq.yaml', made.read('fleet/hq.yaml').replace('name: hq', 'name: main'))
    made.simulator.edit(HQ, STAFF, { vlan_id: 99 })
    const ended = await sent(made, `${TO} --wlan main/Staff`)
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('Staff at main') })
  })

  it('shows the plan, saves it, and asks', async () => {
    const made = await remembered()
    made.simulator.edit(HQ, STAFF, { vlan_id: 99 })
    const line = 'revert --to estate fleet --wlan Staff'
    const shown = await sent(made, `${line} --dry-run --out p.json`)
    expect(shown).toMatchObject({ code: 0, bodies: [] })
    expect(shown.stdout).toMatch(/vlan_id +99 +→ 30/)
    expect(await sent(made, line)).toMatchObject({ code: 3, bodies: [] })
    const { digest } = JSON.parse(made.read('p.json'))
    const other = `sha256:${'0'.repeat(64)}`
    expect(await sent(made, `${line} --yes --expect ${other}`)).toMatchObject({ code: 4 })
    const approved = `${line} --yes --plan p.json --expect ${digest} --record r.jsonl`
    expect(await sent(made, approved)).toMatchObject({ code: 0, bodies: [{ vlan_id: 30 }] })
    expect(await sent(made, 'revert r.jsonl fleet --yes')).toMatchObject({
      code: 0,
      bodies: [{ vlan_id: 99 }]
    })
  })
})

describe('the policy of a fleet', () => {
  it('is required, and must declare the sites', async () => {
    const made = await remembered()
    made.simulator.edit(HQ, STAFF, { vlan_id: 99 })
    made.write('lab/lab.yaml', `site: { id: ${LAB}, name: lab }\n`)
    const refused = await sent(made, 'revert --to estate lab --yes')
    expect(refused).toMatchObject({ code: 4, bodies: [] })
    expect(refused.stderr).toContain(`does not declare: hq (${HQ})`)
    const free = await sent(made, 'revert --to estate --without-fleet --yes --wlan Staff')
    expect(free).toMatchObject({ code: 0, bodies: [{ vlan_id: 30 }] })
  })
})

it.each<[what: string, from: string, to: string, problem: RegExp]>([
  ['a network of another site', `"site_id": "${HQ}"`, `"site_id": "${LAB}"`, /names another site/],
  ['a site without an id', `  "id": "${HQ}",\n`, '', /is not a file of a snapshot folder/]
])('a state with %s is not restored', async (_, from, to, problem) => {
  const made = await remembered()
  made.simulator.edit(HQ, STAFF, { vlan_id: 99 })
  made.write('estate/hq.json', made.read('estate/hq.json').replace(from, to))
  const { code, stderr, bodies } = await sent(made, TO)
  expect({ code, bodies }).toEqual({ code: 3, bodies: [] })
  expect(stderr).toMatch(problem)
})

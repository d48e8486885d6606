import { describe, expect, it } from 'vitest'
import type { Finding } from '../../src/core/model/finding.ts'
import { CORP, GUEST, HQ } from '../support/ids.ts'
import { hqFile, stage } from '../support/stage.ts'

const PRINTER = '5d1a6f3e-7c52-4f8b-9d5e-2f0b6a7c8d9e'
const login = { auth: { type: 'open' }, portal: { enabled: true, auth: 'none' } }

const SITE = {
  id: HQ,
  name: 'hq',
  wlans: [
    { id: CORP, ssid: 'Corp', enabled: true, ...login, dtim: 2 },
    { id: GUEST, ssid: 'Guest', enabled: true, ...login },
    { id: PRINTER, ssid: 'Printer', enabled: false }
  ]
}

const FILES = `policy: { unwatched: drift, lint: { level: off } }
site: { id: ${HQ}, name: hq }
wlans:
  corp: { ssid: Corp, enabled: true, dtim: 2, auth: { type: open }, portal: { enabled: true, auth: none } }
  guest: { ssid: Guest, enabled: true, auth: { type: open }, portal: { enabled: true, auth: none } }
`

/** Drift of declared and undeclared fields, and an open network that no file declares. */
async function edited() {
  const made = await stage({ sites: [SITE] })
  made.write('fleet/hq.yaml', FILES)
  const { simulator } = made
  simulator.edit(HQ, CORP, { dtim: 5 })
  simulator.edit(HQ, GUEST, {
    enabled: false,
    dtim: 5,
    max_num_clients: 1,
    portal_allowed_subnets: ['0.0.0.0/0']
  })
  simulator.edit(HQ, CORP, { max_num_clients: 1, portal_allowed_subnets: ['0.0.0.0/0'] })
  simulator.edit(HQ, PRINTER, { enabled: true })
  return made
}

/** The dangers in order, then the drift without one. */
const ORDER = ['Open: anybody gets in', 'dtim  5 → 2', 'Off: no access point sends', 'Printer']

/** The findings in a comment, in the same order. */
const FINDINGS = ['Printer', 'portal_allowed_subnets', 'max_num_clients']

function inOrder(text: string, parts: readonly string[]): void {
  const places = parts.map(part => text.indexOf(part))
  expect(places).not.toContain(-1)
  expect(places).toEqual([...places].sort((a, b) => a - b))
}

describe('drift of what no file declares', () => {
  it.each([
    ['text', ORDER],
    ['markdown', ['is switched off', ...FINDINGS]],
    ['github', ORDER],
    ['html', FINDINGS]
  ])('is in the order of the dangers, among the declared fields, as %s', async (format, order) => {
    const { run } = await edited()
    const { code, stdout } = await run(`drift fleet --format ${format}`)
    expect(code).toBe(2)
    inOrder(format === 'html' ? stdout.slice(stdout.indexOf('</style>')) : stdout, order)
    if (format === 'text')
      expect(stdout).toContain(
        '\nhq lets people into Corp without the login, and has an open network that no file declares\n'
      )
  })

  it('is in the same order in JSON, with the dangers, and where that is shown', async () => {
    const { run, write } = await edited()
    const { stdout } = await run('drift fleet --format json')
    const found = JSON.parse(stdout).findings as Finding[]
    expect(found.flatMap(({ danger }) => danger ?? [])).toEqual(['open', 'no-login', 'refused'])
    write('drift.json', stdout)
    inOrder((await run('show drift.json')).stdout, ORDER)
  })
})

it('a network is partly off once an earlier state had more', async () => {
  const auth = { type: 'eap' }
  const wlans = [{ id: CORP, ssid: 'Corp WiFi', vlan_id: 2, bands: ['24', '5'], auth }]
  const { run, write, simulator } = await stage({ sites: [{ id: HQ, name: 'hq', wlans }] })
  write('own/hq.yaml', hqFile('{ a: { ssid: Corp WiFi, vlan_id: 2 } }'))
  await run('snapshot own --out before.json')
  simulator.edit(HQ, CORP, { bands: ['5'] })
  const { stdout } = await run('drift own --since before.json')
  expect(stdout).toContain('\nhq has no Corp WiFi Wi-Fi in parts or at times\n')
})

it('a network that is closed all week is off in the plan, and never on the air', async () => {
  const hours = { mon: '', tue: '', wed: '', thu: '', fri: '', sat: '', sun: '' }
  const wlans = [{ id: CORP, ssid: 'Corp', schedule: { enabled: false, hours } }]
  const { run, write } = await stage({ sites: [{ id: HQ, name: 'hq', wlans }] })
  const wlan = JSON.stringify({ ssid: 'Corp', schedule: { enabled: true, hours } })
  write('own/hq.yaml', hqFile(`{ a: ${wlan} }`))
  const { stdout } = await run('plan own --report json=plan.json')
  expect(stdout).toContain('The changes switch off Corp at hq\n')
  expect(stdout).toContain('the network goes off the air')
  expect(stdout).toContain('(1 outage)')
  expect((await run('show plan.json')).stdout).toContain('The changes switch off Corp at hq\n')
  const validated = await run('validate own')
  expect(validated.stdout).toContain('the network is off all week')
  expect(validated.stdout).not.toContain('always on')
})

describe('a network that anybody can join', () => {
  const lobby = { id: CORP, ssid: 'Lobby', enabled: true, apply_to: 'site', isolation: true }
  const staged = async (live: object, policy = '{}') => {
    const made = await stage({ sites: [{ id: HQ, name: 'hq', wlans: [{ ...lobby, ...live }] }] })
    const files = hqFile('{ a: { ssid: Lobby, auth: { type: open } } }')
    made.write('own/hq.yaml', `policy: ${policy}\n${files}`)
    return made
  }
  const waiver =
    '{ waivers: [{ rule: open-without-login, wlan: a, reason: lobby, until: 2999-01-01 }] }'

  it.each([
    ['{}', 2],
    ['{ lint: { rules: { open-without-login: off } } }', 0],
    [waiver, 0]
  ])('and was declared so long ago is drift, and no refusal: %s', async (policy, code) => {
    const { run } = await staged({}, policy)
    expect(await run('drift own')).toMatchObject({ code })
    expect(await run('plan own --detailed-exitcode')).toMatchObject({ code: 0 })
  })

  it('is what an audit begins with', async () => {
    const vlan = { vlan_enabled: true, vlan_id: 110, interface: 'all' }
    const corp = { id: GUEST, ssid: 'Corp', ...login, ...vlan }
    const { run } = await stage({
      sites: [{ id: HQ, name: 'hq', wlans: [{ ...lobby, ...vlan }, corp] }]
    })
    const { stdout } = await run(`audit ${HQ}`)
    expect(stdout).toContain('anybody can join "Lobby", which shares VLAN 110 with "Corp"')
    expect(stdout).toContain('Lobby is open at ')
  })

  it('is one error where a change opens it, or where no file declares it', async () => {
    const { run } = await staged({ auth: { type: 'psk', psk: 'blue-Horse-7-staple' } })
    const opened = await run('plan own --format json')
    expect(opened.code).toBe(4)
    expect(opened.stdout).not.toContain('anybody can join')
    const live = await staged({})
    live.write('own/hq.yaml', hqFile('{}'))
    const { code, stdout } = await live.run('drift own')
    expect({ code, said: stdout.split('anybody can join').length - 1 }).toEqual({
      code: 2,
      said: 1
    })
  })

  it('names a network first that is open as its files declare it', async () => {
    const { run, write, simulator } = await edited()
    const open = { enabled: true, auth: { type: 'open' }, portal: { enabled: false } }
    simulator.edit(HQ, CORP, { ...open, dtim: 2 })
    write(
      'open/hq.yaml',
      `site: { id: ${HQ}, name: hq }\nwlans: { corp: { ssid: Corp, ${JSON.stringify(open).slice(1, -1)} } }\n`
    )
    const { stdout } = await run('drift open --format markdown')
    expect(stdout).toContain(
      '### 🔴 `hq` has an open `Corp` network, and has an open network that no file declares\n'
    )
    expect(stdout).toContain('`wlanctl explain open-without-login`')
    expect((await run('drift open')).stdout).toMatch(/^Open: .* \(1\)\n {2}hq\/corp {2}/m)
  })
})

import { describe, expect, it } from 'vitest'
import type { Finding } from '../../src/core/model/finding.ts'
import type { JsonObject } from '../../src/simulator/json.ts'
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
const ORDER = ['Off: no access point sends', 'Open: anybody gets in', 'dtim  5 → 2', 'Printer']

/** The findings in a comment, in the same order. */
const FINDINGS = ['Printer', 'portal_allowed_subnets', 'max_num_clients']

function inOrder(text: string, parts: readonly string[]): void {
  const places = parts.map(part => text.indexOf(part))
  expect(places).not.toContain(-1)
  expect(places).toEqual([...places].sort((a, b) => a - b))
}

describe('drift of what no file declares', () => {
  it('is in the order of the dangers in text, among the declared fields', async () => {
    const { run } = await edited()
    const { code, stdout } = await run('drift fleet')
    expect(code).toBe(2)
    inOrder(stdout, ORDER)
    expect(stdout).toContain('\nhq has no Guest Wi-Fi, and has an open Corp network\n')
  })

  it('is in the same order in JSON, with the dangers', async () => {
    const { run, write } = await edited()
    const { stdout } = await run('drift fleet --format json')
    const found = JSON.parse(stdout).findings as Finding[]
    expect(found.map(({ code, danger }) => [code, danger]).slice(0, 5)).toEqual([
      ['UNMANAGED_OPEN', 'open'],
      ['UNDECLARED_CHANGED', 'no-login'],
      ['UNDECLARED_CHANGED', 'refused'],
      ['UNDECLARED_CHANGED', undefined],
      ['UNDECLARED_CHANGED', undefined]
    ])
    write('drift.json', stdout)
    inOrder((await run('show drift.json')).stdout, ORDER)
  })

  it.each([
    ['markdown', ['is switched off', ...FINDINGS]],
    ['github', ORDER],
    ['html', FINDINGS]
  ])('is in the same order as %s', async (format, order) => {
    const { run } = await edited()
    const { stdout } = await run(`drift fleet --format ${format}`)
    inOrder(format === 'html' ? stdout.slice(stdout.indexOf('</style>')) : stdout, order)
  })
})

describe('an undeclared field that is not at its default', () => {
  const declared = `policy: { unwatched: drift, lint: { level: off } }
site: { id: ${HQ}, name: hq }
wlans: { a: { ssid: Corp WiFi, vlan_id: 2 } }
`
  const week = { mon: '', tue: '', wed: '', thu: '', fri: '', sat: '', sun: '' }

  it.each<[what: string, live: JsonObject, headline: string, danger: string | undefined]>([
    ['differs with fewer bands', { bands: ['24', '5'] }, 'Drift: 1 undeclared field', undefined],
    [
      'differs with fewer hours',
      { schedule: { enabled: true, hours: { ...week, mon: '08:00-20:00' } } },
      'Drift: ',
      undefined
    ],
    [
      'refuses with a limit of clients',
      { max_num_clients: 1 },
      'hq keeps clients out of Corp WiFi',
      'refused'
    ],
    ['is off if it is disabled', { enabled: false }, 'hq has no Corp WiFi Wi-Fi', 'off'],
    [
      'is off if no access point may send it',
      { apply_to: 'aps' },
      'hq has no Corp WiFi Wi-Fi',
      'off'
    ],
    [
      'lets people in if its portal lets them through',
      { portal_allowed_subnets: ['0.0.0.0/0'], portal: { enabled: true, auth: 'password' } },
      'hq lets people into Corp WiFi without the login',
      'no-login'
    ]
  ])('%s', async (_, live, headline, danger) => {
    const wlans = [{ id: CORP, ssid: 'Corp WiFi', vlan_id: 2, ...live }]
    const { run, write } = await stage({ sites: [{ id: HQ, name: 'hq', wlans }] })
    write('own/hq.yaml', declared)
    const { code, stdout } = await run('drift own --format json')
    expect(code).toBe(2)
    const found = JSON.parse(stdout).findings as Finding[]
    expect(found[0]).toMatchObject({ code: 'UNDECLARED_CHANGED' })
    expect(found[0]?.danger).toBe(danger)
    expect((await run('drift own')).stdout).toContain(`\n${headline}`)
    const comment = (await run('drift own --format markdown')).stdout
    expect(comment).toContain(danger === 'off' || danger === 'no-login' ? '### 🔴' : '### 🟠')
    expect(comment).not.toContain('as declared**')
    expect(comment).not.toContain('The network is as declared')
  })

  it('is partly off once an earlier state had more', async () => {
    const wlans = [{ id: CORP, ssid: 'Corp WiFi', vlan_id: 2, bands: ['24', '5'] }]
    const { run, write, simulator } = await stage({ sites: [{ id: HQ, name: 'hq', wlans }] })
    write('own/hq.yaml', declared)
    await run('snapshot own --out before.json')
    simulator.edit(HQ, CORP, { bands: ['5'] })
    const { stdout } = await run('drift own --since before.json')
    expect(stdout).toContain('\nhq has no Corp WiFi Wi-Fi in parts or at times\n')
  })
})

describe('a network that is closed all week', () => {
  const week = { mon: '', tue: '', wed: '', thu: '', fri: '', sat: '', sun: '' }
  const open = { ...week, sun: '08:00-20:00' }

  it.each<[what: string, declared: JsonObject, live: JsonObject, danger: string]>([
    ['by its schedule', { enabled: false }, { enabled: true, hours: week }, 'off'],
    ['by its last hours', { enabled: true, hours: open }, { enabled: true, hours: week }, 'off'],
    ['but for one day', { enabled: false }, { enabled: true, hours: open }, 'partly-off']
  ])('%s', async (_, declared, live, danger) => {
    const wlans = [{ id: CORP, ssid: 'Corp', schedule: live }]
    const { run, write } = await stage({ sites: [{ id: HQ, name: 'hq', wlans }] })
    const wlan = JSON.stringify({ ssid: 'Corp', schedule: declared })
    write('own/hq.yaml', hqFile(`{ a: ${wlan} }`))
    const { stdout } = await run('drift own --format json')
    expect(JSON.parse(stdout).changes[0].dangers[0]).toMatchObject({ kind: danger })
    const closing = JSON.stringify({ ssid: 'Corp', schedule: { enabled: true, hours: week } })
    write('shut/hq.yaml', hqFile(`{ a: ${closing} }`))
    const shut = await run('validate shut')
    expect(shut.stdout + shut.stderr).toContain('the network is never on the air')
    expect(shut.stdout + shut.stderr).not.toContain('always on')
    const plan = await run('plan shut')
    if (danger === 'partly-off')
      expect(plan.stdout).toContain('The changes switch off Corp at hq\n')
  })

  it.each<[what: string, live: JsonObject, declared: JsonObject, isOff: boolean]>([
    [
      'its schedule',
      { schedule: { enabled: false, hours: week } },
      { schedule: { enabled: true } },
      true
    ],
    ['no access point', { apply_to: 'aps', ap_ids: [CORP] }, { ap_ids: [] }, true],
    ['no hours', {}, { schedule: { enabled: true } }, false],
    ['empty hours', { schedule: { hours: { mon: null } } }, { schedule: { enabled: true } }, false]
  ])('is off in the plan, and always on is no outage: %s', async (_, live, declared, isOff) => {
    const wlans = [{ id: CORP, ssid: 'Corp', ...live }]
    const { run, write } = await stage({ sites: [{ id: HQ, name: 'hq', wlans }] })
    const wlan = JSON.stringify({ ssid: 'Corp', ...declared })
    write('own/hq.yaml', hqFile(`{ a: ${wlan} }`))
    const { stdout } = await run('plan own --report json=plan.json')
    expect(stdout.includes('The changes switch off Corp at hq')).toBe(isOff)
    expect(stdout.includes('the network goes off the air')).toBe(isOff)
    expect(stdout.includes('(1 outage)')).toBe(isOff)
    expect((await run('show plan.json')).stdout).toContain(isOff ? 'switch off Corp' : 'Plan: 1')
  })
})

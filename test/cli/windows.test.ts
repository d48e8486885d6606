import { describe, expect, it } from 'vitest'
import { stage } from '../support/stage.ts'

const idOf = (kind: number, n: number) =>
  `${kind}0000000-0000-4000-8000-${String(n).padStart(12, '0')}`

/** Sites in Berlin and New York; `guest` reconnects its clients, `iot` changes without an effect. */
const names = ['berlin', 'newyork'] as const
const zones = ['Europe/Berlin', 'America/New_York']

const windows = `windows: [{ name: nights, days: [mon], from: "22:00", until: "05:00", impact: [reconnect, outage] }]`

async function shops(policy = windows) {
  const made = await stage({
    sites: names.map((name, n) => ({
      id: idOf(1, n),
      name,
      wlans: [
        { id: idOf(2, n), ssid: 'Guest', enabled: true, vlan_id: 10, vlan_enabled: true },
        { id: idOf(3, n), ssid: 'IoT', enabled: true, allow_mdns: false, apply_to: 'site' }
      ]
    }))
  })
  const sites = names.map(
    (name, n) => `  - { id: ${idOf(1, n)}, name: ${name}, vars: { timezone: ${zones[n]} } }\n`
  )
  made.write(
    'fleet/hq.yaml',
    `sites:\n${sites.join('')}wlans:\n  guest: { ssid: Guest, vlan_id: 11 }\n  iot: { ssid: IoT, allow_mdns: true }\npolicy: { ${policy} }\n`
  )
  return made
}

/** Monday 2026-11-23: noon in Berlin, night in Berlin, night in New York. */
const NOON = '2026-11-23T11:00:00Z'
const BERLIN_NIGHT = '2026-11-23T21:30:00Z'
const NEW_YORK_NIGHT = '2026-11-24T04:30:00Z'

const at = (time: string) => ({ now: () => new Date(time) })

function statuses(stdout: string): Record<string, string> {
  const { outcomes } = JSON.parse(stdout)
  return Object.fromEntries(
    outcomes.map(({ address, status }: Record<string, string>) => [address, status])
  )
}

const SEND = 'apply fleet --yes --max-changes all'
const APPLY = `${SEND} --format json`

describe('windows', () => {
  it('defer the changes of their classes at each site, by the local time of the site', async () => {
    const { run, simulator } = await shops()
    const noon = await run(APPLY, {}, at(NOON))
    expect(noon.code).toBe(0)
    expect(statuses(noon.stdout)).toEqual({
      'berlin/guest': 'deferred',
      'berlin/iot': 'applied',
      'newyork/guest': 'deferred',
      'newyork/iot': 'applied'
    })
    expect(JSON.parse(noon.stdout).outcomes[0]).toEqual({
      address: 'berlin/guest',
      status: 'deferred',
      reason:
        'outside of the window nights; waits until 2026-11-23 22:00 Europe/Berlin (2026-11-23 21:00 UTC)',
      until: '2026-11-23T21:00:00Z'
    })
    expect(statuses((await run(APPLY, {}, at(BERLIN_NIGHT))).stdout)).toEqual({
      'berlin/guest': 'applied',
      'newyork/guest': 'deferred'
    })
    expect(statuses((await run(APPLY, {}, at(NEW_YORK_NIGHT))).stdout)).toEqual({
      'newyork/guest': 'applied'
    })
    expect(simulator.history).toHaveLength(4)
  })

  it('are in the plan, in every format', async () => {
    const { run, read } = await shops()
    const noon = await run('plan fleet --format json', {}, at(NOON))
    const night = await run('plan fleet --format json', {}, at(BERLIN_NIGHT))
    const plan = JSON.parse(noon.stdout)
    const local = (zone: string) => ({ windows: ['nights'], local: `2026-11-23 22:00 ${zone}` })
    expect(plan.deferred).toEqual([
      { address: 'berlin/guest', until: '2026-11-23T21:00:00Z', ...local('Europe/Berlin') },
      { address: 'newyork/guest', until: '2026-11-24T03:00:00Z', ...local('America/New_York') }
    ])
    expect(JSON.parse(night.stdout).deferred).toHaveLength(1)
    const reports = '--report markdown=p.md --report github=p.log --report html=p.html'
    const { stdout } = await run(`plan fleet ${reports}`, {}, at(NOON))
    const texts = [stdout, read('p.md'), read('p.log')]
    for (const text of texts)
      expect(text).toContain('2 changes wait; the first may be sent at 2026')
    for (const text of [...texts, read('p.html')]) {
      expect(text).toContain('2026-11-23 22:00 Europe/Berlin (2026-11-23 21:00 UTC)')
    }
  })

  it('apply to approved plans, records and revert', async () => {
    const { run, simulator } = await shops()
    const open = at(BERLIN_NIGHT)
    await run('plan fleet --out plan.json', {}, at(NOON))
    const approved = await run(`${APPLY} --plan plan.json --record record.jsonl`, {}, open)
    expect(statuses(approved.stdout)).toMatchObject({ 'newyork/guest': 'deferred' })
    const shown = await run('show record.jsonl --format json')
    expect(JSON.parse(shown.stdout).runs[0].summary).toMatchObject({ applied: 3, deferred: 1 })
    const dry = await run('revert record.jsonl fleet --dry-run', {}, at(NOON))
    expect(dry.stdout).toContain('1 change waits; it may be sent at 2026-11-23 22:00 Europe/Berlin')
    expect(dry.stdout).toContain('Deferred: changes that wait (1)')
    const waits = await run('revert record.jsonl fleet --yes --format json', {}, at(NOON))
    expect(waits.code).toBe(0)
    expect(statuses(waits.stdout)).toEqual({
      'berlin/guest': 'deferred',
      'berlin/iot': 'applied',
      'newyork/iot': 'applied'
    })
    const now = await run('revert record.jsonl fleet --yes --ignore-windows', {}, at(NOON))
    expect(now).toMatchObject({ code: 0 })
    expect(simulator.record(idOf(1, 0), idOf(2, 0))).toMatchObject({ vlan_id: 10 })
  })
})

describe('a plan for another time', () => {
  it('defers what waits at that time', async () => {
    const { run } = await shops()
    const plan = await run(`plan fleet --at ${BERLIN_NIGHT} --format json`, {}, at(NOON))
    const { at: time, created, deferred } = JSON.parse(plan.stdout)
    expect({ time, created }).toEqual({ time: BERLIN_NIGHT, created: NOON })
    expect(deferred).toMatchObject([{ address: 'newyork/guest' }])
    const text = await run('plan fleet --at 2026-12-05T00:00+01:00', {}, at(NOON))
    expect(text.stdout).toContain('Planned for 2026-12-04 23:00:00 UTC, not for now')
  })
})

describe('freezes', () => {
  const freeze =
    'freezes: [{ from: 2026-11-20T00:00, until: 2026-12-01T06:00, reason: "Black Friday", except: [none] }]'

  it('need a time zone at each site, in local time, like windows', async () => {
    for (const policy of [freeze, windows]) {
      const { run, read, write } = await shops(policy)
      write('fleet/hq.yaml', read('fleet/hq.yaml').replaceAll(/, vars: \{.*?\}/g, ''))
      const { code, stdout } = await run('validate fleet', {}, at(NOON))
      expect(stdout).toContain('TIMEZONE_MISSING')
      expect(code).toBe(3)
      expect(stdout).toContain('2 sites have none: berlin, newyork')
    }
  })
})

import { describe, expect, it } from 'vitest'
import { stage } from '../support/stage.ts'

const HALL = '10000000-0000-4000-8000-000000000001'
const GUEST = '20000000-0000-4000-8000-000000000001'

const market = `{ from: 2026-12-04T18:00, until: 2026-12-07T06:00, reason: Christmas market, enabled: false }`

async function hall(during = `[${market}]`, vars = 'timezone: Europe/Berlin') {
  const made = await stage({
    sites: [
      {
        id: HALL,
        name: 'hall',
        wlans: [{ id: GUEST, ssid: 'Guest', enabled: true, vlan_id: 10 }]
      }
    ]
  })
  made.write(
    'fleet/hq.yaml',
    `profiles: { base: { vlan_id: 10, auth: { type: open } } }
site: { id: ${HALL}, name: hall, vars: { ${vars} } }
wlans:
  guest:
    $extends: base
    ssid: Guest
    enabled: true
    $during: ${during}
policy: { lint: { level: off } }
`
  )
  return made
}

const at = (time: string) => ({ now: () => new Date(time) })

/** Before, during and after the market, whose first hour is 17:00 UTC. */
const BEFORE = '2026-12-04T16:59:59Z'
const WITHIN = '2026-12-04T17:00:00Z'
const AFTER = '2026-12-07T05:00:00Z'

const APPLY = 'apply fleet --yes --format json --max-changes all'

describe('$during', () => {
  it('begins and ends with apply, and drift is in sync in between', async () => {
    const { run, simulator } = await hall()
    const enabled = () => simulator.record(HALL, GUEST)?.['enabled']
    const drift = async (time: string) => (await run('drift fleet', {}, at(time))).code
    expect(await drift(BEFORE)).toBe(0)
    expect(await drift(WITHIN)).toBe(2)
    await run(APPLY, {}, at(WITHIN))
    expect(enabled()).toBe(false)
    expect(await drift('2026-12-06T12:00:00Z')).toBe(0)
    expect(await drift(AFTER)).toBe(2)
    expect(await run(APPLY, {}, at(AFTER))).toMatchObject({ code: 0 })
    expect(enabled()).toBe(true)
    expect(await drift(AFTER)).toBe(0)
  })

  it('is planned for another time with --at, which apply rejects', async () => {
    const { run } = await hall()
    const plan = await run('plan fleet --at 2026-12-05T00:00+01:00 --format json', {}, at(BEFORE))
    const { at: time, created, changes } = JSON.parse(plan.stdout)
    expect({ time, created, changes: changes.length }).toEqual({
      time: '2026-12-04T23:00:00Z',
      created: BEFORE,
      changes: 1
    })
    expect(changes[0].request.body).toEqual({ enabled: false })
    expect((await run('drift fleet --at 2026-12-05T00:00Z', {}, at(BEFORE))).code).toBe(2)
    const text = await run('plan fleet --at 2026-12-05T00:00Z', {}, at(BEFORE))
    expect(text.stdout).toContain('Planned for 2026-12-05 00:00:00 UTC, not for now')
    expect((await run('apply fleet --yes --at 2026-12-05T00:00Z')).code).toBe(3)
    const local = await run('plan fleet --at 2026-12-05T00:00')
    expect(local.code).toBe(3)
    expect(local.stderr).toContain('with an offset')
  })

  it('has the location of its own value in the plan', async () => {
    const { run } = await hall()
    const { stdout } = await run('plan fleet --format json', {}, at(WITHIN))
    const { '/enabled': place } = JSON.parse(stdout).changes[0].places
    expect(place).toMatchObject({ file: 'hq.yaml', line: 8 })
  })

  it('is in the plan and in drift if it begins or ends within seven days, in every format', async () => {
    const { run } = await hall()
    const early = await run('plan fleet --format json', {}, at('2026-11-27T16:00:00Z'))
    expect(JSON.parse(early.stdout)).not.toHaveProperty('upcoming')
    const { stdout } = await run('plan fleet --format json', {}, at('2026-12-01T00:00:00Z'))
    expect(JSON.parse(stdout).upcoming).toEqual([
      {
        address: 'hall/guest',
        event: 'begins',
        at: '2026-12-04T17:00:00Z',
        local: '2026-12-04 18:00 Europe/Berlin',
        reason: 'Christmas market'
      },
      {
        address: 'hall/guest',
        event: 'ends',
        at: '2026-12-07T05:00:00Z',
        local: '2026-12-07 06:00 Europe/Berlin',
        reason: 'Christmas market'
      }
    ])
    for (const line of ['plan fleet', 'drift fleet']) {
      for (const format of ['text', 'markdown', 'github', 'html']) {
        const shown = await run(`${line} --format ${format}`, {}, at('2026-12-01T00:00:00Z'))
        expect(shown.stdout).toContain('2026-12-04 18:00 Europe/Berlin (2026-12-04 17:00 UTC)')
        expect(shown.stdout).toContain('begins: Christmas market')
      }
    }
  })

  it('needs no time zone with an offset', async () => {
    const offset = market.replace('18:00', '18:00+01:00').replace('06:00', '06:00Z')
    const { run } = await hall(`[${offset}]`, 'a: b')
    expect((await run('drift fleet', {}, at(BEFORE))).code).toBe(0)
    expect((await run('drift fleet', {}, at(WITHIN))).code).toBe(2)
  })

  it('is merged into the WLAN member by member, later periods over earlier ones', async () => {
    const { run } = await hall(`
      - { from: 2026-12-01T00:00, until: 2026-12-31T00:00, reason: advent, vlan_id: 20, auth: { enable_mac_auth: true } }
      - { from: 2026-12-04T00:00, until: 2026-12-05T00:00, reason: party, vlan_id: 30 }`)
    const body = async (time: string) =>
      JSON.parse((await run('plan fleet --format json', {}, at(time))).stdout).changes[0]?.request
        .body
    expect(await body('2026-12-02T12:00:00Z')).toMatchObject({
      vlan_id: 20,
      auth: { enable_mac_auth: true }
    })
    expect(await body('2026-12-04T12:00:00Z')).toMatchObject({
      vlan_id: 30,
      auth: { enable_mac_auth: true }
    })
  })

  it('of an override applies to its site alone, over the periods of the WLAN', async () => {
    const { run, write } = await hall()
    write(
      'fleet/hq.yaml',
      `sites:
  - id: ${HALL}
    name: hall
    vars: { timezone: Europe/Berlin }
    wlans:
      guest:
        vlan_id: 11
        $during: [{ from: 2026-12-05T00:00, until: 2026-12-06T00:00, reason: party, vlan_id: 12, enabled: true }]
wlans:
  guest: { ssid: Guest, enabled: true, vlan_id: 10, $during: [${market}] }
`
    )
    const body = async (time: string) =>
      JSON.parse((await run('plan fleet --format json', {}, at(time))).stdout).changes[0]?.request
        .body
    expect(await body(BEFORE)).toEqual({ vlan_id: 11 })
    expect(await body(WITHIN)).toEqual({ vlan_id: 11, enabled: false })
    expect(await body('2026-12-05T12:00:00Z')).toEqual({ vlan_id: 12 })
    expect(await body(AFTER)).toEqual({ vlan_id: 11 })
    const plan = JSON.parse((await run('plan fleet --format json', {}, at(WITHIN))).stdout)
    expect(plan.upcoming).toMatchObject([
      { event: 'begins', reason: 'party' },
      { event: 'ends', reason: 'party' },
      { event: 'ends', reason: 'Christmas market' }
    ])
    expect(plan.changes[0].places['/enabled']).toMatchObject({ line: 10 })
  })

  it('of profiles hold together with those of the WLAN and of the override, which win', async () => {
    const { run, write } = await hall()
    const within = 'from: 2026-12-24T00:00, until: 2026-12-27T00:00'
    const fleet = (own: string, override = '') => `profiles:
  base: { vlan_id: 10, $during: [{ ${within}, reason: Christmas, enabled: false, vlan_id: 20 }] }
  shop: { $extends: base, $during: [{ ${within}, reason: sale, vlan_id: 30 }] }
sites:
  - { id: ${HALL}, name: hall, vars: { timezone: Europe/Berlin }, wlans: { guest: { ${override} } } }
wlans: { guest: { $extends: shop, ssid: Guest, enabled: true, ${own} } }
policy: { lint: { level: off } }
`
    const body = async (...of: readonly [string, string?]) => {
      write('fleet/hq.yaml', fleet(...of))
      const { stdout } = await run('plan fleet --format json', {}, at('2026-12-24T12:00:00Z'))
      return JSON.parse(stdout).changes[0].request.body
    }
    expect(await body('')).toEqual({ enabled: false, vlan_id: 30 })
    const during = (vlan: number) => `$during: [{ ${within}, reason: own, vlan_id: ${vlan} }]`
    expect(await body(during(40))).toEqual({ enabled: false, vlan_id: 40 })
    expect(await body(during(40), during(50))).toEqual({ enabled: false, vlan_id: 50 })
  })

  it('begins in the time zone of the policy at sites that name none', async () => {
    const { run, read, write } = await hall(`[${market}]`, 'a: b')
    const changes = async (time: string) =>
      JSON.parse((await run('plan fleet --format json', {}, at(time))).stdout).changes.length
    const declared = read('fleet/hq.yaml')
    const zoned = (zone: string) => declared.replace('policy: {', `policy: { timezone: ${zone},`)
    const own = zoned('Asia/Tokyo').replace('a: b', 'timezone: Europe/Berlin')
    write('fleet/hq.yaml', zoned('Europe/Berlin'))
    expect([await changes(BEFORE), await changes(WITHIN)]).toEqual([0, 1])
    write('fleet/hq.yaml', own)
    expect([await changes(BEFORE), await changes(WITHIN)]).toEqual([0, 1])
    const windows = 'windows: [{ name: w, from: "00:00", until: "24:00", impact: [outage] }],'
    write('fleet/hq.yaml', zoned('Europe/Berlin').replace('policy: {', `policy: { ${windows}`))
    expect((await run('validate fleet', {}, at(BEFORE))).code).toBe(0)
    write('fleet/hq.yaml', own.replace('Asia/Tokyo', 'Asia/Tokio'))
    expect((await run('validate fleet')).stdout).toContain('"Asia/Tokio"')
  })

  it.each([
    ['a local time without a time zone', `[${market}]`, 'a: b', 'PERIOD_TIMEZONE'],
    [
      'an unknown field in a period of another time',
      '[{ from: 2027-01-01T00:00, until: 2027-01-02T00:00, reason: x, enabeld: true }]',
      undefined,
      'FIELD_UNKNOWN'
    ],
    [
      'no reason',
      '[{ from: 2027-01-01T00:00, until: 2027-01-02T00:00, enabled: true }]',
      undefined,
      'KEY_MISSING'
    ],
    [
      'no field',
      '[{ from: 2027-01-01T00:00, until: 2027-01-02T00:00, reason: x }]',
      undefined,
      'PERIOD_WITHOUT_FIELDS'
    ],
    [
      'an identity',
      '[{ from: 2027-01-01T00:00, until: 2027-01-02T00:00, reason: x, $match: { ssid: y } }]',
      undefined,
      'PERIOD_KEY'
    ],
    [
      'an end before the beginning',
      '[{ from: 2027-01-02T00:00, until: 2027-01-01T00:00, reason: x, enabled: true }]',
      undefined,
      'TIME_ORDER'
    ],
    [
      'a date without a time',
      '[{ from: 2027-01-01, until: 2027-01-02T00:00, reason: x, enabled: true }]',
      undefined,
      'TIME_INVALID'
    ],
    ['no list', '{ from: 2027-01-01T00:00 }', undefined, 'WRONG_TYPE']
  ])('with %s is an error', async (_, during, vars, code) => {
    const { run } = await hall(during, vars)
    const ended = await run('validate fleet --format json', {}, at(BEFORE))
    expect(ended.code).toBe(3)
    const { findings } = JSON.parse(ended.stdout)
    expect(findings.map((found: { code: string }) => found.code)).toContain(code)
  })

  it('with values that stay after its end, as no other declaration sets them, is a warning', async () => {
    const stays = async (during: string, site = '') => {
      const { run, write } = await hall(during)
      if (site !== '') write('fleet/hq.yaml', site)
      const { stdout, code } = await run('validate fleet --format json', {}, at(BEFORE))
      expect(code).toBe(0)
      return JSON.parse(stdout).findings
    }
    const within = 'from: 2026-12-04T18:00, until: 2026-12-07T06:00, reason: market'
    expect(await stays(`[{ ${within}, vlan_id: 20, enabled: false }]`)).toEqual([])
    expect(await stays(`[{ ${within}, vlan_id: 20, isolation: true }]`)).toMatchObject([
      {
        level: 'warning',
        code: 'PERIOD_STAYS',
        message: 'nothing else declares `/isolation`: it stays as it is after the period',
        place: { line: 8 },
        path: 'wlans.guest.$during[0].isolation'
      }
    ])
    const nested = await stays(`[{ ${within}, auth: { type: open, enable_mac_auth: true } }]`)
    expect(nested).toMatchObject([{ path: 'wlans.guest.$during[0].auth.enable_mac_auth' }])
    const override = (fields: string) => `sites:
  - id: ${HALL}
    name: hall
    vars: { timezone: Europe/Berlin }
    wlans: { guest: { ${fields} $during: [{ ${within}, vlan_id: 20, enabled: false }] } }
wlans: { guest: { ssid: Guest, vlan_id: 10 } }
policy: { lint: { level: off } }
`
    expect(await stays('[]', override('enabled: true,'))).toEqual([])
    expect(await stays('[]', override(''))).toMatchObject([
      { code: 'PERIOD_STAYS', place: { line: 5 } }
    ])
  })

  it('is a warning 14 days after its end', async () => {
    const { run } = await hall()
    const warnings = async (time: string) =>
      JSON.parse((await run('validate fleet --format json', {}, at(time))).stdout).findings
    expect(await warnings('2026-12-21T04:59:00Z')).toEqual([])
    expect(await warnings('2026-12-21T05:00:00Z')).toMatchObject([
      {
        level: 'warning',
        code: 'PERIOD_ENDED',
        message: 'the period "Christmas market" ended 14 days ago'
      }
    ])
  })
})

describe('a period that begins outside of a window', () => {
  const policy =
    'policy: { lint: { level: off }, windows: [{ name: nights, days: [mon, fri], from: "22:00", until: "05:00", impact: [reconnect, outage] }] }'
  const windowed = async (more = '') => {
    const made = await hall()
    made.write(
      'fleet/hq.yaml',
      made.read('fleet/hq.yaml').replace(/policy: .*/, policy.replace(/ }$/, `${more} }`))
    )
    return made
  }
  const waits = async (more: string, line = 'plan fleet --format json') => {
    const { run } = await windowed(more)
    const { upcoming } = JSON.parse((await run(line, {}, at('2026-12-04T12:00:00Z'))).stdout)
    return upcoming.map(({ waits }: { readonly waits?: unknown }) => waits)
  }

  it('says until when its change waits, in every format', async () => {
    const { run } = await windowed()
    for (const format of ['text', 'markdown', 'github', 'html']) {
      const { stdout } = await run(`plan fleet --format ${format}`, {}, at('2026-12-04T12:00:00Z'))
      const begins =
        'waits until 2026-12-04 22:00 Europe/Berlin (2026-12-04 21:00 UTC) for the window nights, if its impact is reconnect or outage'
      expect(stdout.includes(begins)).toBe(true)
      expect(stdout.includes('waits until 2026-12-07 22:00 Europe/Berlin')).toBe(true)
    }
    await run('plan fleet --out p.json', {}, at('2026-12-04T12:00:00Z'))
    expect((await run('show p.json')).stdout).toContain('waits until 2026-12-04 22:00')
  })

  it('lists the waits by impact in JSON', async () => {
    const wait = { impact: ['reconnect', 'outage'], windows: ['nights'] }
    expect(await waits('')).toEqual([
      [{ ...wait, until: '2026-12-04T21:00:00Z', local: '2026-12-04 22:00 Europe/Berlin' }],
      [{ ...wait, until: '2026-12-07T21:00:00Z', local: '2026-12-07 22:00 Europe/Berlin' }]
    ])
    const freeze = ', freezes: [{ from: 2026-12-04T12:00, until: 2026-12-05T12:00, reason: move }]'
    const [begins] = await waits(freeze)
    expect(begins).toMatchObject([
      { impact: ['none', 'guest-login', 'some'], freeze: 'move', until: '2026-12-05T11:00:00Z' },
      { impact: ['reconnect', 'outage'], freeze: 'move', until: '2026-12-07T21:00:00Z' }
    ])
  })

  it('has no wait where the window is open, or none is declared', async () => {
    const { run, read, write } = await windowed()
    write(
      'fleet/hq.yaml',
      read('fleet/hq.yaml')
        .replace('"22:00"', '"17:00"')
        .replace('"05:00"', '"07:00"')
        .replace('[mon, fri]', '[sun, fri]')
    )
    const open = await run('plan fleet --format json', {}, at('2026-12-04T12:00:00Z'))
    expect(open.stdout).not.toContain('"waits"')
    const none = await (await hall()).run(
      'plan fleet --format json',
      {},
      at('2026-12-04T12:00:00Z')
    )
    expect(JSON.parse(none.stdout).upcoming).toHaveLength(2)
    expect(none.stdout).not.toContain('"waits"')
  })
})

import { describe, expect, it } from 'vitest'
import { HQ } from '../simulator/simulate.ts'
import { gitEnv, repository } from '../support/git.ts'
import { stage } from '../support/stage.ts'

const HALL = '10000000-0000-4000-8000-000000000001'
const GUEST = '20000000-0000-4000-8000-000000000001'

const DURING =
  '$during: [{ from: 2026-12-04T18:00Z, until: 2026-12-07T06:00Z, reason: market, auth: { psk: { $env: WLAN_SECRET_MARKET } } }]'
const usual = 'usual-passphrase'
const market = 'market-passphrase'
const secrets = { WLAN_SECRET_USUAL: usual, WLAN_SECRET_MARKET: market }

async function hall(policy = '', psk = usual) {
  const made = await stage({
    sites: [
      {
        id: HALL,
        name: 'hall',
        wlans: [{ id: GUEST, ssid: 'Guest', enabled: true, auth: { type: 'psk', psk } }]
      }
    ]
  })
  made.write(
    'fleet/hq.yaml',
    `site: { id: ${HALL}, name: hall }
wlans:
  guest: { ssid: Guest, auth: { psk: { $env: WLAN_SECRET_USUAL } }, ${DURING} }
policy: { lint: { level: off }, timezone: UTC, ${policy} }
`
  )
  const psks = () => made.simulator.record(HALL, GUEST)?.['auth']
  return { ...made, psks }
}

const at = (time: string) => ({ now: () => new Date(time) })
const BEGUN = '2026-12-04T18:05:00Z'

describe('apply --scheduled', () => {
  it('begins a period with another secret, if live has the usual one', async () => {
    const { run, psks } = await hall()
    const { code, stdout, stderr } = await run('apply fleet --yes --scheduled', secrets, at(BEGUN))
    expect({ code, psk: psks() }).toEqual({ code: 0, psk: { type: 'psk', psk: market } })
    for (const secret of Object.values(secrets)) expect(stdout + stderr).not.toContain(secret)
  })

  it('blocks a WLAN whose secret is not available, and sends the others', async () => {
    const made = await stage()
    const during =
      '$during: [{ from: 2026-12-04T18:00Z, until: 2026-12-07T06:00Z, reason: market, vlan_id: 77 }]'
    made.write(
      'fleet/hq.yaml',
      `site: { id: ${HQ}, name: hq }
wlans:
  corp: { ssid: Corp, vlan_id: 20, ${during} }
  guest: { ssid: Guest, auth: { psk: { $env: WLAN_SECRET_GUEST } }, ${during.replace('vlan_id: 77', 'dtim: 3')} }
policy: { lint: { level: off }, timezone: UTC }
`
    )
    const line = 'apply fleet --yes --scheduled --format json'
    const { code, stdout } = await made.run(line, { WLAN_SECRET_GUEST: undefined }, at(BEGUN))
    const { outcomes, findings } = JSON.parse(stdout)
    expect({ code, outcomes }).toEqual({
      code: 5,
      outcomes: [{ address: 'hq/corp', status: 'applied' }]
    })
    expect(findings).toContainEqual(
      expect.objectContaining({ code: 'SECRET_UNAVAILABLE', address: 'hq/guest' })
    )
  })

  it.each([
    ['live has a third one', 'another-passphrase', secrets],
    ['the usual one is not available', usual, { WLAN_SECRET_MARKET: market }]
  ])('sends no other secret if %s', async (_, psk, env) => {
    const { run, methods } = await hall('', psk)
    const { code, stdout } = await run(
      'apply fleet --yes --scheduled --format json',
      env,
      at(BEGUN)
    )
    expect(code).toBe(0)
    expect(JSON.parse(stdout).findings).toMatchObject([{ code: 'NOT_SCHEDULED' }])
    expect(methods()).toEqual(['GET'])
  })

  it.each([
    '--plan plan.json',
    `--expect sha256:${'0'.repeat(64)}`,
    '--changed-since main',
    '--ignore-windows'
  ])('rejects %s, which selects changes itself', async option => {
    const { run, methods } = await hall()
    expect(await run(`apply fleet --yes --scheduled ${option}`)).toMatchObject({ code: 3 })
    expect(methods()).toEqual([])
  })

  it('compares the limit of changes in percent with all declared WLANs', async () => {
    const wlans = Array.from({ length: 40 }, (_, n) => ({
      id: `20000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
      ssid: `W${n}`,
      enabled: true,
      vlan_id: 10
    }))
    const { run, write, simulator } = await stage({ sites: [{ id: HALL, name: 'hall', wlans }] })
    const during =
      ', $during: [{ from: 2026-12-04T18:00Z, until: 2026-12-07T06:00Z, reason: market, vlan_id: 20 }]'
    const declared = wlans.map(
      ({ ssid }, n) => `  w${n}: { ssid: ${ssid}, vlan_id: 10${n < 12 ? during : ''} }\n`
    )
    write(
      'fleet/hq.yaml',
      `site: { id: ${HALL}, name: hall }\nwlans:\n${declared.join('')}policy: { lint: { level: off } }\n`
    )
    const { code } = await run('apply fleet --yes --scheduled', {}, at(BEGUN))
    expect({ code, sent: simulator.history.length }).toEqual({ code: 0, sent: 12 })
  })

  it.each(['text', 'json', 'markdown', 'github', 'html'])(
    'reports what waits as %s, without a request',
    async format => {
      const window =
        'windows: [{ name: nights, from: "22:00", until: "05:00", impact: [reconnect, outage] }]'
      const { run, methods } = await hall(window)
      const line = 'apply fleet --yes --scheduled=record.jsonl --record record.jsonl'
      await run('apply fleet --yes --scheduled --record record.jsonl', secrets, at(BEGUN))
      const before = methods()
      const json = '--report json=outcomes.json'
      const { code, stdout } = await run(`${line} --format ${format} ${json}`, secrets, at(BEGUN))
      expect({ code, requests: methods() }).toEqual({ code: 0, requests: before })
      expect(stdout).toContain('deferred')
      const shown = await run('show outcomes.json', {}, at(BEGUN))
      expect(shown.stdout).toContain('waits until 2026-12-04 22:00')
      expect((await run('show record.jsonl')).stdout).toContain('waits until 2026-12-04 22:00')
    }
  )

  it('sends a deferred rename and a deferred rotation with the base of their apply', async () => {
    const { run, write, read, cwd, simulator } = await stage({
      sites: [
        {
          id: HALL,
          name: 'hall',
          wlans: [{ id: GUEST, ssid: 'Guest', enabled: true, auth: { type: 'psk', psk: usual } }]
        }
      ],
      switches: { hiddenSecrets: 'masked' }
    })
    write(
      'fleet/hq.yaml',
      `site: { id: ${HALL}, name: hall }
wlans: { guest: { ssid: Guest, auth: { type: psk, psk: { $env: WLAN_SECRET_USUAL } } } }
policy:
  lint: { level: off }
  timezone: UTC
  windows: [{ name: nights, from: "22:00", until: "05:00", impact: [reconnect, outage] }]
`
    )
    repository(cwd)
    const rotated = read('fleet/hq.yaml')
      .replace('USUAL', 'MARKET')
      .replace('ssid: Guest', 'ssid: Visitors')
    write('fleet/hq.yaml', rotated)
    const env = { ...gitEnv, ...secrets }
    const apply = 'apply fleet --yes --max-changes all --record record.jsonl --format json'
    const first = await run(`${apply} --base main`, env, at(BEGUN))
    expect(JSON.parse(first.stdout).outcomes).toMatchObject([{ status: 'deferred' }])
    const night = at('2026-12-04T23:00:00Z')
    const without = await run(`${apply} --scheduled=record.jsonl`, env, night)
    expect(without.code).toBe(5)
    expect(simulator.history).toEqual([])
    const done = await run(`${apply} --scheduled=record.jsonl --base main`, env, night)
    expect(JSON.parse(done.stdout).outcomes).toMatchObject([{ status: 'applied' }])
    expect(simulator.record(HALL, GUEST)).toMatchObject({ ssid: 'Visitors', auth: { psk: market } })
  })

  it('rejects a record that does not exist, or that is none', async () => {
    const { run, write, methods } = await hall()
    expect(await run('apply fleet --yes --scheduled=missing.jsonl')).toMatchObject({ code: 3 })
    write('other.jsonl', '{}\n')
    expect(await run('apply fleet --yes --scheduled=other.jsonl')).toMatchObject({ code: 3 })
    expect(methods()).toEqual([])
  })
})

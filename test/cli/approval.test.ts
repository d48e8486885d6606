import { describe, expect, it } from 'vitest'
import { withDigests } from '../../src/core/plan/digest.ts'
import { CORP, GUEST, HQ } from '../simulator/simulate.ts'
import { PSK, type Stage, stage } from '../support/stage.ts'

/** A stage with a saved plan of its two changes. */
async function planned(change?: Record<string, undefined>): Promise<Stage> {
  const made = await stage()
  expect(await made.run('plan fleet --out plan.json', change)).toMatchObject({ code: 0 })
  return made
}

/** Applies the saved plan: exit code, and the status of each WLAN. */
async function applied({ run }: Stage, options = ''): Promise<unknown> {
  const line = `apply fleet --yes --plan plan.json --format json ${options}`.trim()
  const { code, stdout } = await run(line)
  if (code === 3 || code === 4) return { code, sent: stdout }
  const { outcomes } = JSON.parse(stdout)
  const statuses = outcomes.map((outcome: { address: string; status: string }) => [
    outcome.address,
    outcome.status
  ])
  return { code, ...Object.fromEntries(statuses) }
}

const all = { code: 0, 'hq/corp': 'applied', 'hq/guest': 'applied' }

describe('apply --plan', () => {
  it('sends the approved changes', async () => {
    expect(await applied(await planned())).toEqual(all)
  })

  it('approves a secret that the plan could not compare by its reference', async () => {
    const made = await planned({ WLAN_SECRET_GUEST: undefined })
    expect(made.read('plan.json')).not.toContain('hq/guest"\n    },\n    "wlan"')
    expect(await applied(made)).toEqual(all)
    expect(made.simulator.record(HQ, GUEST)['auth']).toMatchObject({ psk: PSK })
  })

  it('does not override the other limits', async () => {
    const made = await planned()
    expect(await applied(made, '--max-changes 1')).toEqual({ code: 4, sent: '' })
    expect(await applied(made, '--max-impact none')).toEqual({ code: 4, sent: '' })
  })
})

describe('apply with several saved plans', () => {
  const both = 'apply fleet --yes --plan corp.json --plan guest.json --format json'

  async function plannedApart(): Promise<Stage> {
    const made = await stage()
    for (const wlan of ['corp', 'guest']) {
      expect(await made.run(`plan fleet --wlan ${wlan} --out ${wlan}.json`)).toMatchObject({
        code: 0
      })
    }
    return made
  }

  it('refuses all of them if one is damaged or for another service', async () => {
    const { run, write, read, simulator } = await plannedApart()
    const plan = JSON.parse(read('guest.json'))
    const base_url = 'https://api.example.com'
    for (const other of [{ ...plan, base_url }, withDigests({ ...plan, base_url })]) {
      write('guest.json', JSON.stringify(other))
      expect(await run(both)).toMatchObject({ code: 3, stdout: '' })
    }
    expect(simulator.history).toEqual([])
  })
})

describe('a tampered plan only reduces what apply sends', () => {
  const right = [{ enabled: false, vlan_id: 21 }, { auth: expect.objectContaining({ psk: PSK }) }]

  it.each<[what: string, find: string | RegExp, replace: string]>([
    ['another value', /:21\b/g, ':99'],
    ['another WLAN', CORP, GUEST],
    ['another body', '"body":{', '"body":{"hide_ssid":true,'],
    ['a patch without tests', /\{"op":"test",.*?\},/g, ''],
    ['another secret', 'WLAN_SECRET_GUEST', 'WLAN_SECRET_OTHER']
  ])('%s', async (_, find, replace) => {
    const made = await planned()
    const { changes, ...plan } = JSON.parse(made.read('plan.json'))
    const text = JSON.stringify(changes)
    const tampered = { ...plan, changes: JSON.parse(text.replaceAll(find, replace)) }
    expect(tampered.changes).not.toEqual(changes)
    made.write('plan.json', JSON.stringify(withDigests(tampered)))
    const result = (await applied(made)) as Record<string, unknown>
    expect([0, 3, 5]).toContain(result['code'])
    for (const { body } of made.simulator.history) expect(right).toContainEqual(body)
  })
})

describe('apply --allow-downgrade', () => {
  it.each([
    ['--quiet', 4],
    ['--allow-downgrade=hq/corp', 4],
    ['--allow-downgrade', 0],
    ['--allow-downgrade=lab/* --allow-downgrade=*/guest', 0]
  ])('%j exits %i for a downgrade of hq/guest', async (option, code) => {
    const made = await stage()
    const fleet = made.read('fleet/hq.yaml')
    made.write(
      'fleet/hq.yaml',
      fleet.replace('ssid: Guest\n', 'ssid: Guest\n    enable_wireless_bridging: true\n')
    )
    expect(await made.run(`apply fleet --yes ${option}`)).toMatchObject({ code })
  })

  it.each([
    ['--allow-downgrade=hq/corp', '', 4],
    ['--allow-downgrade=hq/guest', '', 0],
    ['--allow-downgrade', 'policy: { lint: { rules: { vlan-not-enabled: error } } }\n', 4]
  ])('%j with %j exits %i where hq/guest becomes open', async (option, policy, code) => {
    const made = await stage()
    const fleet = made.read('fleet/hq.yaml')
    made.write(
      'fleet/hq.yaml',
      `${policy}${fleet.replace(/auth: .*/, 'auth: { type: open }\n    portal: { enabled: false }\n    vlan_id: 40')}`
    )
    expect(await made.run(`apply fleet --yes ${option}`)).toMatchObject({ code })
  })
})

import { describe, expect, it } from 'vitest'
import type { Plan } from '../../src/core/model/plan.ts'
import { digestOf } from '../../src/core/plan/digest.ts'
import { CORP, GUEST, HQ } from '../simulator/simulate.ts'
import { hqFile, PSK, type Stage, stage } from '../support/stage.ts'

/** A stage with a saved plan of its two changes. */
async function planned(change?: Record<string, undefined>): Promise<Stage> {
  const made = await stage()
  expect(await made.run('plan fleet --out plan.json', change)).toMatchObject({ code: 0 })
  return made
}

/** Edits the saved plan, and updates its digest unless `seal` is false. */
function tamper({ read, write }: Stage, edit: (plan: Plan) => unknown, seal = true): void {
  const plan = JSON.parse(read('plan.json'))
  edit(plan)
  if (seal) plan.digest = digestOf(plan)
  write('plan.json', JSON.stringify(plan))
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

  it('excludes WLANs with live or declared changes since the plan', async () => {
    const made = await planned()
    made.simulator.edit(HQ, CORP, { vlan_id: 77 })
    expect(await applied(made)).toEqual({ code: 5, 'hq/corp': 'stale', 'hq/guest': 'applied' })
    expect(made.simulator.record(HQ, CORP)['vlan_id']).toBe(77)
    const other = await planned()
    other.write('fleet/hq.yaml', other.read('fleet/hq.yaml').replace('vlan_id: 21', 'vlan_id: 22'))
    expect(await applied(other)).toEqual({ code: 5, 'hq/corp': 'stale', 'hq/guest': 'applied' })
  })

  it('reports approved changes that are already live, or no longer declared', async () => {
    const made = await planned()
    made.simulator.edit(HQ, CORP, { vlan_id: 21, enabled: false })
    expect(await applied(made)).toMatchObject({ code: 0, 'hq/corp': 'unchanged' })
    const other = await planned()
    other.write('fleet/hq.yaml', hqFile('{ corp: { ssid: Corp } }'))
    expect(await applied(other)).toEqual({ code: 5, 'hq/corp': 'skipped', 'hq/guest': 'skipped' })
  })

  it('a second run finds everything unchanged if the live secret is visible', async () => {
    const made = await planned()
    expect(await applied(made)).toEqual(all)
    const done = { code: 0, 'hq/corp': 'unchanged', 'hq/guest': 'unchanged' }
    expect(await applied(made)).toEqual(done)
    const skipped = { code: 5, 'hq/corp': 'unchanged', 'hq/guest': 'skipped' }
    // Another secret, a reference that is no longer declared, and one that the service hides.
    const lobby = { auth: { type: 'psk', psk: 'another-psk-of-the-lobby' } }
    made.simulator.edit(HQ, GUEST, lobby)
    expect(await applied(made)).toEqual({ ...all, 'hq/corp': 'unchanged' })
    const fleet = made.read('fleet/hq.yaml')
    made.write('fleet/hq.yaml', fleet.replace(/^.*WLAN_SECRET_GUEST.*$/m, '    dtim: 2'))
    expect(await applied(made)).toEqual(skipped)
    made.write('fleet/hq.yaml', fleet)
    made.simulator.edit(HQ, GUEST, { auth: { type: 'psk', psk: '********' } })
    expect(await applied(made)).toEqual(skipped)
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

  it('sends the changes that any of them approves', async () => {
    const { run } = await plannedApart()
    const { code, stdout } = await run(both)
    expect({ code, summary: JSON.parse(stdout).summary }).toMatchObject({
      code: 0,
      summary: { applied: 2 }
    })
  })

  it('refuses all of them if one is damaged or for another service', async () => {
    const { run, write, read, simulator } = await plannedApart()
    const plan = JSON.parse(read('guest.json'))
    const base_url = 'https://api.example.com'
    for (const other of [
      { ...plan, base_url },
      { ...plan, base_url, digest: digestOf({ ...plan, base_url }) }
    ]) {
      write('guest.json', JSON.stringify(other))
      expect(await run(both)).toMatchObject({ code: 3, stdout: '' })
    }
    expect(simulator.history).toEqual([])
  })
})

describe('a tampered plan only reduces what apply sends', () => {
  const tamperings: readonly [string, (plan: Plan) => unknown][] = [
    ['a change less', plan => (plan.changes as unknown[]).shift()],
    ['another value', plan => setIn(plan, 21, 99)],
    ['another WLAN', plan => swap(plan, CORP, GUEST)],
    ['another body', plan => Object.assign(body(plan), { hide_ssid: true })],
    ['a patch without tests', plan => withoutTests(plan)],
    ['another secret', plan => swap(plan, 'WLAN_SECRET_GUEST', 'WLAN_SECRET_OTHER')]
  ]

  const right = [{ enabled: false, vlan_id: 21 }, { auth: expect.objectContaining({ psk: PSK }) }]

  it.each(tamperings)('%s', async (_, edit) => {
    const made = await planned()
    tamper(made, edit)
    const result = (await applied(made)) as Record<string, unknown>
    expect([0, 3, 5]).toContain(result['code'])
    const bodies = made.simulator.history.map(write => write.body)
    for (const sent of bodies) expect(right).toContainEqual(sent)
  })

  const damages: readonly [string, (plan: Plan) => unknown][] = [
    ['a digest that does not fit', plan => setIn(plan, 21, 99)],
    ['another service', plan => Object.assign(plan, { base_url: 'https://api.example.com' })]
  ]

  it.each(damages)('%s is rejected as a whole', async (_, edit) => {
    const made = await planned()
    tamper(made, edit, false)
    expect(await applied(made)).toEqual({ code: 3, sent: '' })
    expect(made.simulator.history).toEqual([])
  })
})

describe('apply --expect', () => {
  it('applies exactly the reviewed plan', async () => {
    const made = await planned()
    const { digest } = JSON.parse(made.read('plan.json'))
    expect(await made.run(`apply fleet --yes --expect ${digest}`)).toMatchObject({ code: 0 })
  })

  it('rejects any other plan', async () => {
    const made = await planned()
    const { digest } = JSON.parse(made.read('plan.json'))
    made.simulator.edit(HQ, CORP, { vlan_id: 77 })
    const { code, stderr } = await made.run(`apply fleet --yes --expect ${digest}`)
    expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining(digest) })
    expect(made.simulator.history).toEqual([])
  })
})

describe('apply --expect demands the whole plan', () => {
  const fleet = (corp: string) =>
    hqFile(`\n  corp: { ssid: Corp${corp} }\n  guest: { ssid: Guest, vlan_id: 30 }`)

  /** The digest of a plan after an edit of `corp`, which is as declared before it. */
  async function digests(guest: number, edit: (made: Stage) => void) {
    const made = await stage()
    made.write('fleet/hq.yaml', fleet(''))
    made.simulator.edit(HQ, GUEST, { vlan_id: guest })
    const digest = async () =>
      JSON.parse((await made.run('plan fleet --format json')).stdout).digest
    const reviewed = await digest()
    edit(made)
    const { code } = await made.run(`apply fleet --yes --expect ${reviewed}`)
    return { code, isSame: reviewed === (await digest()), sent: made.simulator.history }
  }
  const refused = { code: 4, isSame: false, sent: [] }

  it.each([
    ['with a change', 20],
    ['without a change', 30]
  ])('%s: a WLAN that is blocked since', async (_, guest) => {
    const rename = ({ simulator }: Stage) => simulator.edit(HQ, CORP, { ssid: 'Renamed' })
    expect(await digests(guest, rename)).toEqual(refused)
  })

  it('a WLAN that is protected since', async () => {
    const made = await planned()
    const { digest } = JSON.parse(made.read('plan.json'))
    const declared = made.read('fleet/hq.yaml')
    made.write('fleet/hq.yaml', declared.replace('ssid: Corp', 'ssid: Corp\n    $protect: true'))
    expect(await made.run(`apply fleet --yes --expect ${digest}`)).toMatchObject({ code: 4 })
    expect(made.simulator.history).toEqual([])
    expect(await applied(made)).toEqual({ ...all, 'hq/corp': 'skipped', code: 5 })
  })
})

describe('apply --max-impact', () => {
  it.each([
    ['reconnect', 4],
    ['outage', 0]
  ])('%s exits %i for an outage', async (most, code) => {
    const made = await stage()
    expect(await made.run(`apply fleet --yes --max-impact ${most}`)).toMatchObject({ code })
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

function body(plan: Plan): object {
  return plan.changes[0]?.request.body ?? {}
}

function setIn(plan: Plan, from: number, to: number): void {
  const text = JSON.stringify(plan.changes).replaceAll(`:${from}`, `:${to}`)
  Object.assign(plan, { changes: JSON.parse(text) })
}

function swap(plan: Plan, from: string, to: string): void {
  Object.assign(plan, { changes: JSON.parse(JSON.stringify(plan.changes).replaceAll(from, to)) })
}

function withoutTests(plan: Plan): void {
  for (const change of plan.changes) {
    Object.assign(change, { patch: change.patch.filter(({ op }) => op !== 'test') })
  }
}

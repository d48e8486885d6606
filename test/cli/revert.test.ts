import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { digestOf } from '../../src/core/plan/digest.ts'
import { parseRecord } from '../../src/run/record/read.ts'
import type { JsonObject } from '../../src/simulator/json.ts'
import { CORP, corp, GUEST, guest, HQ } from '../simulator/simulate.ts'
import { runs } from '../support/properties.ts'
import { type Stage, stage } from '../support/stage.ts'

function untimed({ modified_time: _, ...record }: JsonObject): JsonObject {
  return record
}

/** The records of both WLANs without their times. */
function records({ simulator }: Stage): JsonObject[] {
  return [CORP, GUEST].map(id => untimed(simulator.record(HQ, id)))
}

/** The stage after a recorded apply. */
async function applied(options: Parameters<typeof stage>[0] = {}): Promise<Stage> {
  const made = await stage(options)
  expect(await made.run('apply fleet --yes --quiet --record r.jsonl')).toMatchObject({ code: 0 })
  return made
}

describe('revert', () => {
  it('restores the former values, and names the secrets that it cannot restore', async () => {
    const made = await applied()
    const { code, stdout, stderr } = await made.run('revert r.jsonl --yes')
    expect({ code, stdout }).toEqual({
      code: 5,
      stdout:
        'applied    hq/corp\n\nIncomplete: secrets of 1 WLAN not restored. Revert: 1 applied\n'
    })
    expect(stderr).toContain('enabled  false → true')
    expect(stderr).toMatch(/^r\.jsonl:3:1: warning: .*\/auth\/psk \[SECRET_NOT_RESTORED\]$/m)
    expect(records(made)[0]).toEqual(untimed(corp))
  })

  it('a second run changes nothing', async () => {
    const made = await applied()
    await made.run('revert r.jsonl --yes')
    const writes = made.simulator.history.length
    const again = await made.run('revert r.jsonl --yes --format json')
    expect(again).toMatchObject({ code: 5 })
    expect(JSON.parse(again.stdout)).toMatchObject({ outcomes: [] })
    expect(made.simulator.history).toHaveLength(writes)
  })

  it('does not count guard fields that the record does not contain, as a revert declares only what it restores', async () => {
    const made = await applied()
    made.write('fleet/policy.yaml', 'policy: { unwatched: error, max_change_percent: 100 }\n')
    const { stdout, stderr } = await made.run('revert r.jsonl fleet --yes')
    expect(stdout).toContain('Revert: 1 applied')
    expect(stderr).not.toContain('guard field')
  })

  it('of a secret alone sends nothing, which every format reports', async () => {
    const made = await applied()
    const line = 'revert r.jsonl --yes --wlan guest'
    const writes = made.simulator.history.length
    const { code, stdout, stderr } = await made.run(line)
    expect(stderr).not.toContain('Nothing to revert')
    expect({ code, stdout }).toEqual({
      code: 5,
      stdout:
        'Incomplete: secrets of 1 WLAN not restored. Nothing to revert: 1 WLAN as before, except for secrets\n'
    })
    for (const format of ['markdown', 'github', 'html']) {
      const shown = await made.run(`${line} --format ${format}`)
      expect(shown).toMatchObject({ code: 5, stdout: expect.stringContaining('not restored') })
    }
    expect(made.simulator.history).toHaveLength(writes)
  })

  it('can be recorded and reverted, in the same file', async () => {
    const made = await applied()
    await made.run('revert r.jsonl --yes --record r.jsonl')
    const runs = parseRecord(made.read('r.jsonl'), 'r.jsonl')
    expect(runs.map(({ command }) => command)).toEqual(['apply', 'revert'])
    // All runs together cancel out.
    const whole = await made.run('revert r.jsonl --yes --format json')
    expect(JSON.parse(whole.stdout).outcomes).toEqual([])
  })

  it('can be reverted by a record of its own', async () => {
    const made = await applied()
    const after = records(made)
    await made.run('revert r.jsonl --yes --record undo.jsonl')
    expect(records(made)).not.toEqual(after)
    expect(await made.run('revert undo.jsonl --yes')).toMatchObject({ code: 0 })
    expect(records(made)).toEqual(after)
  })

  it('asks, and applies the limits, like apply', async () => {
    const made = await applied()
    const { run, startOnScreen, simulator } = made
    const writes = simulator.history.length
    expect(await run('revert r.jsonl')).toMatchObject({ code: 3 })
    expect(await run('revert r.jsonl --yes --max-changes 0')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('`revert --max-changes ')
    })
    const asked = startOnScreen('revert r.jsonl')
    await asked.until(/Enter "yes" to confirm/)
    asked.type('no\n')
    expect(await asked.ended).toMatchObject({ code: 4 })
    expect(simulator.history).toHaveLength(writes)
  })

  it('sends the operations that a saved plan approves', async () => {
    const made = await applied()
    const shown = await made.run('revert r.jsonl --dry-run --out p.json --format json')
    const { digest } = JSON.parse(made.read('p.json'))
    expect(JSON.parse(shown.stdout).digest).toBe(digest)
    const other = `sha256:${'0'.repeat(64)}`
    expect(await made.run(`revert r.jsonl --yes --expect ${other}`)).toMatchObject({ code: 4 })
    const writes = made.simulator.history.length
    made.simulator.edit(HQ, CORP, { enabled: true })
    const line = 'revert r.jsonl --yes --plan p.json'
    expect(await made.run(`${line} --expect ${digest}`)).toMatchObject({ code: 4 })
    const { stdout } = await made.run(`${line} --format json`)
    expect(JSON.parse(stdout).outcomes).toMatchObject([{ address: 'hq/corp', status: 'applied' }])
    expect(made.simulator.history.slice(writes).map(({ body }) => body)).toEqual([{ vlan_id: 20 }])
    expect(records(made)[0]).toEqual(untimed(corp))
  })

  it.each([
    ['none', 4],
    ['reconnect', 4],
    ['outage', 0]
  ])('--max-impact %s exits %i if the revert switches a WLAN off', async (most, code) => {
    const made = await stage()
    made.simulator.edit(HQ, CORP, { enabled: false })
    made.write(
      'fleet/hq.yaml',
      made.read('fleet/hq.yaml').replace('enabled: false', 'enabled: true')
    )
    const line = 'apply fleet --yes --max-impact none --wlan corp --record r.jsonl'
    expect(await made.run(line)).toMatchObject({ code: 0 })
    const writes = made.simulator.history.length
    const ended = await made.run(`revert r.jsonl --yes --max-impact ${most}`)
    const refusal = /1 of 2 WLANs .* would see an outage, and --max-impact allows (none|reconnect)/
    expect(ended).toMatchObject(
      code === 0 ? { code } : { code, stderr: expect.stringMatching(refusal) }
    )
    expect(made.simulator.history.length - writes).toBe(code === 0 ? 1 : 0)
  })

  it('lists the secrets that are not restored in the outcomes', async () => {
    const made = await stage()
    const fleet = made.read('fleet/hq.yaml').replace('ssid: Guest\n', 'ssid: Guest\n    dtim: 3\n')
    made.write('fleet/hq.yaml', fleet)
    await made.run('apply fleet --yes --record r.jsonl')
    const { stdout } = await made.run('revert r.jsonl --yes --format json --wlan guest')
    expect(JSON.parse(stdout)).toMatchObject({
      outcomes: [{ address: 'hq/guest', status: 'applied', not_restored: ['/auth/psk'] }],
      findings: [{ code: 'SECRET_NOT_RESTORED', level: 'warning' }]
    })
    expect(made.simulator.record(HQ, GUEST)).toMatchObject({ dtim: null })
    expect(made.simulator.record(HQ, CORP)).toMatchObject({ vlan_id: 21 })
  })

  it('sends neither a mask nor a former secret', async () => {
    const made = await applied()
    made.simulator.set({ hiddenSecrets: 'masked' })
    await made.run('revert r.jsonl --yes')
    expect(JSON.stringify(made.simulator.history.at(-1)?.body)).not.toContain('*')
    expect(made.simulator.record(HQ, CORP)).toMatchObject({ auth_servers: corp['auth_servers'] })
  })
})

describe('a foreign edit since the run', () => {
  it('is kept, and the other changes are restored', async () => {
    const made = await stage()
    const fleet = made.read('fleet/hq.yaml').replace('ssid: Guest\n', 'ssid: Guest\n    dtim: 3\n')
    made.write('fleet/hq.yaml', fleet)
    await made.run('apply fleet --yes --record r.jsonl')
    made.simulator.edit(HQ, CORP, { vlan_id: 22 })
    const { code, stdout, stderr } = await made.run('revert r.jsonl --yes')
    expect({ code, stdout }).toEqual({ code: 5, stdout: expect.stringContaining('hq/guest') })
    expect(stderr).toMatch(/error: .*: \/vlan_id \[CHANGED_SINCE\]/)
    expect(made.simulator.record(HQ, CORP)).toMatchObject({ vlan_id: 22, enabled: false })
    expect(made.simulator.record(HQ, GUEST)).toMatchObject({ dtim: null })
  })

  it('is overwritten with --force, which no variable sets', async () => {
    const made = await applied()
    made.simulator.edit(HQ, CORP, { vlan_id: 22 })
    const forced = { WLANCTL_FORCE: '1', FORCE: '1' }
    expect(await made.run('revert r.jsonl --yes', forced)).toMatchObject({ code: 5 })
    expect(await made.run('revert r.jsonl --yes --force')).toMatchObject({ code: 5 })
    expect(records(made)[0]).toEqual(untimed(corp))
  })

  it('in another field does not matter', async () => {
    const made = await applied()
    made.simulator.edit(HQ, CORP, { hide_ssid: true })
    expect(await made.run('revert r.jsonl --yes')).toMatchObject({ code: 5 })
    expect(made.simulator.record(HQ, CORP)).toMatchObject({ vlan_id: 20, hide_ssid: true })
  })

  it('may be the deletion of the WLAN', async () => {
    const made = await applied()
    made.simulator.remove(HQ, CORP)
    const { code, stderr } = await made.run('revert r.jsonl --yes')
    expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining('WLAN_NOT_FOUND') })
  })
})

describe('the fleet of a revert', () => {
  const LAB = '11111111-2222-4333-8444-555555555555'

  it('is required if the working directory is none', async () => {
    const { run, write, simulator } = await applied()
    write('docker/compose.yaml', 'services: { a: { image: b } }\nvolumes: {}\n')
    write('docs/broken.yaml', 'a: [\n')
    const writes = simulator.history.length
    const { code, stderr } = await run('revert r.jsonl --yes')
    expect(code).toBe(3)
    expect(stderr).toMatch(
      /^wlanctl: the working directory is not a valid fleet: \d errors; nothing was sent\n.*\[fleet\] argument, or --without-fleet\n$/
    )
    expect(simulator.history).toHaveLength(writes)
    expect(await run('revert r.jsonl fleet --yes')).toMatchObject({ code: 5 })
  })

  it('must declare the sites of the record, unless the command line allows others', async () => {
    const made = await applied()
    const { run, simulator } = made
    made.write('lab/lab.yaml', `site: { id: ${LAB}, name: lab }\nwlans: {}\n`)
    const writes = simulator.history.length
    const { code, stderr } = await run('revert r.jsonl lab --yes')
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: expect.stringMatching(new RegExp(`does not declare: hq \\(${HQ}\\)`))
    })
    expect(await run('revert r.jsonl lab --without-fleet --yes')).toMatchObject({ code: 3 })
    expect(simulator.history).toHaveLength(writes)
    expect(await run('revert r.jsonl --without-fleet --yes')).toMatchObject({ code: 5 })
  })

  it.each<[what: string, code: number, edit: (fleet: string) => string, problem: RegExp]>([
    [
      '$protect',
      5,
      fleet => fleet.replace('  corp:\n', '  corp:\n    $protect: true\n'),
      /Left out by revert/
    ],
    [
      'max_changes',
      4,
      fleet => `${fleet}policy: { max_changes: 0 }\n`,
      /policy\.max_changes allows 0/
    ],
    [
      'a rule that it would violate',
      4,
      fleet =>
        `${fleet}policy: { rules: [{ name: on-21, message: use VLAN 21, require: { properties: { vlan_id: { not: { const: 20 } } } } }] }\n`,
      /on-21/
    ]
  ])('sends nothing beyond %s', async (_, exitCode, edit, problem) => {
    const made = await applied()
    made.write('fleet/hq.yaml', edit(made.read('fleet/hq.yaml')))
    const writes = made.simulator.history.length
    const { code, stderr } = await made.run('revert r.jsonl fleet --yes')
    expect({ code, stderr }).toEqual({ code: exitCode, stderr: expect.stringMatching(problem) })
    expect(made.simulator.history).toHaveLength(writes)
  })

  it('writes nothing for a forged record that live contradicts', async () => {
    const made = await applied()
    const text = made.read('r.jsonl').replaceAll('"vlan_id":21', '"vlan_id":77')
    const forged = text.replaceAll('"path":"/vlan_id","value":21', '"path":"/vlan_id","value":77')
    const [begin = '', ...lines] = forged.trim().split('\n')
    const changes = lines.flatMap(line => JSON.parse(line).change ?? [])
    const digest = digestOf({ base_url: made.simulator.url, changes })
    made.write(
      'f',
      [JSON.stringify({ ...JSON.parse(begin), changes_digest: digest }), ...lines, ''].join('\n')
    )
    const writes = made.simulator.history.length
    const { code, stderr } = await made.run('revert f --yes')
    expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining('CHANGED_SINCE') })
    expect(made.simulator.history).toHaveLength(writes)
  })
})

describe('a revert before its approval', () => {
  it('is printed with --dry-run and saved with --out', async () => {
    const made = await applied()
    const writes = made.simulator.history.length
    const { code, stdout } = await made.run('revert r.jsonl --dry-run --out p.json')
    expect({ code, stdout }).toEqual({ code: 5, stdout: expect.stringContaining('false → true') })
    expect(made.simulator.history).toHaveLength(writes)
    expect(await made.run('show p.json')).toMatchObject({ code: 0 })
    expect(JSON.parse(made.read('p.json')).changes).toMatchObject([{ address: 'hq/corp' }])
  })

  it('is printed if there is no terminal to confirm it', async () => {
    const made = await applied()
    const writes = made.simulator.history.length
    const { code, stderr } = await made.run('revert r.jsonl')
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringMatching(/false → true.*not a terminal; nothing was sent\n.*--yes/s)
    })
    expect(made.simulator.history).toHaveLength(writes)
  })

  it('is said to be refused, too, if there is no terminal to confirm it', async () => {
    const made = await applied()
    const { code, stderr } = await made.run('revert r.jsonl --max-changes 0')
    expect(code).toBe(3)
    expect(stderr).toMatch(/refused: too many changes.*not a terminal; nothing was sent/is)
  })
})

describe('revert rejects or skips', () => {
  it('a record of another service', async () => {
    const made = await applied()
    const other = await stage()
    made.write(
      'other.jsonl',
      made.read('r.jsonl').replaceAll(made.simulator.url, other.simulator.url)
    )
    const { code, stderr } = await made.run('revert r.jsonl --yes', {
      WLANCTL_BASE_URL: other.simulator.url
    })
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringContaining(made.simulator.url)
    })
    expect(other.methods()).toEqual([])
    expect(await made.run('revert other.jsonl --yes')).toMatchObject({ code: 3 })
  })

  it.each([
    ['a plan', 'revert plan.json --yes', /plan\.json: line 1: expected the format/],
    ['nothing', 'revert none.jsonl --yes', /none\.jsonl cannot be read/],
    ['an unknown WLAN', 'revert r.jsonl --yes --wlan nobody', /--wlan/]
  ])('%s', async (_, line, message) => {
    const made = await applied()
    await made.run('plan fleet --out plan.json')
    const before = made.methods().length
    const { code, stdout, stderr } = await made.run(line)
    expect({ code, stdout, stderr }).toEqual({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(message)
    })
    expect(made.methods()).toHaveLength(before)
  })

  it('a change that was not written, or whose outcome is unknown', async () => {
    const fail = [{ method: 'PUT', kind: '503', times: 99 }] as const
    const made = await stage({ switches: { fail } })
    await made.run('apply fleet --yes --record r.jsonl --max-attempts 1')
    made.simulator.set({ fail: [] })
    const { code, stdout } = await made.run('revert r.jsonl --yes --quiet --format json')
    expect({ code, outcomes: JSON.parse(stdout).outcomes }).toEqual({ code: 0, outcomes: [] })
    expect(records(made)).toEqual([corp, guest].map(untimed))
  })
})

describe('reverting an applied run', () => {
  const text = fc.constantFrom('alpha', 'beta')
  const fields = fc.record(
    {
      vlan_id: fc.integer({ min: 30, max: 40 }),
      hide_ssid: fc.boolean(),
      limit_bcast: fc.boolean(),
      dtim: fc.integer({ min: 1, max: 3 }),
      ap_ids: fc.constantFrom<string[]>([HQ], [CORP, GUEST]),
      portal: fc.record(
        { enabled: fc.boolean(), expire: fc.integer({ min: 60, max: 70 }) },
        { requiredKeys: [] }
      ),
      auth: fc.record({ pairwise: fc.constantFrom(['wpa3'], ['wpa2-ccmp']) }),
      app_limit: fc.record({ apps: fc.dictionary(text, fc.integer({ min: 1, max: 9 })) }),
      auth_servers: fc.constantFrom(
        [{ host: '10.0.0.1', port: 1900 }, { host: '10.0.0.2' }],
        [{ host: '10.0.0.2' }, { host: '10.0.0.1' }]
      )
    },
    { requiredKeys: ['dtim'] }
  )
  const policy = { lint: { level: 'off' } }

  it('leaves each record unchanged, except its times', async () => {
    await fc.assert(
      fc.asyncProperty(fields, async declared => {
        const made = await stage()
        const wlan = { id: CORP, ssid: 'Corp', ...declared }
        const fleet = { policy, site: { id: HQ, name: 'hq' }, wlans: { corp: wlan } }
        made.write('fleet/hq.yaml', JSON.stringify(fleet))
        const before = records(made)
        await made.run('apply fleet --yes --quiet --allow-downgrade --record r.jsonl')
        const ended = await made.run('revert r.jsonl --yes --quiet --allow-downgrade')
        expect(ended).toMatchObject({ code: 0 })
        expect(records(made).map(withoutNulls)).toEqual(before)
      }),
      runs(10)
    )
  })
})

describe('null removes a member of a map, which an update omits and revert restores', () => {
  const hours = { mon: '08:00-20:00', sun: '09:00-13:00' }
  const rates = { template: 'no-legacy' }
  const all = [
    ['a day', { enabled: true, hours: { mon: hours.mon } }, 'schedule: { hours: { sun: ~ } }'],
    ['all days', { enabled: true }, 'schedule: { hours: ~ }'],
    ['the rates of a band', { 5: rates }, 'rateset: { 24: ~ }'],
    [
      'an application',
      { enabled: true, apps: { a: 1 }, wxtag_ids: { t: 1 } },
      'app_limit: { apps: { a: 1, b: ~ } }'
    ],
    ['all tags', { enabled: true, apps: { a: 1, b: 2 } }, 'app_limit: { wxtag_ids: ~ }'],
    ['a sponsor', { enabled: true, sponsors: { a: 'A' } }, 'portal: { sponsors: { a: A, b: ~ } }'],
    ['a service', { enabled: true, services: {} }, 'bonjour: { services: { airplay: ~ } }'],
    ['a group', { enabled: true }, 'dns_server_rewrite: { radius_groups: ~ }'],
    ['a VLAN', { enabled: true, type: 'standard' }, 'dynamic_vlan: { vlans: ~ }']
  ] as const
  const before: JsonObject = {
    schedule: { enabled: true, hours },
    rateset: { 24: rates, 5: rates },
    app_limit: { enabled: true, apps: { a: 1, b: 2 }, wxtag_ids: { t: 1 } },
    portal: { enabled: true, sponsors: { a: 'A', b: 'B' } },
    bonjour: { enabled: true, services: { airplay: { scope: 'same_ap' } } },
    dns_server_rewrite: { enabled: true, radius_groups: { staff: '10.0.0.53' } },
    dynamic_vlan: { enabled: true, type: 'standard', vlans: { 10: 'a' } }
  }

  it.each(all)('%s', async (_, sent, declared) => {
    const [name = ''] = declared.split(':')
    const record = { id: CORP, ssid: 'Corp', site_id: HQ, ...before }
    const made = await stage({ sites: [{ id: HQ, name: 'hq', wlans: [record] }] })
    const policy = 'policy: { lint: { level: off } }'
    const site = `${policy}\nsite: { id: ${HQ}, name: hq }`
    made.write('fleet/hq.yaml', `${site}\nwlans: { corp: { ssid: Corp, ${declared} } }\n`)
    const apply = 'apply fleet --yes --allow-downgrade --record r.jsonl'
    expect(await made.run(apply)).toMatchObject({ code: 0 })
    expect(made.simulator.record(HQ, CORP)[name]).toEqual(sent)
    expect((await made.run('drift fleet')).code).toBe(0)
    const revert = 'revert r.jsonl fleet --yes --allow-downgrade --record undone.jsonl'
    expect(await made.run(revert)).toMatchObject({ code: 0 })
    expect(made.simulator.record(HQ, CORP)[name]).toEqual(before[name])
    const again = 'revert undone.jsonl fleet --yes --allow-downgrade'
    expect(await made.run(again)).toMatchObject({ code: 0 })
    expect(made.simulator.record(HQ, CORP)[name]).toEqual(sent)
  })
})

/** A formerly absent member is `null` now, which is equivalent. */
function withoutNulls(value: JsonObject): unknown {
  return JSON.parse(JSON.stringify(value), (_, inner) => (inner === null ? undefined : inner))
}

describe('the plan of revert', () => {
  /** A stage whose apply turned on isolation, so that its revert is a downgrade. */
  async function isolated(): Promise<Stage> {
    const made = await stage()
    const corp = 'corp: { ssid: Corp, isolation: true }'
    made.write('fleet/hq.yaml', `site: { id: ${HQ}, name: hq }\nwlans: { ${corp} }\n`)
    expect(await made.run('apply fleet --yes --record r.jsonl')).toMatchObject({ code: 0 })
    return made
  }

  it.each(['text', 'markdown', 'github', 'html'])(
    'shows a downgrade and its refusal once, and names revert: %s',
    async format => {
      const made = await isolated()
      const { stdout } = await made.run(`revert r.jsonl fleet --dry-run --format ${format}`)
      expect(stdout.includes('Refused by revert')).toBe(true)
      expect(/by `?apply|`apply` refuses|less secure than the live WLAN/.test(stdout)).toBe(false)
      expect(/security downgrade/i.test(stdout)).toBe(true)
      const allowed = `revert r.jsonl fleet --yes --allow-downgrade --report ${format}=o`
      expect((await made.run(allowed)).stderr).not.toContain('`apply` refuses')
    }
  )

  it.each(['text', 'markdown', 'github', 'html'])(
    'says that nothing is left to revert: %s',
    async format => {
      const made = await isolated()
      await made.run('revert r.jsonl fleet --yes --allow-downgrade')
      const { stdout } = await made.run(`revert r.jsonl fleet --dry-run --format ${format}`)
      expect(stdout.includes('Nothing to revert: 1 WLAN as before')).toBe(true)
      expect(stdout.includes('WLAN is as declared')).toBe(false)
    }
  )
})

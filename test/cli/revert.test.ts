import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/simulator/json.ts'
import { CORP, corp, GUEST, HQ } from '../simulator/simulate.ts'
import { hqFile, type Stage, stage } from '../support/stage.ts'

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
        'applied  Corp at hq\n\nIncomplete: secrets of 1 WLAN not restored. Revert: 1 applied\n'
    })
    expect(stderr).toContain('enabled  false → true')
    expect(stderr).toMatch(/^r\.jsonl:3:1: warning: .*auth\.psk \[SECRET_NOT_RESTORED\]$/m)
    expect(records(made)[0]).toEqual(untimed(corp))
    const writes = made.simulator.history.length
    const again = await made.run('revert r.jsonl --yes --format json')
    expect({ code: again.code, ...JSON.parse(again.stdout) }).toMatchObject({
      code: 5,
      outcomes: []
    })
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

  it('asks, and applies the limits, like apply', async () => {
    const made = await applied()
    const { run, startOnScreen, simulator } = made
    const writes = simulator.history.length
    expect(await run('revert r.jsonl --max-changes 0')).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(
        /false → true.*refused: too many changes.*not a terminal; nothing was sent\n.*--yes/is
      )
    })
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
})

describe('a foreign edit since the run', () => {
  it('is overwritten with --force, which no variable sets', async () => {
    const made = await applied()
    made.simulator.edit(HQ, CORP, { vlan_id: 22 })
    const forced = { WLANCTL_FORCE: '1', FORCE: '1' }
    expect(await made.run('revert r.jsonl --yes', forced)).toMatchObject({ code: 5 })
    expect(await made.run('revert r.jsonl --yes --force')).toMatchObject({ code: 5 })
    expect(records(made)[0]).toEqual(untimed(corp))
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
    expect(await run('revert r.jsonl lab --yes')).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(new RegExp(`does not declare: hq \\(${HQ}\\)`))
    })
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
})

it('revert rejects a record of another service', async () => {
  const made = await applied()
  const other = await stage()
  made.write(
    'other.jsonl',
    made.read('r.jsonl').replaceAll(made.simulator.url, other.simulator.url)
  )
  const { code, stderr } = await made.run('revert r.jsonl --yes', {
    WLANCTL_BASE_URL: other.simulator.url
  })
  expect(stderr).toContain(made.simulator.url)
  expect(code).toBe(3)
  expect(other.methods()).toEqual([])
  expect(await made.run('revert other.jsonl --yes')).toMatchObject({ code: 3 })
})

it('null removes members of maps, which an update omits and revert restores', async () => {
  const hours = { mon: '08:00-20:00', sun: '09:00-13:00' }
  const rates = { template: 'no-legacy' }
  const before: JsonObject = {
    schedule: { enabled: true, hours },
    rateset: { 24: rates, 5: rates },
    app_limit: { enabled: true, apps: { a: 1, b: 2 }, wxtag_ids: { t: 1 } },
    dynamic_vlan: { enabled: true, type: 'standard', vlans: { 10: 'a' } }
  }
  const entries = {
    ...before,
    schedule: { enabled: true, hours: { mon: hours.mon } },
    rateset: { 5: rates },
    app_limit: { enabled: true, apps: { a: 1 }, wxtag_ids: { t: 1 } }
  }
  const maps = {
    ...before,
    schedule: { enabled: true },
    app_limit: { enabled: true, apps: { a: 1, b: 2 } },
    dynamic_vlan: { enabled: true, type: 'standard' }
  }
  const wlans = [
    { id: CORP, ssid: 'Entries', site_id: HQ, ...before },
    { id: GUEST, ssid: 'Maps', site_id: HQ, ...before }
  ]
  const made = await stage({ sites: [{ id: HQ, name: 'hq', wlans }] })
  made.write(
    'fleet/hq.yaml',
    `policy: { lint: { level: off } }
site: { id: ${HQ}, name: hq }
wlans:
  entries:
    ssid: Entries
    schedule: { hours: { sun: ~ } }
    rateset: { 24: ~ }
    app_limit: { apps: { a: 1, b: ~ } }
  maps:
    ssid: Maps
    schedule: { hours: ~ }
    app_limit: { wxtag_ids: ~ }
    dynamic_vlan: { vlans: ~ }
`
  )
  const fields = () =>
    records(made).map(record =>
      Object.fromEntries(Object.keys(before).map(name => [name, record[name]]))
    )
  const options = '--yes --allow-downgrade'
  expect(await made.run(`apply fleet ${options} --record r.jsonl`)).toMatchObject({ code: 0 })
  expect(fields()).toEqual([entries, maps])
  expect((await made.run('drift fleet')).code).toBe(0)
  expect(await made.run(`revert r.jsonl fleet ${options} --record undone.jsonl`)).toMatchObject({
    code: 0
  })
  expect(fields()).toEqual([before, before])
  expect(await made.run(`revert undone.jsonl fleet ${options}`)).toMatchObject({ code: 0 })
  expect(fields()).toEqual([entries, maps])
})

describe('the plan of revert', () => {
  /** A stage whose apply turned on isolation, so that its revert is a downgrade. */
  async function isolated(): Promise<Stage> {
    const made = await stage()
    const corp = 'corp: { ssid: Corp, isolation: true }'
    made.write('fleet/hq.yaml', hqFile(`{ ${corp} }`))
    expect(await made.run('apply fleet --yes --record r.jsonl')).toMatchObject({ code: 0 })
    return made
  }

  it('shows a downgrade and its refusal once, and names revert, in every format', async () => {
    const { run, read } = await isolated()
    const formats = ['markdown', 'github', 'html']
    const reports = formats.map(format => `--report ${format}=${format}`).join(' ')
    const { stdout } = await run(`revert r.jsonl fleet --dry-run ${reports}`)
    for (const text of [stdout, ...formats.map(read)]) {
      expect(text).toContain('Refused by revert')
      expect(text).not.toMatch(/by `?apply|`apply` refuses|less secure than the live WLAN/)
      expect(text).toMatch(/security downgrade/i)
    }
    const allowed = await run('revert r.jsonl fleet --yes --allow-downgrade')
    expect(allowed.stderr).not.toContain('`apply` refuses')
    const again = await run(`revert r.jsonl fleet --dry-run ${reports}`)
    for (const text of [again.stdout, ...formats.map(read)]) {
      expect(text).toContain('Nothing to revert: 1 WLAN as before')
      expect(text).not.toContain('WLAN is as declared')
    }
  })
})

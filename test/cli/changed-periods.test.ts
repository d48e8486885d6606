import { describe, expect, it, test } from 'vitest'
import type { PeriodPlan } from '../../src/core/model/plan.ts'
import { parsePlan } from '../../src/files/saved-plan.ts'
import { gitEnv, repository } from '../support/git.ts'
import { stage } from '../support/stage.ts'

const HALL = '10000000-0000-4000-8000-000000000001'
const GUEST = '20000000-0000-4000-8000-000000000001'

const NOW = '2026-11-23T12:00:00Z'
const at = (time: string) => ({ now: () => new Date(time) })

const within = 'from: 2026-12-24T00:00, until: 2026-12-27T00:00, reason: Christmas'

interface Parts {
  /** The `$during` of the WLAN. */
  readonly own?: string
  /** Members of the profile. */
  readonly profile?: string
  readonly vlan?: number
  readonly policy?: string
}

function fleet({ own = '[]', profile = '', vlan = 30, policy = '' }: Parts): string {
  return `profiles: { base: { vlan_id: 10, ${profile} } }
site: { id: ${HALL}, name: hall, vars: { timezone: Europe/Berlin, vlan: ${vlan} } }
wlans:
  guest:
    $extends: base
    ssid: Guest
    enabled: true
    auth: { type: psk, psk: { $env: WLAN_SECRET_GUEST } }
    $during: ${own}
policy: { lint: { level: off }, ${policy} }
`
}

const PSK = 'planted-psk-of-the-lobby'

/** A repository whose base is as the live WLAN, apart from `before`; the work tree declares `after`. */
async function pullRequest(after: Parts, before: Parts = {}) {
  const record = {
    ...{ id: GUEST, ssid: 'Guest', enabled: true, vlan_id: 10 },
    auth: { type: 'psk', psk: PSK }
  }
  const made = await stage({ sites: [{ id: HALL, name: 'hall', wlans: [record] }] })
  made.write('fleet/hq.yaml', fleet(before))
  repository(made.cwd)
  made.write('fleet/hq.yaml', fleet(after))
  const run = (line: string, time = NOW) => made.run(line, gitEnv, at(time))
  const plan = async (line = 'plan fleet --base HEAD', time = NOW) => {
    const ended = await run(`${line} --format json`, time)
    return { ...ended, plan: JSON.parse(ended.stdout) }
  }
  return { ...made, run, plan }
}

/** What each time brings: the time, whether periods begin or end, and the bodies of the changes. */
const bodies = (plan: { readonly periods?: readonly Period[] }) =>
  (plan.periods ?? []).map(({ at: time, events, changes }) => [
    time,
    events.map(({ event }) => event).join(),
    ...changes.map(({ request }) => request.body)
  ])

interface Period {
  readonly at: string
  readonly events: readonly { readonly event: string }[]
  readonly changes: readonly { readonly request: { readonly body: unknown } }[]
}

const BEGIN = '2026-12-23T23:00:00Z'
const END = '2026-12-26T23:00:00Z'

describe('a period that the files add', () => {
  const added = { own: `[{ ${within}, enabled: false, vlan_id: 66 }]` }

  it('is planned at its beginning and at its end, however far away', async () => {
    const { plan, code } = await (await pullRequest(added)).plan()
    expect(code).toBe(0)
    expect(plan.changes).toEqual([])
    expect(bodies(plan)).toEqual([
      [BEGIN, 'begins', { enabled: false, vlan_id: 66 }],
      [END, 'ends', { enabled: true, vlan_id: 10 }]
    ])
    expect(plan.periods[0]).toMatchObject({
      events: [{ address: 'hall/guest', local: '2026-12-24 00:00 Europe/Berlin' }],
      changes: [{ address: 'hall/guest', impact: 'outage' }]
    })
  })

  test.each(['text', 'markdown', 'github', 'html'])('is in the plan as %s', async format => {
    const { run } = await pullRequest(added)
    const { stdout } = await run(`plan fleet --base HEAD --format ${format}`)
    if (format !== 'html') expect(stdout).toContain('No change now; 1 period begins 2026-12-24')
    expect(stdout).not.toContain('No changes: ')
    expect(stdout).toContain('2026-12-24 00:00 Europe/Berlin (2026-12-23 23:00 UTC)')
    expect(stdout).toContain('begins: Christmas')
    expect(stdout).toMatch(/vlan_id.*10.*→.*66/)
    expect(stdout).toMatch(/clients|off the air/)
  })

  it('counts as a change for --detailed-exitcode', async () => {
    const { run, write } = await pullRequest(added)
    const line = 'plan fleet --base HEAD --detailed-exitcode'
    expect(await run(line)).toMatchObject({ code: 2 })
    write('fleet/hq.yaml', fleet({}))
    expect(await run(line)).toMatchObject({ code: 0 })
  })

  it('is planned with --changed-since, on a snapshot, and by a fleet in shards', async () => {
    const { run, plan } = await pullRequest(added)
    expect(bodies((await plan('plan fleet --changed-since HEAD')).plan)).toHaveLength(2)
    await run('snapshot fleet --out s.json')
    const against = await plan('plan fleet --base HEAD --against s.json')
    expect(bodies(against.plan)).toHaveLength(2)
    const parts = [1, 2].map(n => `p${n}.json`)
    for (const [n, file] of parts.entries())
      await run(`plan fleet --base HEAD --shard ${n + 1}/2 --out ${file}`)
    const merged = await plan(`show ${parts.join(' ')}`)
    const whole = (await plan()).plan
    expect(merged.plan.periods).toEqual(whole.periods)
    expect(merged.plan.digest).toBe(whole.digest)
  })

  it('needs no base of its own: without --base the plan is about now', async () => {
    const { run } = await pullRequest(added)
    const { stdout } = await run('plan fleet')
    expect(stdout).toContain('No changes: ')
    expect(stdout).not.toContain('66')
  })

  it('that holds already is planned at its end', async () => {
    const { plan } = await pullRequest(added)
    const within = (await plan(undefined, '2026-12-25T00:00:00Z')).plan
    expect(within.changes[0].request.body).toEqual({ enabled: false, vlan_id: 66 })
    expect(bodies(within)).toEqual([[END, 'ends', { enabled: true, vlan_id: 10 }]])
    expect((await plan(undefined, '2026-12-28T00:00:00Z')).plan).not.toHaveProperty('periods')
  })

  it('follows the changes of the plan', async () => {
    const { plan } = await pullRequest({ ...added, profile: 'hide_ssid: true,' })
    const found = (await plan()).plan
    expect(found.changes[0].request.body).toEqual({ hide_ssid: true })
    expect(bodies(found)[0]).toEqual([BEGIN, 'begins', { enabled: false, vlan_id: 66 }])
    const { stdout } = await (await pullRequest({ ...added, profile: 'hide_ssid: true,' })).run(
      'plan fleet --base HEAD'
    )
    expect(stdout).toMatch(/Plan: 1 WLAN to change.*; 1 period begins 2026-12-24/)
  })

  it('with another secret shows it by its reference', async () => {
    const auth = 'auth: { psk: { $env: WLAN_SECRET_PARTY } }'
    const { run, plan } = await pullRequest({ own: `[{ ${within}, ${auth} }]` })
    const found = (await plan()).plan
    expect(found.periods[0].changes[0].request.body.auth.psk).toEqual({
      $env: 'WLAN_SECRET_PARTY'
    })
    expect(found.periods[1].changes[0].request.body.auth.psk).toEqual({
      $env: 'WLAN_SECRET_GUEST'
    })
    const { stdout } = await run('plan fleet --base HEAD')
    expect(stdout).toMatch(/auth\.psk +\(secret\) changed/)
    expect(stdout).not.toContain(PSK)
  })
})

describe('a period that cannot be planned', () => {
  it('is blocked if no live WLAN has its SSID by then', async () => {
    const { run, plan } = await pullRequest({ own: `[{ ${within}, ssid: Party }]` })
    const { periods } = (await plan()).plan
    expect(periods[0]).toMatchObject({ changes: [], findings: [{ code: 'WLAN_NOT_FOUND' }] })
    for (const format of ['text', 'markdown', 'github', 'html'])
      expect((await run(`plan fleet --base HEAD --format ${format}`)).stdout).toContain('blocked')
  })

  it('is not in the plan if its site cannot be read', async () => {
    const { plan, write } = await pullRequest({})
    const gone = fleet({ own: `[{ ${within}, vlan_id: 66 }]` }).replace(/policy: .*/, '')
    write(
      'fleet/gone.yaml',
      gone
        .replace(HALL, `${HALL.slice(0, -1)}2`)
        .replace('hall', 'gone')
        .replace('base: {', 'gone: {')
        .replace('$extends: base', '$extends: gone')
    )
    const found = await plan('plan fleet --base HEAD --max-attempts 1')
    expect(found.plan.summary.sites_failed).toBe(1)
    expect(found.plan).not.toHaveProperty('periods')
  })
})

describe('a period of the base', () => {
  const period = (vlan: string, time = within) => ({ own: `[{ ${time}, vlan_id: ${vlan} }]` })
  const profile = (vlan: number) => ({ profile: `$during: [{ ${within}, vlan_id: ${vlan} }]` })
  const variable = '{ $var: vlan }'

  it.each<[string, Parts, Parts, number]>([
    ['that stays', period('20'), period('20'), 0],
    ['with another reason', period('20'), period('20', within.replace('Christ', 'X')), 0],
    ['with another value', period('20'), period('66'), 2],
    ['with another end', period('20'), period('20', within.replace('-27T', '-28T')), 2],
    ['in a profile that changes', profile(20), profile(66), 2],
    ['of a variable that changes', period(variable), { ...period(variable), vlan: 66 }, 2],
    ['that the files remove', period('20'), {}, 0]
  ])('%s is planned only if it changes', async (_, before, after, times) => {
    const { plan } = await pullRequest(after, before)
    for (const option of ['--base', '--changed-since'])
      expect((await plan(`plan fleet ${option} HEAD`)).plan.periods ?? []).toHaveLength(times)
  })
})

describe('a refusal of a period', () => {
  const open = { own: `[{ ${within}, auth: { type: open } }]` }

  it('refuses the plan and apply', async () => {
    const { run, plan, methods } = await pullRequest(open)
    const refused = await plan('plan fleet --base HEAD --detailed-exitcode')
    expect(refused.code).toBe(4)
    expect(refused.plan.refusals).toMatchObject([
      {
        code: 'PERIOD_REFUSED',
        message: expect.stringContaining(
          '2026-12-24 00:00 Europe/Berlin, the period "Christmas" begins: the plan weakens the security of hall/guest'
        ),
        hint: expect.stringContaining('--allow-downgrade')
      }
    ])
    expect(refused.plan.periods[0].changes[0].downgrades).toContain('/auth/type')
    expect((await run('plan fleet --base HEAD')).stdout).toContain(
      'Refused: 1 period. No change now'
    )
    const applied = await run('apply fleet --base HEAD --yes')
    expect(applied.code).toBe(4)
    expect(applied.stderr).toContain('the period "Christmas" begins')
    expect(methods()).not.toContain('PUT')
    const allowed = await run('apply fleet --base HEAD --yes --allow-downgrade hall/guest')
    expect(allowed.code).toBe(0)
  })

  it('names the end of a period that closes an open network', async () => {
    const usual = { profile: 'auth: { type: psk },' }
    const closed = `[{ ${within}, auth: { type: psk, psk: { $env: WLAN_SECRET_GUEST } } }]`
    const { run, write, simulator } = await pullRequest(usual, usual)
    const opened = fleet({ own: closed }).replace(/ {4}auth: .*\n/, '    auth: { type: open }\n')
    simulator.edit(HALL, GUEST, { auth: { type: 'open' } })
    write('fleet/hq.yaml', opened)
    const { stdout } = await run('plan fleet --base HEAD --format json')
    const { periods } = JSON.parse(stdout)
    expect(periods[0]).not.toHaveProperty('refusals')
    expect(periods[1].refusals).toMatchObject([{ code: 'DOWNGRADE_REFUSED' }])
  })

  test.each([
    ['max_changes: 0', 'policy.max_changes allows 0'],
    [
      'rules: [{ name: on, message: stay on the air, require: { properties: { enabled: { const: true } } } }]',
      'stay on the air'
    ]
  ])('by %s names the limit', async (policy, reason) => {
    const { plan } = await pullRequest({ own: `[{ ${within}, enabled: false }]`, policy })
    const { code, plan: found } = await plan('plan fleet --base HEAD --detailed-exitcode')
    expect(code).toBe(4)
    expect(found.refusals[0].message).toContain(reason)
  })

  it('by the linter is an error of that time', async () => {
    const { run, write } = await pullRequest({})
    const own = `[{ ${within}, auth: { type: open } }]`
    const strict = fleet({ own })
    write('fleet/hq.yaml', strict.replace('level: off', 'rules: { guest-traffic-untagged: error }'))
    const { stdout } = await run('plan fleet --base HEAD --format json')
    const { periods } = JSON.parse(stdout)
    expect(periods[0].refusals).toContainEqual(expect.objectContaining({ code: 'LINT' }))
  })

  it('protects a WLAN at that time', async () => {
    const protects = { own: `[{ ${within}, enabled: false }]`, profile: '$protect: true' }
    const { plan } = await pullRequest(protects)
    const { periods } = (await plan()).plan
    expect(periods.map(({ refusals }: PeriodPlan) => refusals)).toMatchObject([
      [{ code: 'PROTECTED', address: 'hall/guest' }],
      [{ code: 'PROTECTED', address: 'hall/guest' }]
    ])
  })
})

describe('a saved plan with periods', () => {
  const added = { own: `[{ ${within}, enabled: false }]` }

  it('covers them by its digest, and shows what its operations do', async () => {
    const { run, read } = await pullRequest(added)
    await run('plan fleet --base HEAD --out p.json')
    const saved = JSON.parse(read('p.json'))
    expect((await run('show p.json')).stdout).toContain('begins: Christmas')
    expect(parsePlan(read('p.json'), 'p.json')).toEqual(saved)
    const [first, ...others] = saved.periods
    const edited = (change: object) => ({
      ...saved,
      periods: [{ ...first, changes: [{ ...first.changes[0], ...change }] }, ...others]
    })
    const harmless = parsePlan(JSON.stringify(edited({ impact: 'reconnect' })), 'p.json')
    expect(harmless.periods?.[0]?.changes[0]?.impact).toBe('outage')
    expect(harmless.findings.at(-1)?.code).toBe('PLAN_CLAIMS')
    for (const periods of [others, undefined]) {
      const text = JSON.stringify({ ...saved, periods })
      expect(() => parsePlan(text, 'p.json')).toThrow(/digest/)
    }
  })

  it('approves their changes from their time on, and not before', async () => {
    const { run, simulator } = await pullRequest(added)
    await run('plan fleet --base HEAD --out p.json')
    const apply = (time: string) => run('apply fleet --yes --plan p.json --format json', time)
    expect(JSON.parse((await apply(NOW)).stdout).outcomes).toEqual([])
    const begun = JSON.parse((await apply('2026-12-24T00:00:00Z')).stdout)
    expect(begun.outcomes).toMatchObject([{ address: 'hall/guest', status: 'applied' }])
    expect(simulator.record(HALL, GUEST)?.['enabled']).toBe(false)
    const ended = JSON.parse((await apply('2026-12-27T00:00:00Z')).stdout)
    expect(ended.outcomes).toMatchObject([{ address: 'hall/guest', status: 'applied' }])
    expect(simulator.record(HALL, GUEST)?.['enabled']).toBe(true)
  })

  it('does not approve the change of a period before it begins', async () => {
    const { run, write, simulator } = await pullRequest(added)
    await run('plan fleet --base HEAD --out p.json')
    write('fleet/hq.yaml', fleet({}).replace('enabled: true', 'enabled: false'))
    const ended = await run('apply fleet --yes --plan p.json --format json')
    expect(JSON.parse(ended.stdout).outcomes).toMatchObject([{ status: 'skipped' }])
    expect(simulator.record(HALL, GUEST)?.['enabled']).toBe(true)
  })
})

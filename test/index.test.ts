import { describe, expect, test } from 'vitest'
import * as library from '../src/index.ts'
import { scripted, TOKEN } from './service/support.ts'
import { CORP, guest, HQ } from './simulator/simulate.ts'
import { nth } from './support/ids.ts'
import { json } from './support/server.ts'
import { FLEET, PSK, type Stage, stage } from './support/stage.ts'

const { apply, diff, drift, lint, lintLive, loadFleet, plan, readLive, secretsFrom } = library

const secrets = secretsFrom({ env: { WLAN_SECRET_GUEST: PSK } })

/** The fleet of the stage, which declares two changes. */
async function desiredIn({ cwd }: Stage, options: library.FleetOptions = { secrets }) {
  const { desired, findings } = await loadFleet(`${cwd}/fleet`, options)
  if (desired === undefined) throw new Error(JSON.stringify(findings))
  return desired
}

/** A stage of three sites with one change each, and this policy. */
async function sitesWith(policy: string): Promise<Stage> {
  const sites = ['hq', 's1', 's2'].map((name, n) => {
    const [id, wlan] = [nth(10 + n), nth(20 + n)]
    return { id, name, wlans: [{ id: wlan, site_id: id, ssid: 'Guest', vlan_id: 10, dtim: 1 }] }
  })
  const made = await stage({ sites })
  const list = sites.map(({ id, name }) => `{ id: ${id}, name: ${name} }`).join(', ')
  const wlans = 'wlans: { guest: { ssid: Guest, vlan_enabled: true, vlan_id: 11 } }'
  made.write('fleet/hq.yaml', `sites: [${list}]\n${wlans}\n${policy}`)
  return made
}

function serviceOf({ simulator }: Stage): library.Service {
  return { baseUrl: simulator.url, tokens: [simulator.token] }
}

/** The `Failure` that a promise must reject with. */
async function failureOf(promise: Promise<unknown>): Promise<library.Failure> {
  const thrown = await promise.then(
    () => undefined,
    (reason: unknown) => reason
  )
  if (thrown instanceof library.Failure) return thrown
  throw new Error(`expected a Failure, got ${thrown}`)
}

test('the library exports these functions and classes', () => {
  expect(Object.keys(library).sort()).toEqual([
    'ApiError',
    'Failure',
    'Secret',
    'apply',
    'diff',
    'drift',
    'isInherited',
    'lint',
    'lintLive',
    'loadFleet',
    'plan',
    'readLive',
    'secretsFrom',
    'valueAt'
  ])
})

describe('loadFleet', () => {
  test('returns the findings of files with errors, and no fleet', async () => {
    const made = await stage()
    made.write('fleet/hq.yaml', FLEET.replace('vlan_id: 21', 'vlan_id: [x'))
    const { desired, findings } = await loadFleet(`${made.cwd}/fleet`)
    expect(desired).toBeUndefined()
    expect(findings).toMatchObject([{ level: 'error', place: { line: expect.any(Number) } }])
  })

  test('rejects a directory that does not exist', async () => {
    const failure = await failureOf(loadFleet('/does/not/exist'))
    expect(failure).toMatchObject({
      exitCode: 3,
      message: expect.stringContaining('does not exist')
    })
  })

  test('takes secrets from an object', async () => {
    const made = await stage()
    const secrets = secretsFrom({ env: { WLAN_SECRET_GUEST: PSK } })
    const desired = await desiredIn(made, { secrets })
    const [, guestWlan] = desired.sites[0]?.wlans ?? []
    const psk = guestWlan && library.valueAt(guestWlan.fields, '/auth/psk')
    expect(psk).toBeInstanceOf(library.Secret)
    expect(psk instanceof library.Secret && psk.known).toBe(true)
  })
})

describe('plan', () => {
  test('is the plan of the command, and sends nothing', async () => {
    const made = await stage()
    const now = () => new Date('2026-11-20T10:00:00Z')
    const planned = await plan(await desiredIn(made), serviceOf(made), { now })
    const { stdout } = await made.run('plan fleet --format json', {}, { now })
    expect(JSON.parse(JSON.stringify(planned.plan))).toMatchObject({
      ...JSON.parse(stdout),
      findings: planned.plan.findings
    })
    expect(JSON.stringify(planned)).not.toContain(PSK)
    expect(made.methods()).toEqual(['GET', 'GET'])
  })

  test('reports its progress', async () => {
    const made = await stage()
    const events: string[] = []
    const on = ({ type }: library.RunEvent) => {
      events.push(type)
    }
    await plan(await desiredIn(made), serviceOf(made), { on })
    expect(events).toEqual(['started', 'step', 'ended'])
  })

  test('ends with its signal', async () => {
    const made = await stage()
    const desired = await desiredIn(made)
    const signal = AbortSignal.abort()
    expect(await failureOf(plan(desired, serviceOf(made), { signal }))).toMatchObject({
      exitCode: 130
    })
    expect(made.methods()).toEqual([])
  })
})

describe('drift', () => {
  test('is the report of the command, and sends nothing', async () => {
    const made = await stage()
    const now = () => new Date('2026-11-20T10:00:00Z')
    const found = await drift(await desiredIn(made), serviceOf(made), { now })
    const { stdout } = await made.run('drift fleet --format json', {}, { now })
    expect(JSON.parse(JSON.stringify(found.plan))).toMatchObject({
      ...JSON.parse(stdout),
      findings: found.plan.findings
    })
    expect(made.methods()).toEqual(['GET', 'GET'])
  })
})

describe('apply', () => {
  const approve = () => true

  test('sends the approved changes, and reads them back', async () => {
    const made = await stage()
    const plans: library.Plan[] = []
    const { outcomes } = await apply(await desiredIn(made), serviceOf(made), {
      allowances: { maxImpact: 'outage' },
      approve({ plan }) {
        plans.push(plan)
        return true
      }
    })
    expect(plans).toMatchObject([{ summary: { changed: 2 } }])
    expect(outcomes.map(({ address, status }) => [address, status])).toEqual([
      ['hq/corp', 'applied'],
      ['hq/guest', 'applied']
    ])
    expect(made.simulator.record(HQ, CORP)).toMatchObject({ vlan_id: 21, enabled: false })
  })

  test('sends nothing that was not approved', async () => {
    const made = await stage()
    const options = { approve: async () => false }
    const failure = await failureOf(apply(await desiredIn(made), serviceOf(made), options))
    expect(failure).toMatchObject({ exitCode: 4, message: expect.stringContaining('not approved') })
    expect(made.methods()).toEqual(['GET'])
  })

  test('refuses what the policy forbids, before it asks', async () => {
    const made = await stage()
    made.write('fleet/policy.yaml', 'policy: { max_changes: 1 }\n')
    const options = {
      approve() {
        throw new Error('asked for a refused plan')
      }
    }
    const failure = await failureOf(apply(await desiredIn(made), serviceOf(made), options))
    expect(failure).toMatchObject({ exitCode: 4, message: expect.stringContaining('max_changes') })
    expect(made.methods()).toEqual(['GET'])
  })

  test('refuses a fleet that was loaded without its secrets', async () => {
    const made = await stage()
    const failure = await failureOf(apply(await desiredIn(made, {}), serviceOf(made), { approve }))
    expect(failure).toMatchObject({ exitCode: 3, message: expect.stringContaining('hq/guest') })
    expect(made.methods()).toEqual(['GET'])
  })

  test('ends with its signal: sent updates are read back, the others are skipped', async () => {
    const made = await stage()
    const controller = new AbortController()
    const { outcomes } = await apply(await desiredIn(made), serviceOf(made), {
      approve,
      signal: controller.signal,
      on: event => {
        if (event.type === 'step' && event.text.startsWith('hq/corp')) controller.abort()
      }
    })
    expect(outcomes.map(({ status }) => status)).toEqual(['applied', 'skipped'])
  })

  test('is not stopped by an error of its observer, and reports it', async () => {
    const made = await stage()
    const { outcomes, observerError } = await apply(await desiredIn(made), serviceOf(made), {
      approve,
      on() {
        throw new Error('the display is gone')
      }
    })
    expect(outcomes.map(({ status }) => status)).toEqual(['applied', 'applied'])
    expect(observerError).toBe('the display is gone')
  })

  const canary = 'rollout: { waves: [{ canary: s2 }] }'
  const rest = 'freezes: [{ from: 2026-11-01T00:00, until: 2099-01-01T00:00, reason: rest }]'
  const night = 'name: nights, days: [mon], from: "22:00", until: "23:00", impact: [reconnect]'
  const all = (status: string) => [status, status, status]
  test.each<[what: string, policy: string, statuses: string[], more?: 'none' | 'bad']>([
    ['waves, in their order', canary, all('applied')],
    ['a pause', 'rollout: { waves: [{ canary: s2 }, { half: hq }], pause: 1 }', all('applied')],
    ['a wave whose check fails', canary, ['skipped', 'skipped', 'applied'], 'bad'],
    ['a freeze', `timezone: UTC, ${rest}`, all('deferred')],
    ['a window that is closed', `timezone: UTC, windows: [{ ${night} }]`, all('deferred')],
    ['a limit', 'max_changes: 1', []],
    ['a limit of the command line', canary, [], 'none']
  ])('does what the command does: %s', async (_, keys, statuses, more) => {
    const [isGood, maxImpact] = [more !== 'bad', more === 'none' ? more : undefined]
    const policy = `policy: { ${keys} }\n`
    const now = () => new Date('2026-11-24T12:00:00Z')
    const [one, other] = await Promise.all([sitesWith(policy), sitesWith(policy)])

    const notices: string[] = []
    const called = await apply(
      await desiredIn(one),
      { ...serviceOf(one), parallelism: 1 },
      {
        approve,
        now,
        ...(maxImpact && { allowances: { maxImpact } }),
        check: async ({ name = '' }) => {
          notices.push(`checked ${name}`)
          return isGood ? undefined : 'exit code 1'
        },
        on: event => {
          if (event.type === 'notice') notices.push(event.text.replace(/ at .*/, ''))
        }
      }
    ).catch((thrown: unknown) => thrown)
    const limits = maxImpact ? ` --max-impact ${maxImpact}` : ''
    const line = `apply fleet --yes --parallelism 1 --format json --check ${isGood ? 'true' : 'false'}${limits}`
    const { code, stdout, stderr } = await other.run(line, {}, { now })

    const updates = ({ simulator: { requests } }: Stage) =>
      requests.flatMap(({ method, path }) => (method === 'PUT' ? path : []))
    expect(updates(one)).toEqual(updates(other))
    for (const notice of notices.filter(text => !text.startsWith('checked '))) {
      expect(stderr).toContain(notice)
    }
    if (called instanceof library.Failure) {
      expect(statuses).toEqual([])
      expect({ code, stderr }).toEqual({
        code: called.exitCode,
        stderr: expect.stringContaining(called.message)
      })
      return
    }
    const { outcomes } = called as library.Execution
    type Result = Pick<library.Outcome, 'address' | 'status' | 'wave'>
    const results = (found: readonly Result[]) =>
      found.map(({ address, status, wave }) => [address, status, wave])
    expect(outcomes.map(({ status }) => status)).toEqual(statuses)
    expect(results(outcomes)).toEqual(results(JSON.parse(stdout).outcomes))
  })

  test('fails a wave whose check takes longer than the policy allows', async () => {
    const made = await sitesWith(
      'policy: { rollout: { waves: [{ canary: s2 }], check_timeout: 1 } }'
    )
    const check = () => new Promise<undefined>(() => undefined)
    const { failedWave } = await apply(await desiredIn(made), serviceOf(made), { approve, check })
    expect(failedWave).toContain('the check took longer than 1 s')
  })

  test('checks the wave, and gives its record to the caller', async () => {
    const made = await stage()
    const lines: string[] = []
    const file = {
      append: (text: string) => lines.push(text),
      flush: async () => undefined,
      close: async () => undefined
    }
    const { failedWave } = await apply(await desiredIn(made), serviceOf(made), {
      approve,
      check: async () => 'no client can connect',
      record: { file: 'run.jsonl', open: async () => file }
    })
    expect(failedWave).toContain('no client can connect')
    made.write('run.jsonl', lines.join(''), 0o600)
    expect(await made.run('show run.jsonl')).toMatchObject({ code: 0 })
    expect(lines.join('')).not.toContain(PSK)
  })
})

describe('readLive', () => {
  test('reads sites, and says why one could not be read', async () => {
    const made = await stage()
    const unknown = { id: '99999999-9999-4999-8999-999999999999', name: 'moon' }
    const sites = [{ id: HQ, name: 'hq' }, unknown]
    const [hq, moon] = await readLive({ sites }, serviceOf(made))
    expect(hq).toMatchObject({ wlans: [{ ssid: 'Corp' }, { ssid: 'Guest' }] })
    expect(moon).toMatchObject({ site: unknown, reason: expect.stringContaining('404') })
    expect(JSON.stringify(hq)).not.toContain('test-psk-123')
  })
})

test.each([
  ['an organization', { org: 'acme' }],
  ['a site', { sites: [{ id: '../orgs', name: 'hq' }] }]
])('readLive rejects an id of %s that is not a UUID', async (about, subject) => {
  const made = await stage()
  const failure = await failureOf(readLive(subject, serviceOf(made)))
  expect(failure).toMatchObject({ exitCode: 3, message: expect.stringContaining(about) })
  expect(made.methods()).toEqual([])
})

describe('lint', () => {
  test('judges the files, and live WLANs', async () => {
    const made = await stage()
    made.write('fleet/hq.yaml', `${FLEET}    isolation: true\n`)
    const desired = await desiredIn(made)
    expect(lint(desired).findings.every(({ code }) => code === 'LINT')).toBe(true)
    made.write('fleet/policy.yaml', 'policy: { lint: { level: off } }\n')
    expect(lint(await desiredIn(made))).toEqual({ findings: [], secretFindings: [] })
    made.simulator.edit(HQ, CORP, { auth_servers: [] })
    const live = await readLive({ sites: [{ id: HQ, name: 'hq' }] }, serviceOf(made))
    const read = live.flatMap(site => ('wlans' in site ? [site] : []))
    expect(lintLive(read)).toContainEqual(
      expect.objectContaining({ site: 'hq', wlan: 'Corp', level: 'error', existing: true })
    )
  })
})

test('diff compares declared fields with a live record', () => {
  expect(diff({ vlan_id: 20 }, { vlan_id: '20' }).patch).toEqual([])
  expect(diff({ vlan_id: 21 }, { vlan_id: 20 }).patch).toEqual([
    { op: 'test', path: '/vlan_id', value: 20 },
    { op: 'replace', path: '/vlan_id', value: 21 }
  ])
})

describe('an error', () => {
  test('never contains a token or a secret of the fleet that the service repeats', async () => {
    const made = await stage()
    const desired = await desiredIn(made)
    const server = await scripted(json({ detail: `no ${PSK} for ${TOKEN}` }, {}, 400))
    const service = { baseUrl: server.url, tokens: [TOKEN] }
    const { plan: planned } = await plan(desired, service)
    const shown = JSON.stringify(planned)
    expect(shown).toContain('400: no (secret) for (secret)')
    expect(shown).not.toContain(PSK)
    expect(shown).not.toContain(TOKEN)
    const { message, stack } = await failureOf(readLive({ org: HQ }, service))
    expect(message).toContain('400')
    expect(message + stack).not.toContain(TOKEN)
  })

  test('never contains the secret of an update that the service refuses', async () => {
    const made = await stage({ switches: {} })
    const record = JSON.stringify([{ ...guest, site_id: HQ }])
    const server = await scripted((arrival, response) => {
      const isUpdate = arrival.method === 'PUT'
      response.writeHead(isUpdate ? 400 : 200, { 'content-type': 'application/json' })
      response.end(isUpdate ? JSON.stringify({ detail: `bad key ${PSK}` }) : record)
    })
    const service = { baseUrl: server.url, tokens: [TOKEN] }
    const desired = await desiredIn(made)
    const { outcomes } = await apply(desired, service, { approve: () => true })
    expect(server.arrivals.map(({ method }) => method)).toContain('PUT')
    expect(JSON.stringify(outcomes)).toContain('400')
    expect(JSON.stringify(outcomes)).not.toContain(PSK)
  })
})

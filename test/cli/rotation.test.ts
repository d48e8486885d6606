import { describe, expect, it, test } from 'vitest'
import { parseRecord } from '../../src/run/record/read.ts'
import type { SimulatorOptions } from '../../src/simulator/server.ts'
import { GUEST, HQ } from '../simulator/simulate.ts'
import { gitEnv, repository } from '../support/git.ts'
import { PSK, type Stage, stage } from '../support/stage.ts'

const NEW = 'planted-new-psk-of-guests'

const fleet = (psk: string, more = '') => `site: { id: ${HQ}, name: hq }
wlans:
  corp: { ssid: Corp }
  guest: { ssid: Guest, auth: { type: psk, psk: ${psk} }${more} }
`

/** A repository whose work tree and base declare these keys; the service hides another one. */
async function rotating(
  before: string,
  after: string,
  options: Partial<SimulatorOptions> = {}
): Promise<Stage> {
  const made = await stage(options)
  made.simulator.edit(HQ, GUEST, { auth: { type: 'psk', psk: 'planted-live-psk-of-guests' } })
  made.simulator.set({ hiddenSecrets: 'masked' })
  made.write('fleet/hq.yaml', fleet(before))
  repository(made.cwd)
  made.write('fleet/hq.yaml', fleet(after))
  return made
}

const env = { ...gitEnv, WLAN_SECRET_NEW: NEW }
const A = '{ $env: WLAN_SECRET_GUEST }'
const version = (n: number, name = 'WLAN_SECRET_GUEST') => `{ $env: ${name}, $version: ${n} }`

const pskOf = ({ simulator }: Stage) => JSON.stringify(simulator.record(HQ, GUEST)?.['auth'])
const puts = ({ methods }: Stage) => methods().filter(method => method === 'PUT').length

describe('a hidden secret', () => {
  test.each([
    ['a higher version', version(2), version(3), '(secret) rotates, version 2 → 3'],
    [
      'another name',
      A,
      '{ $env: WLAN_SECRET_NEW }',
      '(secret) rotates, WLAN_SECRET_GUEST → WLAN_SECRET_NEW'
    ]
  ])('is sent for %s', async (_, before, after, text) => {
    const made = await rotating(before, after)
    const planned = await made.run('plan fleet --base HEAD --out plan.json', env)
    expect(planned).toMatchObject({ code: 0, stdout: expect.stringContaining(text) })
    expect(planned.stdout).not.toContain('not compared')
    const plan = JSON.parse(made.read('plan.json'))
    expect(plan.changes[0].secrets).toEqual({ '/auth/psk': 'rotates' })
    const line = 'apply fleet --base HEAD --yes --plan plan.json --format json'
    const { code, stdout } = await made.run(line, env)
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({
      code: 0,
      outcomes: [{ address: 'hq/guest', status: 'applied', not_verifiable: ['/auth/psk'] }]
    })
    expect(pskOf(made)).toContain(after.includes('NEW') ? NEW : PSK)
    expect(puts(made)).toBe(1)
  })

  it('is no drift', async () => {
    const made = await rotating(version(1), version(2))
    expect(await made.run('drift fleet --base HEAD', env)).toMatchObject({ code: 0 })
  })
})

describe('a rotation', () => {
  it.each([
    ['a WLAN without a change', '', 'skipped'],
    ['a changed WLAN', ', vlan_id: 40', 'stale']
  ])('requires the approval of the plan: %s', async (_, more, status) => {
    const made = await rotating(A, version(1))
    made.write('fleet/hq.yaml', fleet(version(1), more))
    await made.run('plan fleet --out plan.json', env)
    const line = 'apply fleet --base HEAD --plan plan.json --yes --format json'
    const { code, stdout } = await made.run(line, env)
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({
      code: 5,
      outcomes: [{ address: 'hq/guest', status }]
    })
    expect(puts(made)).toBe(0)
  })
})

describe('the record of a rotation', () => {
  it('prevents that a version is sent twice', async () => {
    const made = await rotating(version(1), version(2))
    const line = 'apply fleet --base HEAD --yes --record r.jsonl --quiet'
    expect(await made.run(line, env)).toMatchObject({ code: 0 })
    expect(await made.run(line, env)).toMatchObject({ code: 0 })
    await made.run('plan fleet --base HEAD --out plan.json', env)
    const { code, stdout } = await made.run(`${line} --plan plan.json`, env)
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('unchanged') })
    expect(puts(made)).toBe(1)
    made.write('fleet/hq.yaml', fleet(version(3)))
    expect(await made.run(line, env)).toMatchObject({ code: 0 })
    expect(puts(made)).toBe(2)
    const runs = await parseRecord(made.read('r.jsonl'), 'r')
    expect(runs.flatMap(({ changes }) => changes)).toHaveLength(2)
  })
})

describe('an update without a response', () => {
  it('is repeated, as equal visible fields do not prove that it arrived', async () => {
    const made = await rotating(version(1), version(2))
    made.simulator.set({ fail: [{ method: 'PUT', kind: 'reset-landed' }] })
    const line = 'apply fleet --base HEAD --yes --format json'
    const { code, stdout } = await made.run(line, env)
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({
      code: 0,
      outcomes: [{ status: 'applied', not_verifiable: ['/auth/psk'] }]
    })
    expect(puts(made)).toBe(2)
  })

  it.each(['reset', 'reset-landed'] as const)(
    'is unknown after the last attempt: %s',
    async kind => {
      const made = await rotating(version(1), version(2))
      made.simulator.set({ fail: [{ method: 'PUT', kind, times: 'always' }] })
      const line = 'apply fleet --base HEAD --yes --max-attempts 2 --record r.jsonl --format json'
      const { code, stdout } = await made.run(line, env)
      expect({ code, ...JSON.parse(stdout) }).toMatchObject({
        code: 5,
        outcomes: [
          { status: 'unknown', reason: expect.stringContaining('cannot show whether it arrived') }
        ]
      })
      made.simulator.set({ fail: [] })
      const again = await made.run(line, env)
      expect(JSON.parse(again.stdout)).toMatchObject({ outcomes: [{ status: 'applied' }] })
    }
  )
})

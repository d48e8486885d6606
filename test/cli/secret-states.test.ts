import { describe, expect, it } from 'vitest'
import type { Plan } from '../../src/core/model/plan.ts'
import { CORP, HQ } from '../simulator/simulate.ts'
import { type Stage, stage } from '../support/stage.ts'

const FLEET = `site: { id: ${HQ}, name: hq }
wlans:
  corp:
    id: ${CORP}
    airwatch: { api_key: { $env: WLAN_SECRET_KEY } }
    auth_servers:
      - { host: 10.0.0.1, secret: { $env: WLAN_SECRET_ONE } }
      - { host: 10.0.0.2, secret: { $env: WLAN_SECRET_TWO } }
`
const SECRETS = {
  WLAN_SECRET_KEY: 'planted-airwatch-key',
  WLAN_SECRET_ONE: 'planted-radius-one',
  WLAN_SECRET_TWO: 'planted-radius-two'
}

const live = (two: string, api_key = '') => ({
  airwatch: { api_key },
  auth_servers: [
    { host: '10.0.0.1', secret: SECRETS.WLAN_SECRET_ONE },
    { host: '10.0.0.2', secret: two }
  ]
})

/** A stage whose WLAN has another second RADIUS secret, and no key. */
async function setUp(two = 'planted-live-secret'): Promise<Stage> {
  const made = await stage()
  made.write('fleet/hq.yaml', FLEET)
  made.simulator.edit(HQ, CORP, live(two))
  return made
}

async function statesOf(made: Stage, secrets: Record<string, string | undefined> = SECRETS) {
  const { stdout } = await made.run('plan fleet --out plan.json --format json', secrets)
  const { changes, not_compared } = JSON.parse(stdout) as Plan
  return { secrets: changes[0]?.secrets, not_compared: not_compared[0]?.pointers }
}

const [KEY, ONE, TWO] = [
  '/airwatch/api_key',
  '/auth_servers/0/secret',
  '/auth_servers/1/secret'
] as const

describe('the states of secrets', () => {
  it('are planned, applied and verified, including lists and unset secrets', async () => {
    const made = await setUp()
    expect((await statesOf(made)).secrets).toEqual({
      [KEY]: 'set',
      [ONE]: 'same',
      [TWO]: 'changed'
    })
    const text = (await made.run('plan fleet', SECRETS)).stdout
    expect(text).toContain('airwatch.api_key  (secret) set, from WLAN_SECRET_KEY')
    expect(text).toContain('auth_servers[10.0.0.2].secret  (secret) changed, from WLAN_SECRET_TWO')
    expect(text).not.toContain('not compared')
    const { code, stdout, stderr } = await made.run('apply fleet --yes --plan plan.json', SECRETS)
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(stdout).not.toContain('planted')
    expect(made.simulator.record(HQ, CORP)).toMatchObject(
      live(SECRETS.WLAN_SECRET_TWO, SECRETS.WLAN_SECRET_KEY)
    )
    expect(await statesOf(made)).toEqual({ secrets: undefined, not_compared: undefined })
  })

  it.each(['masked', 'absent'] as const)(
    'are unknown to a role that cannot read secrets (%s), and approved by reference',
    async hiddenSecrets => {
      const made = await setUp()
      made.simulator.set({ hiddenSecrets })
      const { secrets, not_compared = [] } = await statesOf(made)
      expect(secrets).toBeUndefined()
      expect(not_compared).toEqual([KEY, ONE, TWO])
      made.simulator.set({ hiddenSecrets, hiddenFrom: ['of-another-role'] })
      const { code, stdout } = await made.run('apply fleet --yes --plan plan.json', SECRETS)
      expect({ code, stdout }).toMatchObject({ code: 0 })
      expect(made.simulator.record(HQ, CORP)).toMatchObject(
        live(SECRETS.WLAN_SECRET_TWO, SECRETS.WLAN_SECRET_KEY)
      )
    }
  )
})

import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/simulator/json.ts'
import { CORP, HQ } from '../simulator/simulate.ts'
import { hqFile, stage } from '../support/stage.ts'

const servers = ['one', 'two'].map((name, n) => ({
  host: `10.0.0.${n + 1}`,
  port: 1812,
  secret: `planted-radius-${name}`
}))

/** What is declared for a WLAN, what is live, and the first secret that travels along. */
const changes: [what: string, declared: string, live: JsonObject, secret: string][] = [
  [
    'the suites of a key',
    'auth: { pairwise: [wpa3] }',
    { auth: { type: 'psk', psk: 'planted-key-1', pairwise: ['wpa2-ccmp'] } },
    'auth.psk'
  ],
  [
    'the order of RADIUS servers',
    'auth_servers: [{ host: 10.0.0.2 }, { host: 10.0.0.1 }]',
    { auth: { type: 'eap' }, auth_servers: servers },
    'auth_servers.0.secret'
  ]
]

async function setUp(declared: string, live: JsonObject) {
  const wlan = { id: CORP, ssid: 'Corp', site_id: HQ, vlan_enabled: true, vlan_id: 9, ...live }
  const made = await stage({ sites: [{ id: HQ, name: 'hq', wlans: [wlan] }] })
  const corp = `{ ssid: Corp, vlan_id: 10, ${declared} }`
  const policy = 'policy: { lint: { level: off } }'
  made.write('fleet/hq.yaml', hqFile(`{ corp: ${corp} }\n${policy}`))
  return made
}

describe('a secret that the service hides and no file declares', () => {
  it.each(changes)('does not hide the plan of %s', async (_, declared, live, secret) => {
    const { run, read, simulator } = await setUp(declared, live)
    simulator.set({ hiddenSecrets: 'masked' })
    expect(await run('plan fleet --out hidden.json')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        new RegExp(
          `vlan_id .* 10[^]*"${secret.split('.')[0]}" must be sent as a whole.*${secret} in it.*SECRET_HIDDEN`
        )
      )
    })
    const plan = read('hidden.json')
    expect(plan).toContain('"$live": true')
    expect(plan).not.toMatch(/\*\*|planted/)

    const writes = simulator.history.length
    const skipped = await run('apply fleet --yes --plan hidden.json --allow-downgrade')
    expect(skipped).toMatchObject({ code: 5, stdout: expect.stringContaining('skipped') })
    expect(skipped.stdout).toContain(secret)
    expect(skipped.stderr).not.toContain('run it again')
    expect(simulator.history).toHaveLength(writes)

    simulator.set({ hiddenSecrets: 'no' })
    await run('plan fleet --out shown.json')
    const { digest } = JSON.parse(plan)
    expect(JSON.parse(read('shown.json')).digest).toBe(digest)
    const applying = 'apply fleet --yes --plan hidden.json --allow-downgrade'
    const applied = await run(`${applying} --expect ${digest}`)
    expect(applied).toMatchObject({ code: 0, stdout: expect.stringContaining('applied') })
    const secrets = (record: object) =>
      JSON.stringify(record)
        .match(/planted-[\w-]+/g)
        ?.sort()
    expect(secrets(simulator.record(HQ, CORP))).toEqual(secrets(live))
  })
})

it('the outcome of a change names its hidden secrets: three, and the number of all', async () => {
  const [password, api_key] = ['planted-word-1', 'planted-key-1']
  const { run, simulator } = await setUp(
    'airwatch: { enabled: true }, auth_servers: [{ host: 10.0.0.2 }, { host: 10.0.0.1 }]',
    {
      auth: { type: 'eap' },
      airwatch: { enabled: false, api_key, password },
      auth_servers: servers
    }
  )
  simulator.set({ hiddenSecrets: 'masked' })
  const { code, stdout } = await run('apply fleet --yes --allow-downgrade')
  expect(code).toBe(5)
  const text = stdout.replaceAll(/\s+/g, ' ')
  expect(text).toContain('the service hides 4 secrets: ')
  expect(text).toMatch(/: \w+\.\S+, \w+\.\S+, \w+\.\S+ and 1 more/)
  expect(text).toContain('with a token that sees these secrets')
})

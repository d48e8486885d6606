import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/simulator/json.ts'
import { CORP, HQ } from '../simulator/simulate.ts'
import { hqFile, type Stage, stage } from '../support/stage.ts'

type Holder = (secret: string) => JsonObject

/** The fields of a WLAN with a secret in one of them. */
const holders: [what: string, holder: Holder][] = [
  ['psk', psk => ({ auth: { type: 'psk', psk } })],
  [
    'RADIUS secret',
    secret => ({ auth: { type: 'eap' }, auth_servers: [{ host: '10.0.0.1', secret }] })
  ]
]

const fleetOf = (fields: object) =>
  hqFile(`\n  corp: ${JSON.stringify({ ssid: 'Corp', ...fields })}`)

async function staged(live: JsonObject, declared: object = {}): Promise<Stage> {
  const wlans = [{ id: CORP, ssid: 'Corp', site_id: HQ, ...live }]
  const made = await stage({ sites: [{ id: HQ, name: 'hq', wlans }] })
  made.write('fleet/hq.yaml', fleetOf(declared))
  made.write('names.txt', `${HQ} hq\n`)
  return made
}

describe.each(holders)('a variable of the service as a %s', (_, holder) => {
  it.each(['abc{{key}}', '{{key}}abc', '{{a}}-{{b}}', '{{ }}1234567'])(
    'is a plaintext secret if it is only a part of a text: %s',
    async text => {
      const { run } = await staged({}, holder(text))
      const { code, stdout, stderr } = await run('validate fleet')
      expect({ code, found: (stdout + stderr).includes('[SECRET_IN_CLEAR]') }).toEqual({
        code: 3,
        found: true
      })
      expect(stdout + stderr).not.toContain(text)
    }
  )

  it('is restored by revert', async () => {
    const { run, simulator, write } = await staged(holder('{{old}}'), holder('{{new}}'))
    expect(await run('apply fleet --yes --record r.jsonl')).toMatchObject({ code: 0 })
    write('fleet/hq.yaml', fleetOf({}))
    expect(await run('revert r.jsonl fleet --yes')).toMatchObject({ code: 0 })
    expect(simulator.record(HQ, CORP)).toMatchObject(holder('{{old}}'))
  })
})

it('can be written in a `$format` of the site', async () => {
  const { run, write } = await staged({ auth: { type: 'psk', psk: '{{psk_7}}' } })
  write(
    'fleet/hq.yaml',
    `site: { id: ${HQ}, name: hq, vars: { key: "{{psk_7}}" } }
wlans:
  corp: { ssid: Corp, auth: { psk: { $var: key } } }
`
  )
  expect(await run('drift fleet')).toMatchObject({ code: 0 })
})

it('is not compared if the service hides the secret', async () => {
  const made = await staged(
    { auth: { type: 'psk', psk: 'hidden-psk' } },
    { auth: { psk: '{{key}}' } }
  )
  made.simulator.set({ hiddenSecrets: 'masked' })
  const { stdout } = await made.run('plan fleet --format json')
  expect(JSON.parse(stdout)).toMatchObject({
    changes: [],
    not_compared: [{ pointers: ['/auth/psk'] }]
  })
})

it('in addresses, ports, numbers, ids and bands is kept by import, and is in sync after it', async () => {
  const { run, read } = await staged({
    auth: { type: 'eap' },
    auth_servers: [{ host: '{{net}}.10', port: '{{p}}', secret: 'radius-secret-1' }],
    coa_servers: [{ ip: '{{net}}.10', port: '{{p}}', secret: 'radius-secret-1' }],
    bands: ['{{band}}'],
    interface: 'mxtunnel',
    mxtunnel_ids: ['{{tunnel}}'],
    portal_allowed_subnets: ['{{net}}.0/24'],
    app_limit: { enabled: true, apps: { netflix: '{{limit}}' } }
  })
  await run('import --from names.txt --secrets-out secrets.env')
  const written = read('sites/hq.yaml')
  for (const name of ['net', 'p', 'band', 'tunnel', 'limit'])
    expect(written).toContain(`{{${name}}}`)
  expect(await run('validate sites')).toMatchObject({ code: 0 })
  const { code } = await run('plan sites --secrets-file secrets.env --detailed-exitcode')
  expect(code).toBe(0)
})

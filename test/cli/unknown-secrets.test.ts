import { describe, expect, it } from 'vitest'
import { isList, isObject } from '../../src/core/values/value.ts'
import type { Json, JsonObject } from '../../src/simulator/json.ts'
import { CORP, HQ } from '../simulator/simulate.ts'
import { hqFile, type Stage, stage } from '../support/stage.ts'

const VALUE = 'planted-canary-of-the-service'

/** Names that are not in the schema, and count as secrets. */
const names = [
  ...['acme_secret', 'secret', 'client_secrets', 'password', 'admin_passwd', 'wpa9_passphrase'],
  ...['psk', 'backup_psk', 'psks', 'token', 'access_token', 'refresh_tokens', 'credential'],
  ...['cloud_credentials', 'key', 'keys', 'foo_keys', 'radsec_client_key', 'kek', 'acme_mack'],
  ...['pin', 'login_pin', 'otp', 'guest_otp', 'KEY', 'apiKey', 'wep_key_1', 'ACCESS_TOKEN']
]

/** Places of an unknown field in a record; those of a group can be in one record. */
const places: readonly ((name: string, value: Json) => JsonObject)[][] = [
  [
    (name, value) => ({ [name]: value }),
    (name, value) => ({ auth: { type: 'open', [name]: value } }),
    (name, value) => ({ x_new: { deep: { [name]: value } } }),
    (name, value) => ({ acct_servers: [{ host: 'a', [name]: value }] }),
    (name, value) => ({ x_new: { [name]: { ca: [{ value }] } } })
  ],
  [
    (name, value) => ({ x_new: [{ a: 1 }, [{ [name]: value }]] }),
    (name, value) => ({ [name]: [value, [value]] })
  ]
]

const FORMATS = ['text', 'json', 'markdown', 'html', 'github']

async function withLive(fields: JsonObject): Promise<Stage> {
  const wlans = [{ id: CORP, ssid: 'Corp', site_id: HQ, vlan_id: 20, ...fields }]
  const made = await stage({ sites: [{ id: HQ, name: 'hq', wlans }] })
  made.write('names.txt', `${HQ} hq\n`)
  return made
}

/** All members of these objects merged; lists are concatenated. */
function joined(objects: readonly JsonObject[]): JsonObject {
  const all: Record<string, Json> = {}
  for (const [name, value] of objects.flatMap(each => Object.entries<Json>(each))) {
    const other = all[name]
    if (isList(value) && isList(other)) all[name] = [...other, ...value]
    else if (isObject(value) && isObject(other)) all[name] = joined([other, value])
    else all[name] = value
  }
  return all
}

/** The output and files of all commands for these live fields, with a change next to them. */
async function everyOutput(fields: JsonObject, formats: readonly string[]): Promise<string> {
  const { run, write, read } = await withLive(fields)
  const near = { ...fields, vlan_id: 21 }
  const declared = Object.keys(near).filter(name => ['auth', 'acct_servers'].includes(name))
  const extra = declared.map(name =>
    name === 'auth' ? ', auth: { owe: enabled }' : ', acct_servers: [{ host: a, port: 1 }]'
  )
  const corp = `{ ssid: Corp, vlan_id: 21${extra.join('')} }`
  write('fleet/hq.yaml', hqFile(`{ corp: ${corp} }`))
  const lines = [
    ...formats.map(format => `plan fleet --verbose --format ${format} --out p.json`),
    'snapshot fleet --out s.json',
    'plan fleet --against s.json --format json',
    'import --from names.txt --all-fields',
    'apply fleet --yes --verbose --record r.jsonl --format json',
    'show r.jsonl --format json',
    'show p.json --format json'
  ]
  const outputs: string[] = []
  for (const line of lines) {
    const { stdout, stderr } = await run(line)
    outputs.push(stdout, stderr)
  }
  const files = ['p.json', 's.json', 'sites/hq.yaml', 'r.jsonl'].map(read)
  return [...outputs, ...files].join('\n')
}

describe('an unknown field with the name of a secret', () => {
  it.each(places)('is in no output', async (...holds) => {
    const values = holds.flatMap((hold, at) =>
      names.map((name, n) => ({ hold, name, value: `${VALUE}-${at}-${n}-` }))
    )
    const records = values.map(({ hold, name, value }) => hold(name, value))
    const text = await everyOutput(joined(records), ['json'])
    expect(values.filter(({ value }) => text.includes(value))).toEqual([])
  })

  it.each(places)('is in no format, as a text or a number', async (...holds) => {
    const records = holds.flatMap(hold => [hold('token', VALUE), hold('foo_keys', 4_321_567)])
    const text = await everyOutput(joined(records), FORMATS)
    expect(text).not.toContain(VALUE)
    expect(text).not.toContain('4321567')
  })

  it('is sent unchanged in an update of its field, without being printed', async () => {
    const made = await withLive({ auth: { type: 'open', access_token: VALUE } })
    made.write('fleet/hq.yaml', hqFile('{ corp: { ssid: Corp, auth: { owe: enabled } } }'))
    const { code, stdout } = await made.run('apply fleet --yes --format json')
    expect({ code, shown: stdout.includes(VALUE) }).toEqual({ code: 0, shown: false })
    expect(made.simulator.record(HQ, CORP)).toMatchObject({
      auth: { type: 'open', owe: 'enabled', access_token: VALUE }
    })
  })
})

describe('a declared unknown field with the name of a secret', () => {
  const declare = async (policy: string, value: string) => {
    const made = await withLive({})
    made.write('fleet/policy.yaml', `policy: { unknown_fields: warn, ${policy} }\n`)
    made.write(
      'fleet/hq.yaml',
      hqFile(`{ corp: { ssid: Corp, x_new: [{ access_token: ${value} }] } }`)
    )
    return made
  }

  it.each([VALUE, '4321567'])('is a plaintext secret: %s', async value => {
    const { run } = await declare('plaintext_secrets: error', value)
    const { code, stdout, stderr } = await run('plan fleet')
    expect({ code, found: (stdout + stderr).includes('[SECRET_IN_CLEAR]') }).toEqual({
      code: 3,
      found: true
    })
    expect(stdout + stderr).not.toContain(value)
  })

  it('is not printed if the policy allows it', async () => {
    const value = VALUE
    const { run } = await declare('plaintext_secrets: allow', value)
    for (const format of FORMATS) {
      const { stdout, stderr } = await run(`plan fleet --verbose --format ${format} --out p.json`)
      expect(stdout + stderr).not.toContain(value)
    }
  })

  it('may be a reference, which is sent and verified', async () => {
    const made = await declare('plaintext_secrets: error', '{ $env: WLAN_SECRET_A }')
    const { code, stdout } = await made.run('apply fleet --yes', { WLAN_SECRET_A: VALUE })
    expect({ code, shown: stdout.includes(VALUE) }).toEqual({ code: 0, shown: false })
    expect(made.simulator.record(HQ, CORP)).toMatchObject({ x_new: [{ access_token: VALUE }] })
  })
})

describe('a secret of the schema that is a number', () => {
  it.each(['error', 'allow'])('is not printed: plaintext_secrets %s', async policy => {
    const made = await withLive({})
    made.write('fleet/policy.yaml', `policy: { plaintext_secrets: ${policy} }\n`)
    made.write('fleet/hq.yaml', hqFile('{ corp: { ssid: Corp, auth: { psk: 43215678 } } }'))
    const { code, stdout, stderr } = await made.run('plan fleet --verbose')
    expect({ code, shown: /43215678/.test(stdout + stderr) }).toEqual({ code: 3, shown: false })
  })
})

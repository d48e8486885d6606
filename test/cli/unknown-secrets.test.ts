import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/simulator/json.ts'
import { CORP, HQ } from '../simulator/simulate.ts'
import { hqFile, type Stage, stage } from '../support/stage.ts'

const VALUE = 'planted-canary-of-the-service'

const NUMBER = 4_321_567

/** Fields with the names of secrets, which are not in the schema. */
const secrets = { token: VALUE, foo_keys: NUMBER }

/** A live record with these fields in every place. */
const everywhere: JsonObject = {
  ...secrets,
  auth: { type: 'open', ...secrets },
  acct_servers: [{ host: 'a', ...secrets }],
  x_object: { deep: secrets },
  x_list: [{ a: 1 }, [secrets]],
  x_below: { token: { ca: [{ value: VALUE }] }, foo_keys: [NUMBER, [NUMBER]] }
}

const FORMATS = ['text', 'json', 'markdown', 'html', 'github']

async function withLive(fields: JsonObject): Promise<Stage> {
  const wlans = [{ id: CORP, ssid: 'Corp', site_id: HQ, vlan_id: 20, ...fields }]
  const made = await stage({ sites: [{ id: HQ, name: 'hq', wlans }] })
  made.write('names.txt', `${HQ} hq\n`)
  return made
}

/** The output and files of all commands for these live fields, with a change next to them. */
async function everyOutput(fields: JsonObject): Promise<string> {
  const { run, write, read } = await withLive(fields)
  const near = 'auth: { owe: enabled }, acct_servers: [{ host: a, port: 1 }]'
  write('fleet/hq.yaml', hqFile(`{ corp: { ssid: Corp, vlan_id: 21, ${near} } }`))
  const lines = [
    ...FORMATS.map(format => `plan fleet --verbose --format ${format} --out p.json`),
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
  it('is in no format, as a text or a number', async () => {
    const text = await everyOutput(everywhere)
    expect(text).not.toContain(VALUE)
    expect(text).not.toContain(String(NUMBER))
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

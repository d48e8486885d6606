import { afterEach, describe, expect, it } from 'vitest'
import { HQ } from '../../simulator/simulate.ts'
import { expectUnpolluted } from '../unpolluted.ts'
import { keys, TOKEN } from './secrets.ts'
import { expectSealed, trial } from './trial.ts'

afterEach(expectUnpolluted)

const head = `site: { id: ${HQ}, name: hq }\n`
const clear = JSON.stringify(keys.json)
const secret = `'${keys.percent}'`

/** A WLAN with this PSK. */
const psk = (value: string) => `wlans: { json: { ssid: json, auth: { psk: ${value} } } }\n`

const RULE = `policy:
  rules:
    - { name: r, message: m, require: { properties: { dtim: { maximum: 3 }, auth: { maxProperties: 0 } } } }
`

type Fleet = readonly [what: string, yaml: string, policy?: string, code?: number]

/** Invalid fleets, and fleets with a plaintext secret: exit code 3 unless the row says otherwise. */
const fleets: readonly Fleet[] = [
  ['a plaintext secret', psk(clear)],
  ['a plaintext secret (warn)', psk(clear), 'policy: { plaintext_secrets: warn }\n', 0],
  ['a plaintext secret (allow)', psk(clear), 'policy: { plaintext_secrets: allow }\n', 0],
  ['a plaintext variable', psk('{ $var: key }')],
  ['a variable in a format', psk('{ $format: "{key}x" }')],
  ['a syntax error on its line', `wlans: { json: { auth: { psk: ${secret} ]\n`],
  ['a syntax error after it', `wlans:\n  json:\n    auth: { psk: ${secret} }\n   ssid: x\n`],
  ['an unknown tag', psk(`!secret ${secret}`)],
  ['a duplicate key', psk(`${secret}, psk: ${clear}`)],
  ['a list', psk(`[${secret}, ${clear}]`)],
  ['a map', psk(`{ x: ${secret} }`)],
  ['an invalid reference', psk(`{ $env: ${secret} }`)],
  ['a missing file', psk(`{ $file: '/${keys.percent}' }`)],
  ['an alias', `wlans: { json: { ssid: json, auth: { psk: &k ${secret} }, wxtag_ids: [*k] } }\n`],
  ['an unknown sibling', psk(`${secret}, pks: 1`)],
  ['a violated rule', psk('{ $env: WLAN_SECRET_JSON }').replace('ssid', 'dtim: 7, ssid'), RULE, 4]
]

describe('invalid files leak nothing', () => {
  const rows = fleets.map(
    ([what, yaml, policy = '', code = 3]) => [what, yaml, policy, code] as const
  )

  it.each(rows)('%s', async (_, yaml, policy, code) => {
    const made = await trial()
    const vars = `site: { id: ${HQ}, name: hq, vars: { key: ${clear} } }\n`
    const usesVars = yaml.includes('{key}') || yaml.includes('$var')
    made.write('fleet/hq.yaml', (usesVars ? vars : head) + yaml)
    made.write('fleet/policy.yaml', policy)
    const ended = await Promise.all([
      made.run('validate FLEET --verbose --report json=v.json'),
      made.run('plan FLEET --verbose --out p.json --format json --report text=p.txt')
    ])
    expect(ended.map(each => each.code)).toEqual([code, code])
    expect(made.leaks(...ended)).toEqual([])
  })
})

describe('invalid arguments and variables leak nothing', () => {
  it.each<[what: string, line: string, change: Record<string, string | undefined>, says: RegExp]>([
    ['a key that is too short', 'plan FLEET', { WLAN_SECRET_JSON: 'k-8Qw' }, /SECRET_INVALID/],
    [
      'a token with a break',
      'plan FLEET',
      { WLANCTL_API_TOKEN: `${TOKEN}\n${TOKEN}` },
      /line break/
    ],
    [
      'an address with credentials',
      `plan FLEET --base-url https://x:${TOKEN}@a.b`,
      {},
      /user name/
    ],
    ['an address with a query', `plan FLEET --base-url https://a.b/?${TOKEN}`, {}, /query/],
    [
      'no secrets',
      'apply FLEET --yes',
      { WLAN_SECRET_JSON: '', WLANCTL_SECRETS_DIR: '' },
      /no sec/
    ],
    ['two accounts', 'plan FLEET --token-file x', {}, /one source of credentials/],
    [
      'a proxy with credentials',
      'plan FLEET --base-url https://a.invalid',
      { HTTPS_PROXY: `ftp://u:${TOKEN}@x` },
      /HTTPS_PROXY/
    ]
  ])('%s', async (_, line, change, says) => {
    const made = await trial()
    await expectSealed(made, made.run(line, change), 3, says)
  })

  it('a saved plan with an edited secret leaks nothing', async () => {
    const made = await trial()
    const { code } = await made.run('plan FLEET --out plan.json')
    expect(code).toBe(0)
    const file = made.write(
      'plan.json',
      JSON.stringify({ format: 'wlanctl-plan/1', digest: keys.json })
    )
    await expectSealed(made, made.run(`show ${file}`), 3, /damaged/)
  })
})

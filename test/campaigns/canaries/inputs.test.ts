import { afterEach, describe, expect, it } from 'vitest'
import { HQ } from '../../simulator/simulate.ts'
import { expectUnpolluted } from '../unpolluted.ts'
import { keys, TOKEN } from './secrets.ts'
import { expectSealed, trial } from './trial.ts'

afterEach(expectUnpolluted)

const head = `site: { id: ${HQ}, name: hq }\n`
const clear = JSON.stringify(keys.json)
const secret = `'${keys.percent}'`

type Fleet = readonly [what: string, yaml: string, policy: string, code: number]

/** Invalid fleets, and fleets with a plaintext secret. */
const fleets: readonly Fleet[] = [
  ...(['error', 'warn', 'allow'] as const).map(
    (policy): Fleet => [
      `a plaintext secret (${policy})`,
      `wlans:\n  json:\n    ssid: json\n    auth: { psk: ${clear} }\n`,
      `policy: { plaintext_secrets: ${policy} }\n`,
      policy === 'error' ? 3 : 0
    ]
  ),
  [
    'a plaintext variable',
    `wlans: { json: { ssid: json, auth: { psk: { $var: key } } } }\n`,
    '',
    3
  ],
  [
    'a variable in a format',
    `wlans: { json: { ssid: json, auth: { psk: { $format: "{key}x" } } } }\n`,
    '',
    3
  ],
  ['a syntax error on its line', `wlans: { json: { auth: { psk: ${secret} ]\n`, '', 3],
  ['a syntax error after it', `wlans:\n  json:\n    auth: { psk: ${secret} }\n   ssid: x\n`, '', 3],
  ['an unknown tag', `wlans: { json: { ssid: json, auth: { psk: !secret ${secret} } } }\n`, '', 3],
  [
    'a duplicate key',
    `wlans: { json: { ssid: json, auth: { psk: ${secret}, psk: ${clear} } } }\n`,
    '',
    3
  ],
  ['a list', `wlans: { json: { ssid: json, auth: { psk: [${secret}, ${clear}] } } }\n`, '', 3],
  ['a map', `wlans: { json: { ssid: json, auth: { psk: { x: ${secret} } } } }\n`, '', 3],
  [
    'an invalid reference',
    `wlans: { json: { ssid: json, auth: { psk: { $env: ${secret} } } } }\n`,
    '',
    3
  ],
  [
    'a missing file',
    `wlans: { json: { ssid: json, auth: { psk: { $file: '/${keys.percent}' } } } }\n`,
    '',
    3
  ],
  [
    'an alias',
    `wlans:\n  json: { ssid: json, auth: { psk: &k ${secret} }, wxtag_ids: [*k] }\n`,
    '',
    3
  ],
  ['an unknown sibling', `wlans: { json: { auth: { psk: ${secret}, pks: 1 } } }\n`, '', 3],
  [
    'a violated rule',
    `wlans: { json: { ssid: json, dtim: 7, auth: { psk: { $env: WLAN_SECRET_JSON } } } }\n`,
    'policy:\n  rules:\n    - { name: r, message: m, require: { properties: { dtim: { maximum: 3 }, auth: { maxProperties: 0 } } } }\n',
    4
  ]
]

describe('invalid files leak nothing', () => {
  it.each(fleets)('%s', async (_, yaml, policy, code) => {
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
      'a token file for all',
      'plan FLEET --token-file ../TOKEN',
      {},
      /one source of credentials|chmod/
    ],
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

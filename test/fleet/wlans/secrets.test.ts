import { describe, expect, it, test } from 'vitest'
import type { Finding } from '../../../src/core/model/finding.ts'
import { Secret } from '../../../src/core/values/secret.ts'
import type { Value } from '../../../src/core/values/value.ts'
import { secretSource } from '../../../src/fleet/secrets/source.ts'
import { HQ, indent, lines, load, loaded } from '../fleet.ts'

const PSK = 'correct horse'
const env = { WLAN_SECRET_A: PSK, WLAN_SECRET_SHORT: 'short', WLAN_SECRET_EMPTY: '', HOME: '/root' }
const secrets = secretSource({ env, prefix: 'WLAN_SECRET_' })

const fleet = (wlan: string, policy = '') => ({
  'hq.yaml': `${HQ}  w:\n${indent(wlan)}`,
  ...(policy === '' ? {} : { 'p.yaml': `policy: { plaintext_secrets: ${policy} }\n` })
})

/** Expects that no output contains a secret. */
function expectNoSecret(findings: readonly Finding[], secret: string): void {
  expect(JSON.stringify(findings)).not.toContain(secret)
}

function pskIn(wlan: Readonly<Record<string, Value>> | undefined): unknown {
  const auth = wlan?.['auth']
  return auth !== null && typeof auth === 'object' && 'psk' in auth ? auth['psk'] : undefined
}

describe('references', () => {
  test.each<[what: string, wlan: string, ...findings: string[]]>([
    ['one that resolves', 'ssid: a\nauth: { psk: { $env: WLAN_SECRET_A } }\n'],
    [
      'one that is not set',
      'ssid: a\nauth: { psk: { $env: WLAN_SECRET_B } }\n',
      'hq.yaml:8:18 SECRET_UNRESOLVED? wlans.w.auth.psk'
    ],
    ['one with a version', 'ssid: a\nauth: { psk: { $env: WLAN_SECRET_A, $version: 3 } }\n'],
    ['a version first', 'ssid: a\nauth: { psk: { $version: 3, $env: WLAN_SECRET_A } }\n'],
    ...['0', '-1', '1.5', '"2"', 'true', '~', '[1]'].map((version): [string, string, string] => [
      `the version ${version}`,
      `ssid: a\nauth: { psk: { $env: WLAN_SECRET_A, $version: ${version} } }\n`,
      'hq.yaml:8:51 SECRET_VERSION wlans.w.auth.psk.$version'
    ]),
    [
      'a version alone',
      'ssid: a\nauth: { psk: { $version: 3 } }\n',
      'hq.yaml:8:20 SECRET_VERSION wlans.w.auth.psk.$version'
    ],
    [
      'a version of a variable',
      'ssid: a\nauth: { psk: { $var: x, $version: 3 } }\n',
      'hq.yaml:8:20 REFERENCE_NOT_ALONE wlans.w.auth.psk.$var'
    ],
    [
      'a version of two',
      'ssid: a\nauth: { psk: { $env: WLAN_SECRET_A, $file: a, $version: 3 } }\n',
      'hq.yaml:8:20 REFERENCE_NOT_ALONE wlans.w.auth.psk.$env'
    ],
    [
      'one that is empty',
      'ssid: a\nauth: { psk: { $env: WLAN_SECRET_EMPTY } }\n',
      'hq.yaml:8:18 SECRET_UNRESOLVED? wlans.w.auth.psk'
    ],
    [
      'another prefix',
      'ssid: a\nauth: { psk: { $env: HOME } }\n',
      'hq.yaml:8:18 SECRET_REFERENCE wlans.w.auth.psk'
    ],
    [
      'an invalid secret',
      'ssid: a\nauth: { psk: { $env: WLAN_SECRET_SHORT } }\n',
      'hq.yaml:8:18 SECRET_INVALID wlans.w.auth.psk'
    ],
    [
      'a field that is not secret',
      'ssid: { $env: WLAN_SECRET_A }\n',
      'hq.yaml:7:11 SECRET_MISPLACED wlans.w.ssid'
    ],
    [
      'an unknown field',
      'ssid: a\nurl: { $file: a }\n',
      'hq.yaml:8:10 SECRET_MISPLACED wlans.w.url'
    ],
    [
      'a $match',
      'ssid: a\n$match: { ssid: { $env: WLAN_SECRET_A } }\n',
      'hq.yaml:8:21 SECRET_MISPLACED wlans.w.$match.ssid'
    ]
  ])('%s', async (_what, wlan, ...expected) => {
    const { findings } = await load(fleet(wlan), { secrets })
    expect(lines(findings)).toEqual(expected)
    expectNoSecret(findings, 'short')
    expectNoSecret(findings, PSK)
  })

  it('may come from a variable, but not with variables of their own', async () => {
    const wlan = 'ssid: a\nauth: { psk: { $var: ref } }\n'
    const vars = 'vars: { ref: { $env: "WLAN_SECRET_{store}" },'
    const files = { 'hq.yaml': fleet(wlan)['hq.yaml'].replace('vars: {', vars) }
    const { findings } = await load(files, { secrets })
    expect(lines(findings)).toEqual(['hq.yaml:8:18 VARIABLE_IN_VARIABLE wlans.w.auth.psk'])
    expect(findings[0]?.hint).toBe('use `$env` in the WLAN')
  })

  it('are resolved and registered', async () => {
    const [site] = (
      await loaded(fleet('ssid: a\nauth: { psk: { $env: WLAN_SECRET_A } }\n'), {
        secrets
      })
    ).sites
    const psk = pskIn(site?.wlans[0]?.fields)
    expect(psk).toBeInstanceOf(Secret)
    expect(psk instanceof Secret && psk.reveal()).toBe(PSK)
    expect(JSON.stringify(site)).toContain('{"$env":"WLAN_SECRET_A"}')
  })

  it('stay unknown without an error in a run without secrets', async () => {
    const { desired, findings } = await load(
      fleet('ssid: a\nauth: { psk: { $env: WLAN_SECRET_A } }\n')
    )
    const psk = pskIn(desired?.sites[0]?.wlans[0]?.fields)
    expect(findings).toEqual([])
    expect(psk instanceof Secret && psk.known).toBe(false)
  })

  it('are validated in a run without secrets', async () => {
    const { findings } = await load(fleet('ssid: a\nauth: { psk: { $env: HOME } }\n'))
    expect(lines(findings)).toEqual(['hq.yaml:8:18 SECRET_REFERENCE wlans.w.auth.psk'])
  })

  it('may come from a variable into a secret field', async () => {
    const files = {
      'hq.yaml': `site: { id: 4ac1dcf4-9d8b-4211-95c4-057819f0862b, vars: { psk: { $env: WLAN_SECRET_A } } }
wlans:
  w: { ssid: a, auth: { psk: { $var: psk } } }
  x: { ssid: { $var: psk } }
  y: { ssid: { $format: "{psk}" } }
`
    }
    const { findings } = await load(files, { secrets })
    expect(lines(findings)).toEqual([
      'hq.yaml:4:14 SECRET_MISPLACED wlans.x.ssid',
      'hq.yaml:5:14 FORMAT_NOT_TEXT wlans.y.ssid'
    ])
  })
})

describe('a reference with site variables', () => {
  const psk = (reference: string) => `ssid: a\nauth: { psk: { ${reference} } }\n`
  const vars = 'vars: { city: "Köln-Süd/2", up: "..", own: WLANCTL_API_TOKEN, pre: WLAN_SECRET_,'

  test.each<[reference: string, named: string]>([
    ['$env: "WLAN_SECRET_{store}_PSK"', 'WLAN_SECRET_7_PSK'],
    ['$env: "WLAN_SECRET_{city}"', 'WLAN_SECRET_K_LN_S_D_2'],
    ['$env: "WLAN_SECRET_{up}"', 'WLAN_SECRET___'],
    ['$env: "WLAN_SECRET_{own}"', 'WLAN_SECRET_WLANCTL_API_TOKEN'],
    ['$file: "{city}/psk"', 'K_ln-S_d_2/psk'],
    ['$file: "a/{up}{store}"', 'a/__7']
  ])('%s is %s', async (reference, named) => {
    const files = { 'hq.yaml': fleet(psk(reference))['hq.yaml'].replace('vars: {', vars) }
    const [site] = (await loaded(files)).sites
    expect(Object.values(JSON.parse(JSON.stringify(pskIn(site?.wlans[0]?.fields))))).toEqual([
      named
    ])
  })

  test.each<[what: string, reference: string, finding: string, message: string]>([
    ['an unknown variable', '$env: "WLAN_SECRET_{stor}"', 'VARIABLE_UNKNOWN', '"stor"'],
    ['an unknown one of a file', '$file: "{stor}"', 'VARIABLE_UNKNOWN', '"stor"'],
    ['a prefix from a variable', '$env: "{pre}A"', 'SECRET_REFERENCE', 'before the first site'],
    ['a part of it', '$env: "WLAN_{pre}A"', 'SECRET_REFERENCE', 'starts with WLAN_SECRET_'],
    ['the token', '$env: "{own}"', 'SECRET_REFERENCE', 'reserved'],
    ['nothing after the prefix', '$env: "WLAN_SECRET_{none}"', 'SECRET_REFERENCE', 'starts with'],
    ['a parent', '$file: "../{store}"', 'SECRET_REFERENCE', 'without `.`, `..`'],
    ['a parent from nothing', '$file: "..{none}/a"', 'SECRET_REFERENCE', 'without `.`, `..`'],
    ['a directory', '$file: "a/{none}"', 'SECRET_REFERENCE', 'without `.`, `..`'],
    ['a list', '$env: "WLAN_SECRET_{bands}"', 'FORMAT_NOT_TEXT', '"bands"'],
    ['nothing', '$env: "WLAN_SECRET_{nothing}"', 'FORMAT_NOT_TEXT', '"nothing"'],
    ['an open brace', '$env: "WLAN_SECRET_{store"', 'FORMAT_BROKEN', '`$env` has'],
    ['braces of the service', '$env: "WLAN_SECRET_{{x}}"', 'SECRET_REFERENCE', 'letters, digits']
  ])('is rejected for %s', async (_what, reference, code, message) => {
    const more = vars.replace('vars: {', 'vars: { none: "",')
    const files = { 'hq.yaml': fleet(psk(reference))['hq.yaml'].replace('vars: {', more) }
    const { findings } = await load(files, { secrets })
    expect(lines(findings)).toEqual([`hq.yaml:8:18 ${code} wlans.w.auth.psk`])
    expect(findings[0]?.message).toContain(message)
  })

  it('is rejected in a field that is not secret', async () => {
    const { findings } = await load(fleet('ssid: { $env: "WLAN_SECRET_{stor}" }\n'))
    expect(lines(findings)).toEqual(['hq.yaml:7:11 SECRET_MISPLACED wlans.w.ssid'])
  })
})

describe('a plaintext secret', () => {
  const inClear = 'hq.yaml:8:18 SECRET_IN_CLEAR wlans.w.auth.psk'

  test.each<[what: string, wlan: string, policy: string, ...findings: string[]]>([
    ['is an error', `ssid: a\nauth: { psk: ${PSK} }\n`, '', inClear],
    [
      'is a warning',
      `ssid: a\nauth: { psk: ${PSK} }\n`,
      'warn',
      'hq.yaml:8:18 SECRET_IN_CLEAR? wlans.w.auth.psk'
    ],
    ['is let through', `ssid: a\nauth: { psk: ${PSK} }\n`, 'allow'],
    [
      'is checked as well',
      'ssid: a\nauth: { psk: short }\n',
      'allow',
      'hq.yaml:8:18 SECRET_INVALID wlans.w.auth.psk'
    ],
    [
      'is found in a number',
      'ssid: a\nauth: { psk: 12345678 }\n',
      'allow',
      'hq.yaml:8:18 FIELD_TYPE wlans.w.auth.psk'
    ],
    [
      'is no number',
      'ssid: a\nauth: { psk: 12345678 }\n',
      '',
      'hq.yaml:8:18 FIELD_TYPE wlans.w.auth.psk',
      inClear
    ],
    [
      'is found in a list',
      'ssid: a\nauth: { keys: [~, "", abcdefabcd] }\n',
      '',
      'hq.yaml:8:27 SECRET_IN_CLEAR wlans.w.auth.keys[2]'
    ],
    [
      'is found in a format',
      'ssid: a\nauth: { psk: { $format: "password{store}" } }\n',
      '',
      inClear
    ]
  ])('%s', async (_what, wlan, policy, ...expected) => {
    const { findings } = await load(fleet(wlan, policy))
    expect(lines(findings)).toEqual(expected)
    for (const secret of [PSK, 'short', '12345678', 'abcdefabcd', 'password7']) {
      expectNoSecret(findings, secret)
    }
  })

  it('is reported with the name of the variable that sets it', async () => {
    const { findings } = await load({
      'hq.yaml': `site: { id: 4ac1dcf4-9d8b-4211-95c4-057819f0862b, vars: { psk: ${PSK} } }
wlans:
  w: { ssid: a, auth: { psk: { $var: psk } } }
`
    })
    expect(lines(findings)).toEqual(['hq.yaml:3:30 SECRET_IN_CLEAR wlans.w.auth.psk'])
    expect(findings[0]?.message).toContain('"psk"')
    expectNoSecret(findings, PSK)
  })

  it('becomes a secret without a source', async () => {
    const [site] = (await loaded(fleet(`ssid: a\nauth: { psk: ${PSK} }\n`, 'allow'))).sites
    expect(JSON.stringify(site)).toContain('{"$plaintext":true}')
    expect(JSON.stringify(site)).not.toContain(PSK)
  })

  it('is not quoted by YAML errors', async () => {
    for (const psk of [
      '*hunter22',
      '!hunter22',
      '@hunter22',
      '{hunter22}',
      '[hunter22',
      '"hunter22',
      '0123456789',
      '99999999999999999999',
      '{ $env: hunter22 }',
      '{ $file: /hunter22 }',
      '{ $env: hunter22, $file: x }'
    ]) {
      const { findings } = await load(fleet(`ssid: a\nauth: { psk: ${psk} }\n`))
      expect(findings.length, psk).toBeGreaterThan(0)
      expect(JSON.stringify(findings), psk).not.toMatch(/hunter22|0123456789|99999999/)
    }
  })
})

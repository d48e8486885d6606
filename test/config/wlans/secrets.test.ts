import { describe, expect, it, test } from 'vitest'
import type { Finding } from '../../../src/model/finding.ts'
import { Secret } from '../../../src/model/secret.ts'
import type { Value } from '../../../src/model/value.ts'
import { secretSource } from '../../../src/secrets/source.ts'
import { HQ, indent, lines, load, loaded } from '../fleet.ts'

const PSK = 'correct horse'
const env = { WLAN_SECRET_A: PSK, WLAN_SECRET_SHORT: 'short', WLAN_SECRET_EMPTY: '', HOME: '/root' }
const secrets = secretSource({ env, prefix: 'WLAN_SECRET_' })

const fleet = (wlan: string, policy = '') => ({
  'hq.yaml': `${HQ}  w:\n${indent(wlan)}`,
  ...(policy === '' ? {} : { 'p.yaml': `policy: { plaintext_secrets: ${policy} }\n` })
})

/** Nothing that a run shows may hold a secret. */
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
    [
      'one that is empty',
      'ssid: a\nauth: { psk: { $env: WLAN_SECRET_EMPTY } }\n',
      'hq.yaml:8:18 SECRET_UNRESOLVED? wlans.w.auth.psk'
    ],
    [
      'a name that objects have',
      'ssid: a\nauth: { psk: { $env: toString } }\n',
      'hq.yaml:8:18 SECRET_REFERENCE wlans.w.auth.psk'
    ],
    [
      'another prefix',
      'ssid: a\nauth: { psk: { $env: HOME } }\n',
      'hq.yaml:8:18 SECRET_REFERENCE wlans.w.auth.psk'
    ],
    [
      'a file without a directory',
      'ssid: a\nauth: { psk: { $file: a } }\n',
      'hq.yaml:8:18 SECRET_UNRESOLVED? wlans.w.auth.psk'
    ],
    [
      'a file above the directory',
      'ssid: a\nauth: { psk: { $file: ../a } }\n',
      'hq.yaml:8:18 SECRET_REFERENCE wlans.w.auth.psk'
    ],
    [
      'a value that is unfit',
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
    ],
    [
      'in a list',
      'ssid: a\nauth_servers: [{ host: a, secret: { $env: HOME } }]\n',
      'hq.yaml:8:39 SECRET_REFERENCE wlans.w.auth_servers[0].secret'
    ]
  ])('%s', async (_what, wlan, ...expected) => {
    const { findings } = await load(fleet(wlan), { secrets })
    expect(lines(findings)).toEqual(expected)
    expectNoSecret(findings, 'short')
    expectNoSecret(findings, PSK)
  })

  it('are followed, and known afterwards', async () => {
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

  it('stay unknown and silent in a run that has no secrets', async () => {
    const { desired, findings } = await load(
      fleet('ssid: a\nauth: { psk: { $env: WLAN_SECRET_A } }\n')
    )
    const psk = pskIn(desired?.sites[0]?.wlans[0]?.fields)
    expect(findings).toEqual([])
    expect(psk instanceof Secret && psk.known).toBe(false)
  })

  it('are checked even then', async () => {
    const { findings } = await load(fleet('ssid: a\nauth: { psk: { $env: HOME } }\n'))
    expect(lines(findings)).toEqual(['hq.yaml:8:18 SECRET_REFERENCE wlans.w.auth.psk'])
  })

  it('may be given by a variable, to a secret field', async () => {
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

describe('a secret in clear', () => {
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

  it('is reported where a variable gives it, with the name of the variable', async () => {
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

  it('becomes a secret that names no source', async () => {
    const [site] = (await loaded(fleet(`ssid: a\nauth: { psk: ${PSK} }\n`, 'allow'))).sites
    expect(JSON.stringify(site)).toContain('{"$plaintext":true}')
    expect(JSON.stringify(site)).not.toContain(PSK)
  })

  it('is not shown by YAML errors', async () => {
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

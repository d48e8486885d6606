import { describe, expect, it, test } from 'vitest'
import type { Finding } from '../../../src/core/model/finding.ts'
import { Secret } from '../../../src/core/values/secret.ts'
import type { Value } from '../../../src/core/values/value.ts'
import { secretSource } from '../../../src/fleet/secrets/source.ts'
import { tablesIn } from '../../support/tables.ts'
import { HQ, indent, lines, load, loaded } from '../fleet.ts'

const tables = tablesIn<{
  readonly references: readonly [what: string, wlan: string, ...findings: string[]][]
  readonly named: readonly [reference: string, named: string][]
  readonly rejected: readonly [what: string, reference: string, code: string, message: string][]
  readonly plaintext: readonly [what: string, wlan: string, policy: string, ...findings: string[]][]
}>(import.meta.dirname, 'secrets.yaml')

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
  test.each(tables.references)('%s', async (_what, wlan, ...expected) => {
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

  test.each(tables.named)('%s is %s', async (reference, named) => {
    const files = { 'hq.yaml': fleet(psk(reference))['hq.yaml'].replace('vars: {', vars) }
    const [site] = (await loaded(files)).sites
    expect(Object.values(JSON.parse(JSON.stringify(pskIn(site?.wlans[0]?.fields))))).toEqual([
      named
    ])
  })

  test.each(tables.rejected)('is rejected for %s', async (_what, reference, code, message) => {
    const more = vars.replace('vars: {', 'vars: { none: "",')
    const files = { 'hq.yaml': fleet(psk(reference))['hq.yaml'].replace('vars: {', more) }
    const { findings } = await load(files, { secrets })
    expect(lines(findings)).toEqual([`hq.yaml:8:18 ${code} wlans.w.auth.psk`])
    expect(findings[0]?.message).toContain(message)
  })
})

describe('a plaintext secret', () => {
  test.each(tables.plaintext)('%s', async (_what, wlan, policy, ...expected) => {
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

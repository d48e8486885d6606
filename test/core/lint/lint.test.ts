import { describe, expect, test } from 'vitest'
import { explainRule } from '../../../src/core/lint/catalogue.ts'
import { findingsOf, Linter, lint } from '../../../src/core/lint/lint.ts'
import type { LintWlan } from '../../../src/core/lint/view.ts'
import type { LintPolicy } from '../../../src/core/model/desired.ts'
import { Pair } from '../../../src/core/model/pairs.ts'
import { Secret } from '../../../src/core/values/secret.ts'
import type { ValueObject } from '../../../src/core/values/value.ts'
import { CANARY, corp, psk, readRows, type Scenario, scenarioOf, sitesOf } from './scenario.ts'

const all: LintPolicy = { level: 'info', rules: {}, strict: false }

/** The findings as `rule level`, with `existing` for those that the live state already has. */
function found(scenario: Scenario, policy: LintPolicy = all): string[] {
  return lint(sitesOf(scenario), policy).map(({ rule, level, existing }) =>
    [rule, level, ...(existing ? ['existing'] : [])].join(' ')
  )
}

describe('a finding', () => {
  test('names the WLAN, the values with their origins, and the fix', () => {
    const scenario = scenarioOf({
      declared: { auth_servers: [] },
      live: { ...psk, 'auth.type': 'eap', vlan_enabled: true, vlan_id: 7 }
    })
    const detail =
      'auth.type is "eap" (live), auth_servers is empty (declared), mist_nac.enabled is false (default), radsec.enabled is empty (live)'
    expect(lint(sitesOf(scenario), all)).toEqual([
      {
        rule: 'eap-without-servers',
        level: 'error',
        site: 'store-0',
        wlan: 'net',
        fields: ['/auth/type', '/auth_servers', '/mist_nac/enabled', '/radsec/enabled'],
        message: `802.1X has no RADIUS server: ${detail}`,
        detail,
        advice: 'declare `auth_servers`, or turn on `mist_nac` or `radsec`',
        existing: true
      }
    ])
  })

  test('about a secret shows that it is set, and is marked as about a secret', () => {
    const key = Secret.live('12345678')
    const scenario = scenarioOf({
      live: { ...psk, 'auth.psk': key, vlan_enabled: true, vlan_id: 7 }
    })
    expect(lint(sitesOf(scenario), all)).toMatchObject([
      {
        rule: 'weak-key',
        message:
          'the key is common, digits alone, one character repeated, or contains the SSID: auth.psk is set (live)',
        fromSecret: true
      }
    ])
  })

  test('about a site has no WLAN', () => {
    const rows = Array.from({ length: 5 }, (_, n) => ({
      live: { ...corp, ssid: `Net ${n}`, bands: ['5'], apply_to: 'site' }
    }))
    const [finding] = lint(sitesOf(scenarioOf({ site: rows })), all)
    expect(finding).toMatchObject({ rule: 'too-many-ssids', site: 'store-0' })
    expect(finding).not.toHaveProperty('wlan')
  })
})

/** A change, and its findings. */
interface Change {
  readonly declared: ValueObject
  readonly live: ValueObject
  readonly found: readonly string[]
}

const changes = readRows(import.meta.dirname, 'scenarios/changes.yaml') as Record<string, Change>

describe('an introduced or existing finding', () => {
  test.each(Object.entries(changes))('%s', (_, { declared, live: before, found: expected }) => {
    expect(found(scenarioOf({ declared, live: { ...corp, ...before } }))).toEqual(expected)
  })

  const wide = { ...corp, apply_to: 'site' }
  const wlan = (
    name: string,
    declared: ValueObject | undefined,
    before: ValueObject
  ): LintWlan => ({
    name,
    declared,
    live: { ...wide, ...before }
  })

  test('of a relation within a site is introduced by a rename', () => {
    const renamed = [
      wlan('a', undefined, { ssid: 'Corp' }),
      wlan('b', { ssid: 'Corp' }, { ssid: 'Old' })
    ]
    const there = [wlan('a', undefined, { ssid: 'Corp' }), wlan('b', { dtim: 3 }, { ssid: 'Corp' })]
    expect(found({ sites: [renamed] })).toEqual([
      'duplicate-ssid warning',
      'duplicate-ssid warning'
    ])
    expect(found({ sites: [there] })).toEqual([
      'duplicate-ssid warning existing',
      'duplicate-ssid warning existing'
    ])
  })

  test('of a relation across sites is introduced by a change of security', () => {
    const eap = (declared?: ValueObject) => [wlan('a', declared, { ssid: 'Corp' })]
    const psk = { auth: { type: 'psk', psk: new Secret({ $env: 'WLAN_SECRET_KEY' }, CANARY) } }
    expect(found({ sites: [eap(), eap(), eap(psk)] })).toEqual(['same-ssid-other-security warning'])
    const was = [wlan('a', { dtim: 3 }, { ssid: 'Corp', ...psk })]
    expect(found({ sites: [eap(), eap(), was] })).toEqual([
      'same-ssid-other-security warning existing'
    ])
  })
})

describe('a policy', () => {
  const scenario = scenarioOf({ declared: { dtim: 50 }, live: { ...corp, bands: ['24'] } })

  test.each<[Partial<LintPolicy>, string[]]>([
    [{}, ['slow-rates info existing', 'dtim-unfit warning']],
    [{ level: 'warning' }, ['dtim-unfit warning']],
    [{ level: 'error' }, []],
    [{ level: 'error', rules: { 'slow-rates': 'error' } }, ['slow-rates error existing']],
    [{ rules: { 'slow-rates': 'off', 'dtim-unfit': 'info' } }, ['dtim-unfit info']]
  ])('%o', (policy, expected) => {
    expect(found(scenario, { ...all, ...policy })).toEqual(expected)
  })
})

describe('the linter', () => {
  test('has the same findings site by site as for the fleet', () => {
    const sites = sitesOf({
      sites: [
        [{ name: 'a', live: { ...corp, ssid: 'Corp' } }],
        [{ name: 'b', live: { ...corp, ssid: 'corp' } }]
      ]
    })
    const linter = new Linter(all)
    const findings = [...sites.flatMap(each => findingsOf(linter, each)), ...linter.lintFleet()]
    expect(findings).toEqual(lint(sites, all))
    expect(findings).toMatchObject([{ rule: 'ssid-lookalike', site: 'store-1', wlan: 'b' }])
  })

  test('names the WLANs of each site where sites share what they have in common', () => {
    const pairs = [new Pair(), new Pair()]
    const live = { ...corp, apply_to: 'site' }
    const named = (names: readonly string[]) =>
      names.map((name, place) => ({ name, live, pair: pairs[place] }))
    const found = lint(sitesOf({ sites: [named(['a', 'b']), named(['c', 'd'])] }), all)
    const twice = found.filter(({ rule }) => rule === 'duplicate-ssid')
    expect(twice.map(({ site, wlan, message }) => [site, wlan, message])).toEqual([
      ['store-0', 'b', expect.stringContaining('"Corp" is also the SSID of "a"')],
      ['store-0', 'a', expect.stringContaining('"Corp" is also the SSID of "b"')],
      ['store-1', 'd', expect.stringContaining('"Corp" is also the SSID of "c"')],
      ['store-1', 'c', expect.stringContaining('"Corp" is also the SSID of "d"')]
    ])
  })

  test('compares WLANs with sites that are only added', () => {
    const [first, second] = sitesOf({
      sites: [
        [{ name: 'a', live: { ...corp, ssid: 'Corp' } }],
        [{ name: 'b', live: { ...corp, ssid: 'corp' } }]
      ]
    })
    const linter = new Linter(all)
    if (first !== undefined) linter.addSite(first)
    if (second !== undefined) linter.addSite(second)
    expect(linter.lintFleet()).toMatchObject([{ rule: 'ssid-lookalike', site: 'store-1' }])
  })

  test('prints the explanations of rules by id only', () => {
    expect(explainRule('constructor')).toBeUndefined()
    expect(explainRule('duplicate-ssid')).toMatchObject({ scope: 'site', severity: 'warning' })
  })
})

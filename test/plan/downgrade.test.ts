import { describe, expect, test } from 'vitest'
import type { ValueObject } from '../../src/model/value.ts'
import { diff } from '../../src/plan/diff.ts'
import { downgradesOf } from '../../src/plan/impact.ts'
import { downgradeRefusal } from '../../src/plan/limits.ts'
import { assemble, planSite } from '../../src/plan/plan.ts'
import { context, desiredSite, env, live, liveSite, nth, record, wlan } from './support.ts'

/** The fields that get less safe when a live record is brought to what is declared. */
function downgrades(live: object, declared: ValueObject) {
  return downgradesOf(diff(declared, record(live)).patch)
}

type Case = readonly [what: string, live: object, declared: ValueObject, fields: readonly string[]]

const type = ['/auth/type']
const pairwise = ['/auth/pairwise']

describe('a field with safer values', () => {
  test.each<Case>([
    ['a key that goes', { auth: { type: 'psk' } }, { auth: { type: 'open' } }, type],
    ['802.1X that goes', { auth: { type: 'eap' } }, { auth: { type: 'open' } }, type],
    ['802.1X for a key', { auth: { type: 'eap192' } }, { auth: { type: 'psk' } }, type],
    ['a key for WEP', { auth: { type: 'psk' } }, { auth: { type: 'wep' } }, type],
    ['a key for one with TKIP', { auth: { type: 'psk' } }, { auth: { type: 'psk-tkip' } }, type],
    ['isolation off', { isolation: true }, { isolation: false }, ['/isolation']],
    [
      'isolation off at layer 2',
      { l2_isolation: true },
      { l2_isolation: false },
      ['/l2_isolation']
    ],
    [
      'encryption without a key that is not required any more',
      { auth: { owe: 'required' } },
      { auth: { owe: 'enabled' } },
      ['/auth/owe']
    ],
    [
      'a check that is switched off',
      { disable_message_authenticator_check: false },
      { disable_message_authenticator_check: true },
      ['/disable_message_authenticator_check']
    ],
    [
      'WEP beside it',
      { auth: { wep_as_secondary_auth: false } },
      { auth: { wep_as_secondary_auth: true } },
      ['/auth/wep_as_secondary_auth']
    ],
    [
      'several of them, sorted',
      { isolation: true, auth: { type: 'psk', owe: 'required' } },
      { isolation: false, auth: { type: 'open', owe: 'disabled' } },
      ['/auth/owe', '/auth/type', '/isolation']
    ]
  ])('gets less safe: %s', (_, before, declared, fields) => {
    expect(downgrades(before, declared)).toEqual(fields)
  })

  test.each<Case>([
    ['it gets safer', { auth: { type: 'open' } }, { auth: { type: 'psk' } }, []],
    ['it stays', { auth: { type: 'open' } }, { auth: { type: 'open' } }, []],
    ['nobody declared it', { isolation: true, vlan_id: 1 }, { vlan_id: 2 }, []],
    ['the new value is unknown', { auth: { type: 'psk' } }, { auth: { type: 'sae' } }, []],
    ['the old value is unknown', { auth: { type: 'sae' } }, { auth: { type: 'open' } }, []],
    ['none is safer', { hide_ssid: true }, { hide_ssid: false }, []],
    ['its secret changes', { auth: { psk: 'a' } }, { auth: { psk: env('b') } }, []],
    ['it is none of ours', { brand_isolation: true }, { brand_isolation: false }, []]
  ])('does not where %s', (_, before, declared, fields) => {
    expect(downgrades(before, declared)).toEqual(fields)
  })
})

describe('what is absent or empty counts as the default', () => {
  test.each<Case>([
    ['null after', { isolation: true }, { isolation: null }, ['/isolation']],
    ['empty after', { auth: { type: 'psk' } }, { auth: { type: '' } }, type],
    ['its object null after', { auth: { type: 'psk' } }, { auth: null }, type],
    [
      'safe by default, and absent before',
      {},
      { auth: { wep_as_secondary_auth: true } },
      ['/auth/wep_as_secondary_auth']
    ],
    ['unsafe by default, and absent before', {}, { auth: { type: 'open' } }, []],
    [
      'without a default, null after',
      { radsec: { enabled: true } },
      { radsec: null },
      ['/radsec/enabled']
    ],
    ['without a default, absent before', {}, { radsec: { enabled: false } }, []],
    ['ciphers absent before', {}, { auth: { pairwise: ['wpa2-ccmp', 'wpa2-tkip'] } }, pairwise]
  ])('%s', (_, before, declared, fields) => {
    expect(downgrades(before, declared)).toEqual(fields)
  })
})

describe('a list of ciphers is as safe as the weakest', () => {
  const ciphers = (...names: string[]) => ({ auth: { pairwise: names } })

  test.each<Case>([
    ['TKIP added', ciphers('wpa2-ccmp'), ciphers('wpa2-ccmp', 'wpa2-tkip'), pairwise],
    ['WPA1 added', ciphers('wpa2-ccmp'), ciphers('wpa1-ccmp', 'wpa2-ccmp'), pairwise],
    ['TKIP in place of WPA3', ciphers('wpa3'), ciphers('wpa2-tkip'), pairwise],
    ['one that is as strong', ciphers('wpa3'), ciphers('wpa3', 'wpa2-ccmp'), []],
    ['an unknown one added', ciphers('wpa3'), ciphers('wpa3', 'wpa4'), []],
    ['only one that nobody knows', ciphers('wpa3'), ciphers('wpa4'), []],
    ['a strong one added', ciphers('wpa2-ccmp'), ciphers('wpa2-ccmp', 'wpa3'), []],
    ['a strong one gone', ciphers('wpa2-ccmp', 'wpa3'), ciphers('wpa2-ccmp'), []],
    ['a weak one gone', ciphers('wpa1-tkip', 'wpa3'), ciphers('wpa3'), []]
  ])('%s', (_, before, declared, fields) => {
    expect(downgrades(before, declared)).toEqual(fields)
  })
})

describe('the servers of a list', () => {
  const strict = { host: 'a', require_message_authenticator: true }
  const place = (n: number) => [`/auth_servers/${n}/require_message_authenticator`]

  test.each<readonly [what: string, before: object[], after: ValueObject[], fields: string[]]>([
    [
      'one that gets lax',
      [strict],
      [{ ...strict, require_message_authenticator: false }],
      place(0)
    ],
    [
      'that one behind another',
      [strict],
      [{ host: 'b' }, { ...strict, require_message_authenticator: null }],
      place(1)
    ],
    ['another order', [strict, { host: 'b' }], [{ host: 'b' }, { host: 'a' }], []],
    ['one that goes', [strict, { host: 'b' }], [{ host: 'b' }], []],
    ['a new one that is as by default', [strict], [{ host: 'c' }], []]
  ])('are told apart by their key: %s', (_, before, after, fields) => {
    expect(downgrades({ auth_servers: before }, { auth_servers: after })).toEqual(fields)
  })

  test('are held against the defaults where they are new', () => {
    const declared = { coa_servers: [{ ip: '10.0.0.1', disable_event_timestamp_check: true }] }
    expect(downgrades({}, declared)).toEqual(['/coa_servers/0/disable_event_timestamp_check'])
  })
})

describe('a plan', () => {
  const declared = { isolation: false, auth: { type: 'open' } }
  const made = (policy = {}) => {
    const sites = [
      planSite(
        desiredSite([wlan(declared), wlan({ ssid: 'Guest', vlan_id: 2 }, { key: 'guest' })]),
        liveSite([
          live({ isolation: true, auth: { type: 'eap' } }),
          live({ ssid: 'Guest', vlan_id: 1 }, nth(2))
        ])
      )
    ]
    return assemble(sites, context(policy))
  }
  const fields = ['/auth/type', '/isolation']

  test('has the fields in the change, and says that `apply` would refuse it', () => {
    const plan = made()
    expect(plan.changes.map(({ downgrades }) => downgrades)).toEqual([fields, undefined])
    expect(plan.findings).toMatchObject([
      { code: 'DOWNGRADE', level: 'warning', address: 'hq/corp', place: { line: 3 } }
    ])
  })

  test('does not say so where the policy allows it', () => {
    const plan = made({ allowDowngrade: true })
    expect(plan.changes[0]?.downgrades).toEqual(fields)
    expect(plan.findings).toEqual([])
  })

  test('has the same digest with and without the consent', () => {
    expect(made({ allowDowngrade: true }).digest).toBe(made().digest)
  })
})

describe('a refusal', () => {
  const change = (n: number, downgrades?: readonly string[]) => {
    const { changes } = assemble(
      [planSite(desiredSite([wlan({ vlan_id: 2 })]), liveSite([live({ vlan_id: 1 })]))],
      context()
    )
    const [made] = changes
    if (made === undefined) throw new Error('there is no change')
    return { ...made, address: `hq/w${n}`, ...(downgrades && { downgrades }) }
  }

  test('names the WLANs, the fields and the ways out', () => {
    const refused = downgradeRefusal([change(1, ['/isolation', '/auth/type']), change(2)])
    expect(refused?.message).toContain('hq/w1 (/isolation, /auth/type)')
    expect(refused?.message).not.toContain('hq/w2')
    expect(refused?.hint).toMatch(/--allow-downgrade.*policy\.allow_downgrade/)
  })

  test('counts what it does not name', () => {
    const many = Array.from({ length: 13 }, (_, n) => change(n, ['/isolation']))
    expect(downgradeRefusal(many)?.message).toMatch(/hq\/w9 .* and 3 other WLANs$/)
  })

  test('is none where nothing gets less safe', () => {
    expect(downgradeRefusal([change(1)])).toBeUndefined()
  })
})

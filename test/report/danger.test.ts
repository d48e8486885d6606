import { describe, expect, it, test } from 'vitest'
import type { Change, PatchOperation } from '../../src/model/plan.ts'
import { Secret } from '../../src/model/secret.ts'
import type { Value } from '../../src/model/value.ts'
import { dangerKey, dangersOf, leadingFields } from '../../src/report/danger.ts'
import { changeOf } from './plans.ts'

const secret = new Secret({ $env: 'WLAN_SECRET_A' }, 'planted')

/** A change of these fields, from live to declared; undefined means absent. */
function change(...fields: readonly (readonly [string, Value | undefined, Value])[]): Change {
  const patch = fields.flatMap(([path, live, declared]): PatchOperation[] => {
    if (live === undefined) return [{ op: 'add', path, value: declared }]
    const replace = { op: 'replace', path, value: declared } as const
    return live instanceof Secret ? [replace] : [{ op: 'test', path, value: live }, replace]
  })
  return changeOf('hq/guest', undefined, {}, { patch })
}

describe('the dangers of a live WLAN', () => {
  test.each<[path: string, live: Value | undefined, declared: Value, dangers: readonly string[]]>([
    ['/enabled', false, true, ['off /enabled']],
    ['/enabled', true, false, []],
    ['/enabled', undefined, true, []],
    ['/auth/type', 'open', 'psk', ['open /auth/type']],
    ['/auth/type', 'open', 'eap', ['open /auth/type']],
    ['/auth/type', undefined, 'psk', ['open /auth/type']],
    ['/auth/type', 'psk', 'eap', []],
    ['/auth/type', 'psk', 'open', []],
    ['/auth', undefined, { type: 'psk' }, ['open /auth']],
    ['/auth', undefined, { type: 'psk', psk: secret }, ['open /auth', 'other-key /auth']],
    ['/auth/owe', 'disabled', 'required', ['open /auth/owe']],
    ['/auth/owe', undefined, 'enabled', ['open /auth/owe']],
    ['/auth/owe', 'enabled', 'required', ['open /auth/owe']],
    ['/auth/owe', 'required', 'enabled', []],
    ['/isolation', false, true, ['not-isolated /isolation']],
    ['/isolation', undefined, true, ['not-isolated /isolation']],
    ['/isolation', true, false, []],
    ['/l2_isolation', false, true, ['not-isolated /l2_isolation']],
    ['/auth/psk', secret, secret, ['other-key /auth/psk']],
    ['/auth/psk', undefined, secret, ['other-key /auth/psk']],
    ['/auth/keys', [], [secret], ['other-key /auth/keys']],
    ['/dynamic_psk/default_psk', secret, secret, ['other-key /dynamic_psk/default_psk']],
    ['/portal/password', secret, secret, []],
    [
      '/portal/external_portal_url',
      'https://evil.example/a',
      'https://ok.example/a',
      ['portal-elsewhere /portal/external_portal_url']
    ],
    ['/portal/external_portal_url', 'https://OK.example/b', 'https://ok.example/a', []],
    ['/portal/external_portal_url', undefined, 'https://ok.example/a', []],
    [
      '/portal/forward_url',
      'https://evil.example',
      'https://ok.example',
      ['portal-elsewhere /portal/forward_url']
    ],
    ['/portal/forward_url', 'evil', 'https://ok.example', ['portal-elsewhere /portal/forward_url']],
    ['/portal/enabled', false, true, ['portal-off /portal/enabled']],
    ['/portal', undefined, { enabled: true }, ['portal-off /portal']],
    ['/portal/enabled', true, false, []],
    ['/cisco_cwa/enabled', false, true, ['portal-off /cisco_cwa/enabled']],
    ['/vlan_id', 20, 40, []],
    ['/enabled_fields', false, true, []]
  ])('%s %j, declared %j: %j', (path, live, declared, dangers) => {
    const found = dangersOf(change([path, live, declared]))
    expect(found.map(({ kind, pointer }) => `${kind} ${pointer}`)).toEqual(dangers)
  })

  it('are sorted worst first', () => {
    const all = change(
      ['/portal/enabled', false, true],
      ['/auth/psk', secret, secret],
      ['/isolation', false, true],
      ['/auth/type', 'open', 'psk'],
      ['/enabled', false, true]
    )
    expect(dangersOf(all).map(({ kind }) => kind)).toEqual([
      'off',
      'open',
      'not-isolated',
      'other-key',
      'portal-off'
    ])
  })

  it('have a key that sorts more of a worse danger first', () => {
    const keys = [
      dangerKey(['off', 'off']),
      dangerKey(['off', 'portal-off']),
      dangerKey(['off']),
      dangerKey(['open', 'open']),
      dangerKey([undefined])
    ]
    expect([...keys].sort()).toEqual(keys)
  })
})

describe('a truncated list of fields', () => {
  const names = (of: Change, most: number) => leadingFields(of, most).map(({ path }) => path)
  const many = Array.from({ length: 30 }, (_, n) => [`/a${10 + n}`, 1, 2] as const)

  test.each<[what: string, of: Change, most: number, first: readonly string[]]>([
    ['that fits', change(['/a', 1, 2], ['/enabled', false, true]), 2, ['/a', '/enabled']],
    ['with a danger', change(...many, ['/enabled', false, true]), 2, ['/enabled', '/a10']],
    [
      'with more dangers than it is long',
      change(...many, ['/enabled', false, true], ['/isolation', false, true]),
      1,
      ['/enabled', '/isolation']
    ],
    [
      'with the field of the impact',
      { ...change(...many, ['/ssid', 'a', 'b']), impact_fields: ['/ssid'] },
      2,
      ['/ssid', '/a10']
    ],
    [
      'with a danger, a downgrade and the field of the impact',
      {
        ...change(...many, ['/enabled', false, true], ['/owe', 1, 0], ['/ssid', 'a', 'b']),
        impact_fields: ['/ssid'],
        downgrades: ['/owe']
      },
      2,
      ['/enabled', '/owe', '/ssid']
    ],
    ['without any of them', change(...many), 2, ['/a10', '/a11']]
  ])('%s', (_, of, most, first) => {
    expect(names(of, most)).toEqual(first)
  })
})

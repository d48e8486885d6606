import { describe, expect, it } from 'vitest'
import { undeclaredChanges } from '../../../../src/core/plan/undeclared/undeclared-changes.ts'
import { compareUndeclared } from '../../../../src/core/plan/undeclared/undeclared-drift.ts'
import type { ValueObject } from '../../../../src/core/values/value.ts'
import { desiredSite, env, live, liveSite, record, wlan } from '../support.ts'

const names = (declared: ValueObject, after: object, before?: object) =>
  undeclaredChanges({ ssid: 'Corp', ...declared }, record(after), before && record(before))
    .map(({ pointer }) => pointer)
    .sort()

const guest = { portal: { enabled: true, auth: 'multi' } }

describe('the undeclared fields that are not at their default', () => {
  it.each<[what: string, declared: ValueObject, live: object, found: readonly string[]]>([
    ['none', {}, {}, []],
    ['a default, absence, and empty values', {}, { dtim: 2, bands: [], coa_servers: [] }, []],
    ['a number', {}, { max_num_clients: 1 }, ['/max_num_clients']],
    [
      'a switch without a block',
      {},
      { vlan_pooling: true, vlan_enabled: true },
      ['/vlan_enabled', '/vlan_pooling']
    ],
    [
      'a list without a default',
      {},
      { ...guest, portal_allowed_subnets: ['0.0.0.0/0'] },
      ['/portal/auth', '/portal/enabled', '/portal_allowed_subnets']
    ],
    [
      'a member of a declared block',
      guest,
      { portal: { ...guest.portal, email_enabled: true } },
      ['/portal/email_enabled']
    ],
    ['nothing of a block that is off', {}, { portal: { enabled: false, auth: 'sso' } }, []],
    ['nothing that is not in use', {}, { l2_isolation: true }, []],
    ['nothing that is declared', { dtim: 3 }, { dtim: 5 }, []],
    ['nothing of a block that is declared as null', { portal: null }, { ...guest }, []],
    ['nothing read-only, unknown or deprecated', {}, { modified_time: 5, x_new: 1, band: '5' }, []],
    [
      'a day that the declared hours lack',
      { schedule: { enabled: true, hours: { mon: '09:00-17:00' } } },
      { schedule: { enabled: true, hours: { mon: '10:00-17:00', tue: '01:00-02:00', sun: '' } } },
      ['/schedule/hours/sun', '/schedule/hours/tue']
    ],
    [
      'a member of a declared server',
      { auth: { type: 'eap' }, auth_servers: [{ host: 'a', secret: env('s') }] },
      { auth: { type: 'eap' }, auth_servers: [{ host: 'a', secret: 's', keywrap_enabled: true }] },
      ['/auth_servers/0/keywrap_enabled']
    ],
    [
      'a secret',
      { auth: { type: 'psk' } },
      { auth: { type: 'psk', psk: 'a-live-key' } },
      ['/auth/psk']
    ],
    [
      'keys',
      { auth: { type: 'wep' } },
      { auth: { type: 'wep', keys: ['0123456789'] } },
      ['/auth/keys']
    ]
  ])('are %s', (_, declared, after, found) => {
    expect(names(declared, after)).toEqual([...found].sort())
  })
})

describe('the undeclared fields that changed', () => {
  it.each<[what: string, before: object, after: object, found: readonly string[]]>([
    ['nothing', {}, {}, []],
    ['a field that is not a guard', { dtim: 1 }, { dtim: 2 }, ['/dtim']],
    ['a value to its default', { dtim: 3 }, { dtim: 2 }, ['/dtim']],
    ['a value that is not at its default, and stays', { dtim: 3 }, { dtim: 3 }, []],
    ['an absent one and its default', {}, { enabled: true, hide_ssid: false }, []],
    ['null and the default', { bands: null }, { bands: ['6', '5', '24'] }, []],
    [
      'a list that is emptied',
      { auth: { type: 'eap' }, coa_servers: [{ ip: '10.0.0.1' }] },
      { auth: { type: 'eap' }, coa_servers: [] },
      ['/coa_servers']
    ],
    [
      'an absent switch without a default',
      { auth: { type: 'eap' } },
      { auth: { type: 'eap' }, radsec: { enabled: false } },
      []
    ],
    ['another order', { bands: ['5', '24'] }, { bands: ['24', '5'] }, []],
    [
      'another type',
      { vlan_enabled: true, vlan_id: 20 },
      { vlan_enabled: true, vlan_id: '20' },
      []
    ],
    [
      'a portal that goes, and its login',
      { portal: { enabled: true, auth: 'sso' } },
      { portal: { enabled: false, auth: 'multi' } },
      ['/portal/auth', '/portal/enabled']
    ],
    [
      'a guard field that is not in use, and no member of a block that is off',
      { portal: { enabled: false }, l2_isolation: false },
      { portal: { enabled: false, email_enabled: true }, l2_isolation: true },
      ['/l2_isolation']
    ],
    [
      'a block that goes',
      { portal: { enabled: true, auth: 'sso' } },
      {},
      ['/portal/auth', '/portal/enabled']
    ],
    [
      'the host of a server',
      { auth: { type: 'eap' }, auth_servers: [{ host: '10.0.0.1', secret: 'a', port: 1812 }] },
      { auth: { type: 'eap' }, auth_servers: [{ host: '10.0.0.9', secret: 'a', port: 1812 }] },
      ['/auth_servers']
    ],
    [
      'a server with a default that was absent',
      { auth: { type: 'eap' }, auth_servers: [{ host: '10.0.0.1', secret: 'a' }] },
      {
        auth: { type: 'eap' },
        auth_servers: [{ host: '10.0.0.1', secret: 'a', keywrap_enabled: false }]
      },
      []
    ],
    [
      'a day that closes',
      { schedule: { enabled: true } },
      {
        schedule: { enabled: true, hours: { sun: '' } }
      },
      ['/schedule/hours/sun']
    ],
    ['a field that the schema does not know', { x_new: 1 }, { x_new: 2 }, ['/x_new']]
  ])('since a snapshot are %s', (_, before, after, found) => {
    expect(names({}, after, before)).toEqual([...found].sort())
  })

  const changes = (before: object | undefined, after: object) => {
    const earlier = {
      live: liveSite(before ? [live(before)] : []),
      created: '2026-11-20T10:00:00Z'
    }
    const site = desiredSite([wlan({})])
    return compareUndeclared(
      site,
      liveSite([live(after)]),
      { unwatched: 'report' },
      earlier
    ).findings.map(({ message }) => message)
  }

  it.each([
    [{}, { isolation: true }, '/isolation', 'false → true'],
    [{ bands: ['5'] }, { bands: ['24', '5'] }, '/bands', '["5"] → ["24","5"]'],
    [{}, { apply_to: 'aps' }, '/apply_to', 'none → "aps"'],
    [{}, { auth: { type: 'psk', psk: 'a-live-key' } }, '/auth/psk', 'none → (secret)']
  ])('name both values and no secret: %j, %j', (before, after, pointer, values) => {
    expect(changes(before, after)).toContain(
      `${pointer} is not declared, and changed since the snapshot of 2026-11-20T10:00:00Z: ${values}`
    )
  })

  it('are none of a WLAN that did not exist', () => {
    expect(changes(undefined, { enabled: false })).toEqual([])
  })
})

import { describe, expect, it, test } from 'vitest'
import { diff } from '../../../../src/core/diff/diff.ts'
import { matchSite } from '../../../../src/core/diff/match.ts'
import { type Effects, effectsOf } from '../../../../src/core/plan/effects/effects.ts'
import { recordFrom } from '../../../../src/core/plan/effects/transition.ts'
import { planSite } from '../../../../src/core/plan/plan.ts'
import { secretsShownIn } from '../../../../src/core/schema/shown-secrets.ts'
import type { ValueObject } from '../../../../src/core/values/value.ts'
import { withUnknownSecrets } from '../../../../src/files/redacted-secrets.ts'
import { desiredSite, env, live, liveSite, record, wlan } from '../support.ts'

const DRIFT = { isDrift: true }

function change(declared: ValueObject, edited: object) {
  const before = record(edited)
  const { patch, secrets } = diff(declared, before, { secretsShown: secretsShownIn([before]) })
  return { before, patch, secrets }
}

/** The dangers of a live WLAN that is edited to `edited` and declared as `declared`. */
function dangers(declared: ValueObject, edited: object): string[] {
  const { before, patch, secrets } = change(declared, edited)
  return textsOf(effectsOf(patch, before, secrets, DRIFT))
}

function textsOf({ dangers = [] }: Effects): string[] {
  return dangers.map(({ kind, pointer }) => `${kind} ${pointer}`)
}

type Case = readonly [
  what: string,
  declared: ValueObject,
  edited: object,
  dangers: readonly string[]
]

const psk = { type: 'psk' }
const radius = { auth: { type: 'eap' }, auth_servers: [{ host: '10.0.0.1' }] }
const moved = { ...radius, auth_servers: [{ host: '66.6.6.6' }] }
const multi = { enabled: true, auth: 'multi' }

const edits: readonly Case[] = [
  ['switched off', { enabled: true }, { enabled: false }, ['off /enabled']],
  ['switched on', { enabled: false }, { enabled: true, auth: psk }, []],
  [
    'that switches the schedule on',
    { schedule: { enabled: false } },
    { schedule: { enabled: true, hours: { mon: '01:00-02:00' } } },
    ['partly-off /schedule/enabled']
  ],
  [
    'of hours that get narrower',
    { schedule: { enabled: true, hours: { tue: '00:00-23:59' } } },
    { schedule: { enabled: true, hours: { tue: '01:00-02:00' } } },
    ['partly-off /schedule/hours/tue']
  ],
  [
    'of hours that get wider',
    { schedule: { enabled: true, hours: { tue: '01:00-02:00' } } },
    { schedule: { enabled: true, hours: { tue: '00:00-23:59' } } },
    []
  ],
  [
    'to no access point at all',
    { apply_to: 'site' },
    { apply_to: 'aps', ap_ids: [] },
    ['off /apply_to']
  ],
  [
    'to one access point',
    { apply_to: 'site' },
    { apply_to: 'aps', ap_ids: ['00000000-0000-0000-1000-5c5b35000001'] },
    ['partly-off /apply_to']
  ],
  [
    'that empties a scope',
    { apply_to: 'aps', ap_ids: ['00000000-0000-0000-1000-5c5b35000001'] },
    { apply_to: 'aps', ap_ids: [] },
    ['off /ap_ids']
  ],
  [
    'that empties a list of tags',
    { apply_to: 'wxtags', wxtag_ids: ['00000000-0000-0000-1000-5c5b35000001'] },
    { apply_to: 'wxtags' },
    ['off /wxtag_ids']
  ],
  ['of a band', { bands: ['24', '5'] }, { bands: ['5'] }, ['partly-off /bands']],
  ['that opens', { auth: psk }, { auth: { type: 'open' } }, ['open /auth/type']],
  ['to an absent type, which is open', { auth: psk }, { auth: {} }, ['open /auth/type']],
  [
    'of the encryption of an open network',
    { auth: { owe: 'required' } },
    { auth: { type: 'open', owe: 'disabled' } },
    ['open /auth/owe']
  ],
  [
    'of the portal',
    { portal: { enabled: true } },
    { portal: { enabled: false } },
    ['no-login /portal/enabled']
  ],
  [
    'of a method without proof',
    { portal: { ...multi, email_enabled: false } },
    { portal: { ...multi, email_enabled: true } },
    ['no-login /portal/email_enabled']
  ],
  [
    'of a walled garden to everywhere',
    { portal: multi, portal_allowed_subnets: [] },
    { portal: multi, portal_allowed_subnets: ['0.0.0.0/0'] },
    ['no-login /portal_allowed_subnets']
  ],
  [
    'of DNS, switched on',
    { dns_server_rewrite: { enabled: false } },
    { dns_server_rewrite: { enabled: true, radius_groups: { g: '66.6.6.6' } } },
    ['elsewhere /dns_server_rewrite/enabled']
  ],
  [
    'of a DNS server',
    { dns_server_rewrite: { enabled: true, radius_groups: { g: '10.0.0.53' } } },
    { dns_server_rewrite: { enabled: true, radius_groups: { g: '66.6.6.6' } } },
    ['elsewhere /dns_server_rewrite/radius_groups']
  ],
  ['of a RADIUS server', radius, moved, ['elsewhere /auth_servers']],
  [
    'of an accounting server',
    { ...radius, acct_servers: [{ host: '10.0.0.1' }] },
    { ...radius, acct_servers: [{ host: '66.6.6.6' }] },
    ['elsewhere /acct_servers']
  ],
  [
    'of a CoA server',
    { ...radius, coa_servers: [{ ip: '10.0.0.1' }] },
    { ...radius, coa_servers: [{ ip: '66.6.6.6' }] },
    ['elsewhere /coa_servers']
  ],
  [
    'of the portal page',
    { portal: { enabled: true, auth: 'external', external_portal_url: 'https://a.example' } },
    { portal: { enabled: true, auth: 'external', external_portal_url: 'https://b.example' } },
    ['elsewhere /portal/external_portal_url']
  ],
  [
    'of the path of the portal page',
    { portal: { enabled: true, auth: 'external', external_portal_url: 'https://a.example/1' } },
    { portal: { enabled: true, auth: 'external', external_portal_url: 'https://a.example/2' } },
    []
  ],
  [
    'of the key',
    { auth: { ...psk, psk: env('declared-key') } },
    { auth: { ...psk, psk: 'another-key' } },
    ['other-key /auth/psk']
  ],
  [
    'of the source of keys',
    { auth: psk, dynamic_psk: { enabled: true, source: 'radius' } },
    { auth: psk, dynamic_psk: { enabled: true, source: 'cloud_psks' } },
    ['other-key /dynamic_psk/source']
  ],
  [
    'of the client limit',
    { max_num_clients: 0 },
    { max_num_clients: 1 },
    ['refused /max_num_clients']
  ],
  ['of a higher limit', { max_num_clients: 5 }, { max_num_clients: 9 }, []],
  [
    'of the signal',
    { rateset: { '5': { min_rssi: 0 } } },
    { rateset: { '5': { min_rssi: -30 } } },
    ['refused /rateset/5/min_rssi']
  ],
  [
    'that switches MAC authentication on',
    { auth: { ...psk, enable_mac_auth: false } },
    { auth: { ...psk, enable_mac_auth: true } },
    ['refused /auth/enable_mac_auth']
  ],
  [
    'that switches MAC authentication off',
    { auth: { ...psk, enable_mac_auth: true } },
    { auth: { ...psk, enable_mac_auth: false } },
    ['no-login /auth/enable_mac_auth']
  ],
  [
    'of a gateway to watch',
    { disable_when_gateway_unreachable: false },
    { disable_when_gateway_unreachable: true },
    ['partly-off /disable_when_gateway_unreachable']
  ],
  [
    'of the suites',
    { auth: { ...psk, pairwise: ['wpa3'] } },
    { auth: { ...psk, pairwise: ['wpa2-ccmp', 'wpa3'] } },
    ['weaker-encryption /auth/pairwise']
  ],
  ['of isolation', { isolation: true }, { isolation: false }, ['not-isolated /isolation']],
  ['of the VLAN', { vlan_enabled: true }, { vlan_enabled: false }, ['less-secure /vlan_enabled']],
  ['of the VLAN number', { vlan_id: 20 }, { vlan_enabled: true, vlan_id: 40 }, []],
  ['that does nothing', { auth: { psk: env('declared-key') } }, { auth: { psk: 'x' } }, []]
]

describe('drift', () => {
  test.each(edits)('%s', (_, declared, edited, expected) => {
    expect(dangers(declared, edited)).toEqual(expected)
  })

  test.each(edits)(
    'is equally dangerous in a saved report: %s',
    (_, declared, edited, expected) => {
      const { before, patch, secrets } = change(declared, edited)
      const { context } = effectsOf(patch, before, secrets, DRIFT)
      const stored: typeof patch = JSON.parse(JSON.stringify(patch))
      const read = stored.map(step =>
        'value' in step ? { ...step, value: withUnknownSecrets(step.value) } : step
      )
      expect(textsOf(effectsOf(read, recordFrom(read, context), secrets, DRIFT))).toEqual(expected)
    }
  )

  it('has its worst danger first', () => {
    const declared = {
      auth: { ...psk, psk: env('declared-key') },
      enabled: true,
      isolation: true,
      max_num_clients: 0
    }
    const edited = { auth: psk, enabled: false, isolation: false, max_num_clients: 1 }
    expect(dangers(declared, edited)).toEqual([
      'off /enabled',
      'refused /max_num_clients',
      'not-isolated /isolation'
    ])
  })

  it('has no dangers where the declaration is switched off, too', () => {
    const declared = { enabled: false, isolation: true, max_num_clients: 0 }
    expect(dangers(declared, { enabled: false, isolation: false, max_num_clients: 1 })).toEqual([])
  })
})

describe('a planned site', () => {
  it('gets the dangers of its changes only', () => {
    const dangersIn = (declared: ValueObject, found: ValueObject, isDrift: boolean) => {
      const [site, sites] = [desiredSite([wlan(declared)]), liveSite([live(found)])]
      const { wlanPlans } = planSite(site, sites, matchSite(site, sites), { isDrift })
      return wlanPlans.map(plan => 'change' in plan && plan.change.dangers)
    }
    const edit = [{ isolation: true }, { isolation: false }] as const
    expect(dangersIn(...edit, false)).toEqual([undefined])
    expect(dangersIn(...edit, true)).toEqual([[{ kind: 'not-isolated', pointer: '/isolation' }]])
    const moved = [{ vlan_id: 30 }, { vlan_enabled: true, vlan_id: 40 }] as const
    expect(dangersIn(...moved, true)).toEqual([undefined])
  })
})

import { describe, expect, it } from 'vitest'
import { defaultPolicy } from '../../src/model/desired.ts'
import type { ValueObject } from '../../src/model/value.ts'
import { mergePlans } from '../../src/plan/merge/merge.ts'
import { assemble, planSite } from '../../src/plan/plan.ts'
import { formatPlan, parsePlan } from '../../src/plan/saved-plan.ts'
import { unwatchedChanges, unwatchedFields, unwatchedParts } from '../../src/plan/undeclared.ts'
import { context, desiredSite, live, liveSite, nth, record, wlan } from './support.ts'

/** The guard fields of every WLAN, all declared. */
const watched = {
  ssid: 'Corp',
  auth: { type: 'open', owe: 'disabled', enable_mac_auth: false },
  ...{ enabled: true, hide_ssid: false, isolation: false, vlan_enabled: false, interface: 'all' },
  ...{ bands: ['24', '5', '6'], schedule: { enabled: false }, portal: { enabled: false } },
  ...{ block_blacklist_clients: false, enable_wireless_bridging: false },
  cisco_cwa: { enabled: false }
}

describe('the unwatched fields', () => {
  it.each<[what: string, live: object, declared: ValueObject, unwatched: readonly string[]]>([
    ['none, where all are declared', {}, {}, []],
    ['a switch of the VLAN alone', { vlan_id: 20 }, { vlan_enabled: false }, []],
    [
      'the VLAN, once it is in use',
      { vlan_enabled: true, vlan_id: 20 },
      { vlan_enabled: true },
      ['/vlan_id', '/vlan_ids']
    ],
    ['the switches of the declaration', {}, { isolation: true }, ['/l2_isolation']],
    [
      'a portal without its login',
      {},
      { portal: { enabled: true } },
      ['/portal/auth', '/portal/bypass_when_cloud_down']
    ],
    ['nothing of a portal that is switched off', { portal: { auth: 'sso' } }, {}, []],
    [
      'nothing of a block that is declared as null',
      { auth: { type: 'psk' } },
      {
        auth: { ...watched.auth, type: 'psk', pairwise: [], multi_psk_only: false },
        dynamic_psk: null
      },
      []
    ],
    [
      'the fields of a shared key',
      {},
      { auth: { ...watched.auth, type: 'psk' } },
      ['/auth/pairwise', '/auth/multi_psk_only', '/dynamic_psk/enabled']
    ],
    ['the RADIUS senders, once known', { apply_to: 'aps' }, {}, ['/apply_to']]
  ])('are %s', (_, fields, declared, unwatched) => {
    const open = unwatchedFields({ ...watched, ...declared }, record(fields))
    expect([...open].sort()).toEqual([...unwatched].sort())
  })

  it('are the guard fields of an open WLAN that declares only its SSID', () => {
    const open = unwatchedFields({ ssid: 'Corp' }, record({}))
    expect([...open].sort()).toEqual([
      ...['/auth/enable_mac_auth', '/auth/owe', '/auth/type', '/bands'],
      ...[
        '/block_blacklist_clients',
        '/cisco_cwa/enabled',
        '/enable_wireless_bridging',
        '/enabled'
      ],
      ...['/hide_ssid', '/interface', '/isolation', '/portal/enabled', '/schedule/enabled'],
      '/vlan_enabled'
    ])
  })

  it('are those of RADIUS with 802.1X', () => {
    const auth = { ...watched.auth, type: 'eap', pairwise: ['wpa3'] }
    expect(unwatchedFields({ ...watched, auth }, record({}))).toEqual(
      expect.arrayContaining(['/auth_servers', '/radsec/enabled', '/mist_nac/enabled'])
    )
  })
})

const plan = (policy: object = {}, n = 1) => {
  const wlans = Array.from({ length: n }, (_, at) =>
    wlan(
      { ...watched, isolation: true },
      { id: nth(at + 1), key: `w${at}`, address: `hq/w${String(at).padStart(5, '0')}` }
    )
  )
  const found = wlans.map((_, at) => live({ isolation: true }, nth(at + 1)))
  return assemble([planSite(desiredSite(wlans), liveSite(found))], context(policy))
}

describe('a plan with unwatched fields', () => {
  it('lists them by default, and in its file', () => {
    const made = plan()
    expect(made.unwatched).toEqual([{ address: 'hq/w00000', pointers: ['/l2_isolation'] }])
    expect(made.findings).toEqual([])
    expect(parsePlan(formatPlan(made), 'plan.json')).toEqual(made)
    expect(defaultPolicy.unwatched).toBe('report')
  })

  it('omits them if the policy ignores them', () => {
    expect(plan({ unwatched: 'ignore' })).not.toHaveProperty('unwatched')
  })

  it('is refused if the policy says so, and names them', () => {
    const { findings } = plan({ unwatched: 'error' }, 12)
    expect(findings).toMatchObject([{ level: 'error', code: 'UNWATCHED' }])
    expect(findings[0]?.message).toMatch(
      /^12 guard fields on 12 WLANs are not declared: hq\/w00000 \(\/l2_isolation\); .* and 2 other WLANs$/
    )
  })

  it('counts the fields that it does not list', () => {
    const many = Array.from({ length: 5001 }, (_, n) => ({
      address: `hq/${n}`,
      pointers: ['/bands']
    }))
    const { unwatched, unwatched_total } = unwatchedParts(many)
    expect(unwatched).toHaveLength(5000)
    expect(unwatched_total).toEqual({ fields: 5001, wlans: 5001 })
  })

  it('that was edited lists no other field', () => {
    const made = plan()
    const unwatched = [{ address: 'hq/w00000', pointers: ['/dtim', '/l2_isolation'] }]
    const read = parsePlan(formatPlan({ ...made, unwatched }), 'plan.json')
    expect(read.unwatched).toEqual(made.unwatched)
    expect(read.findings).toMatchObject([{ code: 'PLAN_CLAIMS' }])
  })

  it('that is merged has those of each shard', () => {
    const [a, b] = [plan(), plan()].map((made, n) => ({
      ...made,
      shard: `${n + 1}/2`,
      unwatched: [{ address: `s${2 - n}/w`, pointers: ['/bands'] }],
      ...(n === 0 && { unwatched_total: { fields: 9, wlans: 9 } })
    }))
    const pieces = [a, b].flatMap(value => (value ? [{ name: 'p.json', value }] : []))
    const merged = mergePlans(pieces, () => [])
    expect(merged.unwatched?.map(({ address }) => address)).toEqual(['s1/w', 's2/w'])
    expect(merged.unwatched_total).toEqual({ fields: 10, wlans: 10 })
  })
})

describe('the changes since a snapshot', () => {
  const changes = (before: object, after: object, declared: ValueObject = {}) =>
    unwatchedChanges(
      desiredSite([wlan(declared)]),
      liveSite([live(after)]),
      liveSite([live(before)]),
      '2026-11-20T10:00:00Z'
    ).map(({ message }) => message.replace(/^(\S+) .*: /, '$1: '))

  it.each<[what: string, before: object, after: object, messages: readonly string[]]>([
    ['nothing', {}, {}, []],
    ['a field that is not a guard', { dtim: 1 }, { dtim: 2 }, []],
    ['a switch', { enabled: true }, { enabled: false }, ['/enabled: true → false']],
    ['an absent one and its default', {}, { enabled: true, hide_ssid: false }, []],
    ['null and the default', { bands: null }, { bands: ['6', '5', '24'] }, []],
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
    ['from the default', {}, { isolation: true }, ['/isolation: false → true']],
    ['a list', { bands: ['5'] }, { bands: ['24', '5'] }, ['/bands: ["5"] → ["24", "5"]']],
    [
      'a portal that goes, with its login',
      { portal: { enabled: true, auth: 'sso' } },
      { portal: { enabled: false, auth: 'none' } },
      ['/portal/auth: "sso" → "none"', '/portal/enabled: true → false']
    ],
    [
      'the login of a portal that is switched off',
      { portal: { enabled: false, auth: 'sso' } },
      { portal: { enabled: false, auth: 'none' } },
      []
    ],
    [
      'the host of a server, and no secret',
      { auth: { type: 'eap' }, auth_servers: [{ host: '10.0.0.1', secret: 'a', port: 1812 }] },
      { auth: { type: 'eap' }, auth_servers: [{ host: '10.0.0.9', secret: 'b', port: 1812 }] },
      ['/auth_servers: ["10.0.0.1"] → ["10.0.0.9"]']
    ],
    [
      'the secret of a server',
      { auth: { type: 'eap' }, auth_servers: [{ host: '10.0.0.1', secret: 'a' }] },
      { auth: { type: 'eap' }, auth_servers: [{ host: '10.0.0.1', secret: 'b' }] },
      []
    ],
    ['the sender, once set', {}, { apply_to: 'aps' }, ['/apply_to: none → "aps"']]
  ])('report %s', (_, before, after, messages) => {
    expect([...changes(before, after)].sort()).toEqual([...messages].sort())
  })

  it('include no declared field, and no WLAN that did not exist', () => {
    expect(changes({ isolation: true }, { isolation: false }, { isolation: true })).toEqual([])
    const [site, now] = [desiredSite([wlan({})]), liveSite([live({ enabled: false })])]
    expect(unwatchedChanges(site, now, liveSite([]), '2026-11-20T10:00:00Z')).toEqual([])
  })
})

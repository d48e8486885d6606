import { describe, expect, it } from 'vitest'
import { defaultPolicy } from '../../../src/core/model/defaults.ts'
import type { Policy } from '../../../src/core/model/desired.ts'
import { assemble, planSite } from '../../../src/core/plan/plan.ts'
import {
  unwatchedFields,
  unwatchedParts,
  unwatchedRefusal
} from '../../../src/core/plan/undeclared/undeclared.ts'
import { compareUndeclared } from '../../../src/core/plan/undeclared/undeclared-drift.ts'
import type { ValueObject } from '../../../src/core/values/value.ts'
import { mergePlans } from '../../../src/files/merge.ts'
import { formatPlan, parsePlan } from '../../../src/files/saved-plan.ts'
import { readTable } from '../table.ts'
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

type Row = readonly [what: string, live: object, declared: ValueObject, unwatched: string[]]

const rows = readTable<readonly Row[]>('unwatched.txt', import.meta.url)

describe('the unwatched fields', () => {
  it.each(rows)('are %s', (_, fields, { auth, ...declared }, unwatched) => {
    const all = { ...watched, ...declared, auth: { ...watched.auth, ...(auth as ValueObject) } }
    expect([...unwatchedFields(all, record(fields))].sort()).toEqual([...unwatched].sort())
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

/** What `drift` says about n WLANs that declare every guard field but `l2_isolation`, which is in use. */
const compared = (unwatched: Policy['unwatched'], fields: object = {}, n = 1) => {
  const wlans = Array.from({ length: n }, (_, at) =>
    wlan(
      { ...watched, isolation: true },
      { id: nth(at + 1), key: `w${at}`, address: `hq/w${String(at).padStart(5, '0')}` }
    )
  )
  const found = wlans.map((_, at) => live({ isolation: true, ...fields }, nth(at + 1)))
  return compareUndeclared(desiredSite(wlans), liveSite(found), { unwatched })
}

const empty = { findings: [], unwatched: [] }

const plan = () => assemble([planSite(desiredSite([]), liveSite([]))], context())

describe('drift with unwatched fields', () => {
  it('lists them by default, with those that are not at their default', () => {
    expect(compared('report')).toEqual({
      findings: [],
      unwatched: [{ address: 'hq/w00000', pointers: ['/l2_isolation'] }]
    })
    expect(compared('report', { max_num_clients: 1 }).unwatched).toEqual([
      {
        address: 'hq/w00000',
        pointers: ['/l2_isolation', '/max_num_clients'],
        not_default: ['/max_num_clients']
      }
    ])
    expect(defaultPolicy.unwatched).toBe('report')
  })

  it('omits them if the policy ignores them', () => {
    expect(compared('ignore', { max_num_clients: 1 })).toEqual(empty)
  })

  it('finds those that are not at their default if the policy counts them as drift', () => {
    expect(compared('drift')).toEqual(empty)
    const { findings, unwatched } = compared('drift', { max_num_clients: 1 })
    expect(unwatched).toEqual([])
    expect(findings).toMatchObject([{ level: 'error', code: 'UNDECLARED_CHANGED' }])
    expect(findings[0]?.message).toBe(
      'max_num_clients is not declared, and not at its default: 0 → 1'
    )
  })

  it('is refused if the policy says so, and names them', () => {
    const { unwatched } = compared('error', {}, 12)
    const findings = unwatchedRefusal(unwatched, { unwatched: 'error' })
    expect(findings).toMatchObject([{ level: 'error', code: 'UNWATCHED' }])
    expect(findings[0]?.message).toMatch(
      /^12 fields on 12 WLANs are not watched: hq\/w00000 \(l2_isolation\); .* and 2 other WLANs$/
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

  it('reads what it wrote', () => {
    const { unwatched } = compared('report', { max_num_clients: 1 })
    const made = { ...plan(), unwatched }
    expect(parsePlan(formatPlan(made), 'plan.json')).toEqual(made)
  })

  it('has, merged, those of each shard', () => {
    const [a, b] = [plan(), plan()].map((made, n) => ({
      ...made,
      shard: `${n + 1}/2`,
      sites: [{ id: nth(n), name: `s${2 - n}`, unread: 1 }],
      unwatched: [{ address: `s${2 - n}/w`, pointers: ['/bands'] }],
      ...(n === 0 && { unwatched_total: { fields: 9, wlans: 9 } })
    }))
    const pieces = [a, b].flatMap(value => (value ? [{ name: 'p.json', value }] : []))
    const merged = mergePlans(pieces)
    expect(merged.unwatched?.map(({ address }) => address)).toEqual(['s1/w', 's2/w'])
    expect(merged.unwatched_total).toEqual({ fields: 10, wlans: 10 })
  })
})

import { describe, expect, it } from 'vitest'
import { Auditor } from '../../../src/core/audit/auditor.ts'
import type { Audit } from '../../../src/core/model/audit.ts'
import type { ValueObject } from '../../../src/core/values/value.ts'
import { wlanValue } from '../../../src/service/live.ts'

/** The audit of sites `s0`, `s1`, … with one WLAN of these fields each; null for a site without any. */
function auditOf(...records: readonly (object | null)[]): Audit {
  const auditor = new Auditor()
  for (const [nth, fields] of records.entries()) {
    const record = wlanValue({ ssid: 'Corp', enabled: true, ...fields }) as ValueObject
    const live = {
      id: `w${nth}`,
      ssid: typeof record['ssid'] === 'string' ? record['ssid'] : '',
      record,
      readAt: 0
    }
    auditor.add({ site: { id: `id${nth}`, name: `s${nth}` }, wlans: fields === null ? [] : [live] })
  }
  return auditor.result({ baseUrl: 'https://api.example.com', requests: 0, unread: [] })
}

const eap = { auth: { type: 'eap', pairwise: ['wpa3'] } }
const psk = { auth: { type: 'psk' } }

describe('the networks of an audit', () => {
  it('are the variants of each SSID', () => {
    const { networks } = auditOf(eap, psk, eap, { ...eap, vlan_enabled: true, vlan_id: 7 })
    expect(networks).toMatchObject([
      {
        ssid: 'Corp',
        wlans: 4,
        variants: [
          { security: 'eap (wpa3)', vlan: 'untagged', odd: [], sites: ['s0', 's2'] },
          { security: 'psk (wpa2-ccmp)', odd: ['security'], sites: ['s1'] },
          { security: 'eap (wpa3)', vlan: '7', odd: ['vlan'], sites: ['s3'] }
        ]
      }
    ])
  })

  it.each([[''], [null], [undefined], [7]])('are several without an SSID: %j', ssid => {
    const nameless = { ...eap, ssid }
    const { networks, outliers } = auditOf(nameless, nameless, nameless, nameless, {
      ...nameless,
      auth: { type: 'open' }
    })
    expect(outliers).toEqual([])
    expect(networks.map(each => each.ssid)).toEqual(['w0', 'w1', 'w2', 'w3', 'w4'])
  })

  it.each([
    [{ vlan_enabled: true, vlan_id: 20 }, '20'],
    [{ vlan_enabled: true, vlan_ids: [10, 20] }, '10, 20'],
    [{ vlan_enabled: true, vlan_id: '{{vlan}}' }, '{{vlan}}'],
    [{ vlan_enabled: false, vlan_id: 20 }, 'untagged'],
    [{ dynamic_vlan: { enabled: true } }, 'dynamic']
  ])('have for %j the VLAN %s', (fields, vlan) => {
    expect(auditOf(fields).networks[0]?.variants[0]?.vlan).toBe(vlan)
  })

  it('mark the aspects in which they are outliers, also being off', () => {
    const { networks } = auditOf(eap, eap, eap, { ...eap, enabled: false })
    expect(networks[0]?.variants.map(({ odd }) => odd)).toEqual([[], ['enabled']])
  })

  it('do not count disabled WLANs in a majority, and name those that are off without one', () => {
    const off = { ...psk, enabled: false }
    const { networks, outliers } = auditOf(off, off, off, eap, eap, eap)
    const odd = networks[0]?.variants.map(variant => variant.odd)
    expect(odd?.sort()).toEqual([[], ['enabled']])
    expect(outliers).toMatchObject([
      { sites: ['s0', 's1', 's2'], differences: [{ field: '/enabled', value: false }] }
    ])
  })

  it.each([
    [{ enabled: false }, {}],
    [{ isolation: false }, { isolation: true }]
  ])('without a majority is the dangerous one of two: %j', (danger, safe) => {
    const accused = (...records: readonly object[]) =>
      auditOf(...records.map(each => ({ ...eap, ...each }))).outliers.map(({ sites }) => sites)
    expect(accused(danger, safe)).toEqual([['s0']])
    expect(accused(safe, danger)).toEqual([['s1']])
    expect(accused(danger, danger)).toEqual([])
    expect(accused(safe, safe)).toEqual([])
  })
})

describe('the findings of an audit', () => {
  it('accuse the open one of two networks, whichever comes first', () => {
    const open = { auth: { type: 'open' } }
    const accused = (...records: readonly object[]) =>
      auditOf(...records)
        .rules.filter(({ rule }) => rule.id === 'same-ssid-other-security')
        .flatMap(({ findings }) => findings.map(({ site }) => site))
    expect([accused(open, psk), accused(psk, open)]).toEqual([['s0'], ['s1']])
  })

  it('are sorted by rule, worst first, and all are counted', () => {
    const { rules, counts } = auditOf(eap, eap, { ...psk, auth: { type: 'psk', psk: 'password' } })
    const levels = rules.map(({ level }) => level)
    expect(levels).toEqual([...levels].sort())
    const found = rules.flatMap(({ findings }) => findings)
    expect(found).toHaveLength(counts.error + counts.warning + counts.info)
    expect(rules[0]).toMatchObject({ rule: { id: 'eap-without-servers' }, sites: 2 })
    expect(rules.find(({ rule }) => rule.id === 'weak-key')).toMatchObject({ fromSecret: true })
  })

  it('about one secret count once, however many networks and servers use it', () => {
    const server = (host: string, secret: string) => ({ host, secret })
    const auth_servers = [
      server('10.0.0.5', 'Rn1-9fKq3vTzL0'),
      server('10.0.0.6', 'Qw7-another-one')
    ]
    const { rules, counts } = auditOf(
      ...['A', 'B', 'C'].map(ssid => ({ ...eap, ssid, auth_servers }))
    )
    const weak = rules.find(({ rule }) => rule.id === 'weak-radius-secret')
    expect(weak).toMatchObject({ count: 2, sites: 3 })
    expect(weak?.findings.map(({ message }) => message)).toContain(
      'the shared secret of "10.0.0.5" is shorter than 16 characters: auth_servers is 2 elements (live)'
    )
    const count = (level: string) =>
      rules.reduce((sum, each) => sum + (each.level === level ? each.count : 0), 0)
    expect(counts.warning).toBe(count('warning'))
  })

  it('include SSIDs that look the same', () => {
    const ssids = ['Corp', 'corp', 'C0rp', 'Other'].map(ssid => ({ ...eap, ssid }))
    expect(auditOf(...ssids).lookAlikes.map(group => group.map(({ ssid }) => ssid))).toEqual([
      ['Corp', 'corp']
    ])
    expect(auditOf({ ssid: 'COrp' }, { ssid: 'C0rp' }).lookAlikes).toHaveLength(1)
  })

  it('are none for sites without WLANs', () => {
    expect(auditOf(null, null)).toMatchObject({
      sites: ['s0', 's1'],
      wlans: 0,
      rules: [],
      networks: []
    })
  })
})

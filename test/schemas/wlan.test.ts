import { describe, expect, it } from 'vitest'
import { readSchema, strictAjv } from './schemas.ts'

const validate = strictAjv().compile(readSchema('wlan.schema.json'))
const uuid = '4ac1dcf4-9d8b-4211-95c4-057819f0862b'

describe('an annotation', () => {
  it.each([
    ['a member', { weaken: { emptied: 'high' } }],
    ['a direction', { weakens: { empty: 'high' } }],
    ['a level', { weakens: { emptied: 'higher' } }],
    ['a danger', { danger: 'on' }],
    ['a condition', { inUse: 'radios' }],
    ['a direction of an impact', { impact: [{ class: 'some', when: 'smaller' }] }],
    ['the condition of no ranking', { saferIf: 'psk' }]
  ])('must not misspell %s', (_, annotation) => {
    const schema = { type: 'string', 'x-wlanctl': annotation }
    expect(() => strictAjv().compile(schema)).toThrow('x-wlanctl')
  })
})

describe('values', () => {
  it.each([
    ['nothing', {}],
    ['a whole WLAN', wholeWlan()],
    ['the lowest VLAN', { vlan_id: 1 }],
    ['the highest VLAN', { vlan_id: 4094 }],
    ['a VLAN in digits', { vlan_id: '4094' }],
    ['VLANs in a list', { vlan_ids: [10, '20', '{{x}}'] }],
    ['VLANs in a text', { vlan_ids: '10, 20,{{x}}' }],
    ['no VLANs', { vlan_ids: '' }],
    ['a port in digits', { auth_servers: [{ host: 'a', port: '1812' }] }],
    ['the shortest PSK', { auth: { psk: 'x'.repeat(8) } }],
    ['the longest PSK', { auth: { psk: '~'.repeat(63) } }],
    ['a PSK in hexadecimal', { auth: { psk: 'aB'.repeat(32) } }],
    ['no PSK', { auth: { psk: null } }],
    ['WEP keys that are not there', { auth: { keys: ['0123456789', null, ''] } }],
    ['an id in upper case', { ap_ids: [uuid.toUpperCase()] }],
    ['no access points', { ap_ids: null }],
    ['no dynamic PSK', { dynamic_psk: null }],
    ['a map with free keys', { dynamic_vlan: { vlans: { 10: 'a', '{{vlan}}': 'b' } } }],
    ['sponsors as a map', { portal: { sponsors: { 'a@example.org': 'A' } } }],
    ['sponsors as a list', { portal: { sponsors: ['a@example.org'] } }],
    ['hours of a day', { schedule: { hours: { mon: '09:00-17:00', tue: '' } } }],
    ['an enum that may be null', { rateset: { 24: { template: null } } }]
  ])('accept %s', (_, wlan) => {
    expect(validate(wlan), JSON.stringify(validate.errors)).toBe(true)
  })

  it.each([
    ['an unknown member of an element', { auth_servers: [{ host: 'a', hots: 'b' }] }],
    ['an unknown band', { rateset: { '2.4': {} } }],
    ['VLAN 0', { vlan_id: 0 }],
    ['VLAN 0 in digits', { vlan_id: '0' }],
    ['half a VLAN', { vlan_id: 1.5 }],
    ['digits with surrounding text', { vlan_id: ' 20\n' }],
    ['a variable without a name', { vlan_id: '{{}}' }],
    ['a VLAN list with an empty item', { vlan_ids: '10,,20' }],
    ['port 0', { auth_servers: [{ host: 'a', port: 0 }] }],
    ['a CoA server without its address', { coa_servers: [{ port: 3799 }] }],
    ['a limit below 0', { client_limit_up: -1 }],
    ['a DSCP mark of 64', { app_qos: { others: [{ dscp: 64 }] } }],
    ['a PSK of 7 characters', { auth: { psk: 'x'.repeat(7) } }],
    ['a PSK of 64 that are not hexadecimal', { auth: { psk: 'x'.repeat(64) } }],
    ['a PSK beyond ASCII', { auth: { psk: 'pässwort' } }],
    ['a PSK with a line end', { auth: { psk: 'password\n' } }],
    ['an id with surrounding text', { ap_ids: [`urn:uuid:${uuid}`] }],
    ['a number for a string', { ssid: 5 }],
    ['a number for a band', { bands: [24] }],
    ['hours without an end', { schedule: { hours: { mon: '09:00' } } }]
  ])('reject %s', (_, wlan) => {
    expect(validate(wlan)).toBe(false)
  })
})

describe('patterns', () => {
  it('are anchored at both ends', () => {
    const patterns = JSON.stringify(readSchema('wlan.schema.json')).match(/"pattern":".*?[^\\]"/g)
    expect(patterns).not.toHaveLength(0)
    for (const pattern of patterns ?? []) expect(pattern).toMatch(/^"pattern":"\^.*\$"$/)
  })
})

describe('enums with an order of security', () => {
  const schema = JSON.stringify(readSchema('wlan.schema.json'))
  const ranked: Record<string, unknown>[] = []
  JSON.parse(schema, (_, node) => {
    if (node?.['x-wlanctl']?.safer !== undefined) ranked.push(node)
    return node
  })

  it.each(ranked)('are complete: $description $enum', node => {
    const { safer } = node['x-wlanctl'] as { safer: unknown[] }
    const values = node['type'] === 'boolean' ? [false, true] : node['enum']
    const known = (values as unknown[]).filter(value => value !== null)
    expect(new Set(safer.flat())).toEqual(new Set(known))
    expect(safer.flat()).toHaveLength(known.length)
  })
})

function wholeWlan(): unknown {
  return {
    ssid: 'Corp',
    enabled: true,
    apply_to: 'aps',
    ap_ids: [uuid],
    bands: ['5', '6'],
    auth: { type: 'eap', pairwise: ['wpa2-ccmp', 'wpa3'] },
    auth_servers: [{ host: 'radius.example.org', port: 1812, secret: 'testing123' }],
    coa_servers: [{ ip: '192.0.2.1', secret: 'testing123', enabled: true }],
    dynamic_vlan: { enabled: true, default_vlan_ids: [10], vlans: { 20: 'staff' } },
    app_limit: { enabled: true, apps: { netflix: 60 } },
    app_qos: { apps: { zoom: { dscp: 32 } }, others: [{ protocol: 'udp', dscp: '46' }] },
    bonjour: { services: { airplay: { scope: 'same_ap', radius_groups: ['teachers'] } } },
    radsec: { servers: [{ host: 'radsec.example.org', port: 2083 }], idle_timeout: '60' },
    rateset: { 24: { template: 'custom', legacy: ['6b', '9'] }, 5: { min_rssi: -70 } },
    schedule: { enabled: true, hours: { mon: '08:00-18:00' } }
  }
}

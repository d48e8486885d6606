import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findingsOf, Linter } from '../../src/lint/lint.ts'
import type { ValueObject } from '../../src/model/value.ts'
import { liveObject } from '../support/live-wlans.ts'
import { wlanShape } from '../support/wlan-shapes.ts'
import { corp, fields, psk, secret } from './scenario.ts'

const variants: readonly ValueObject[] = [
  {},
  { vlan_enabled: true },
  { vlan_enabled: true, vlan_id: 7 },
  { enabled: false, dtim: 300 },
  { auth_servers: [] },
  { auth_servers: [{ host: 'a', port: 1813, secret: secret() }] },
  { dtim: 50 },
  { hostname_ie: '{{is it}}', vlan_id: '{{a-b}}' },
  { vlan_id: '{{a-b}}', hostname_ie: '{{is it}}' },
  { vlan_id: '{{a}}', hostname_ie: true },
  { auth_servers: [{ host: '{{bad host}}', port: 1812, secret: secret() }] },
  fields({ 'auth.type': 'open' }),
  fields({ ...psk, 'auth.psk': secret('12345678') }),
  fields({ ...psk, 'auth.psk': secret('87654321'), portal_api_secret: secret() })
]

test('cached results of other sites equal those of the site itself', () => {
  const policy = { level: 'info', rules: {}, strict: false } as const
  const sites = variants.flatMap((live, a) =>
    variants.map((declared, b) => ({
      id: `${a}-${b}`,
      name: `site-${a}-${b}`,
      wlans: [{ name: 'net', declared: declared, live: { ...corp, ...live } }]
    }))
  )
  const linter = new Linter(policy)
  for (const site of sites) {
    expect(findingsOf(linter, site), site.name).toEqual(findingsOf(new Linter(policy), site))
  }
})

/** Values that differ in their members, their kinds, their order and their secrets. */
const shapes: readonly ValueObject[] = [
  ...variants,
  { portal: null },
  { portal: '' },
  { portal: { enabled: true, auth: 'password', password: secret('12345678') } },
  { portal: { password: secret('welcome-to-all'), auth: 'password', enabled: true } },
  { dynamic_vlan: { enabled: true, vlans: { 10: 'a', 20: 'b' }, default_vlan_ids: [10] } },
  { dynamic_vlan: { default_vlan_ids: [10], vlans: { 20: 'b', 10: 'a' }, enabled: true } },
  fields({ 'auth.type': 'psk', 'auth.psk': secret('{{key}}') })
]

test('cached results of sites that are only added are equal, too', () => {
  const policy = { level: 'info', rules: {}, strict: false } as const
  const siteOf = (name: string, auth: ValueObject) => ({
    id: name,
    name,
    wlans: [{ name: 'net', live: { ...corp, ...auth } }]
  })
  const [open, keyed] = [siteOf('a', fields({ 'auth.type': 'open' })), siteOf('b', fields(psk))]
  for (const [added, linted] of [
    [open, keyed],
    [keyed, open]
  ] as const) {
    const linter = new Linter(policy)
    linter.addSite(added)
    expect(findingsOf(linter, linted)).toEqual(findingsOf(new Linter(policy), linted))
    expect(findingsOf(linter, added)).toEqual(findingsOf(new Linter(policy), added))
  }
})

test('cached results are equal for any WLANs and any order of the sites', () => {
  const record = fc.oneof(
    fc.constantFrom(...shapes),
    liveObject(wlanShape, { hidden: true }, 12),
    fc
      .tuple(fc.constantFrom(...shapes), fc.constantFrom(...shapes))
      .map(([a, b]) => ({ ...a, ...b }))
  )
  const wlan = fc.record({
    name: fc.constantFrom('net', 'guest'),
    live: fc.option(
      record.map(fields => ({ ssid: 'Net', ...fields })),
      { nil: undefined }
    ),
    declared: fc.option(record, { nil: undefined })
  })
  const oneSite = fc.record({
    wlans: fc.array(wlan, { maxLength: 3 }),
    isAdded: fc.boolean()
  })
  fc.assert(
    fc.property(fc.array(oneSite, { maxLength: 6 }), fleet => {
      const policy = { level: 'info', rules: {}, strict: false } as const
      const linter = new Linter(policy)
      for (const [n, { wlans, isAdded }] of fleet.entries()) {
        const site = { id: `${n}`, name: `site-${n}`, wlans }
        if (isAdded) linter.addSite(site)
        else expect(findingsOf(linter, site)).toEqual(findingsOf(new Linter(policy), site))
      }
    })
  )
})

import { describe, expect, it } from 'vitest'
import { overrideFor } from '../../../../src/author/import/factor/overrides.ts'
import type { ImportedWlan } from '../../../../src/author/import/site.ts'
import type { ValueObject } from '../../../../src/core/values/value.ts'
import { estate } from '../../../core/audit/estate.ts'
import { liveSite, nth } from '../estates.ts'
import { planned, textsOf, writtenFleet } from '../import.ts'
import { importsOf, layersOf } from './factored.ts'

describe('a fleet in layers', () => {
  it('reads like a handwritten file', async () => {
    const stores = Array.from({ length: 12 }, (_, n) => {
      const records = [
        {
          id: nth(100 + n),
          ssid: `Store ${n + 1}`,
          auth: { type: 'psk', psk: `key-of-store-${n}` },
          vlan_enabled: true,
          vlan_id: n === 4 ? 41 : 40,
          portal: { enabled: true },
          portal_allowed_subnets: ['192.0.2.0/24']
        },
        {
          id: nth(200 + n),
          ssid: 'Corp',
          auth: { type: 'eap' },
          auth_servers: [11, 12].map(last => ({
            host: `10.9.${n}.${last}`,
            secret: 'of-all-stores'
          }))
        },
        ...(n === 7 ? [{ id: nth(300), ssid: 'Café', dtim: 1 }] : [])
      ]
      return liveSite({ id: nth(n), name: `store-${n + 1}` }, n === 11 ? records.slice(1) : records)
    })
    const texts = textsOf(await layersOf(stores))
    const [head, ...rest] = (texts.get('stores.yaml') ?? '').split('  - {')
    expect([...texts.keys()]).toEqual(['profiles.yaml', 'stores.yaml'])
    expect(texts.get('profiles.yaml')).toBe(PROFILES)
    expect(head).toBe(`wlans:
  corp: { $extends: corp }
  store: { $extends: store }

sites:
`)
    expect(rest).toHaveLength(11)
    expect(rest[0]).toBe(
      ` id: ${nth(0)}, name: store-1,
      vars: { radius_1: 10.9.0.11, radius_2: 10.9.0.12, store_ssid: Store 1 } }
`
    )
    expect(rest.find(item => item.includes('name: store-5'))).toBe(
      ` id: ${nth(4)}, name: store-5,
      vars: { radius_1: 10.9.4.11, radius_2: 10.9.4.12, store_ssid: Store 5 },
      wlans: { store: { vlan_id: 41 } } }
`
    )
    expect(texts.get('stores.yaml')).toContain(`
  - id: ${nth(7)}
    name: store-8
    vars:
      radius_1: 10.9.7.11
      radius_2: 10.9.7.12
      store_ssid: Store 8
    wlans:
      cafe:
        id: ${nth(300)}
        ssid: Café
        auth:
          type: open
`)
    expect(
      rest.find(item => item.includes('name: store-12'))
    ).toBe(` id: ${nth(11)}, name: store-12, vars: { radius_1: 10.9.11.11, radius_2: 10.9.11.12 },
      wlans: { store: { $managed: false } } }
`)
  })

  const alike = (records: (n: number) => object[], sites = 3) =>
    Array.from({ length: sites }, (_, n) => liveSite({ id: nth(n), name: `s${n}` }, records(n)))

  it('has the key of no single site in a profile, if the sites are all different', async () => {
    const fleet = estate('offices that are all different')
    const texts = textsOf(await layersOf(fleet.map(({ wlans, ...site }) => liveSite(site, wlans))))
    expect([...texts.keys()]).toHaveLength(1 + fleet.length)
    expect(texts.get('profiles.yaml')).toContain(`ssid: ACME Staff
    auth:
      type: psk
      psk: { $env: "WLAN_SECRET_{site}_ACME_STAFF_PSK" }`)
    expect(texts.get('profiles.yaml')).toContain('vlan_id: { $var: acme_staff_vlan }')
  })

  it('has no variable for a list that only sites of another kind have otherwise', async () => {
    const fleet = estate('a hospital group')
    const texts = textsOf(await layersOf(fleet.map(({ wlans, ...site }) => liveSite(site, wlans))))
    expect([...texts.values()].join()).not.toContain('radius_1')
    expect(texts.get('labs.yaml')?.match(/10\.7\.0\.1/g)).toHaveLength(1)
  })

  it('has in a profile no field that all sites of a kind would unset', async () => {
    const fleet = estate('schools')
    const texts = textsOf(await layersOf(fleet.map(({ wlans, ...site }) => liveSite(site, wlans))))
    expect([...texts.values()].join()).not.toContain('$unset')
    const password = 'password: { $env: WLAN_SECRET_ACME_GUEST_PORTAL_PASSWORD }'
    const having = [...texts].filter(([, text]) => text.includes(password)).map(([file]) => file)
    expect(having).toEqual(['primary-schools.yaml'])
  })

  it('uses one name for a secret that all sites share, and separate names for hidden ones', async () => {
    const rest = { dtim: 1, isolation: true, hide_ssid: true, vlan_id: 5 }
    const auth = (psk: string) => ({ auth: { type: 'psk', psk } })
    const known = alike(n => [{ id: nth(10 + n), ssid: 'A', ...rest, ...auth('one-for-all') }])
    const hidden = alike(n => [{ id: nth(10 + n), ssid: 'A', ...rest, ...auth('********') }])
    expect((await layersOf(known)).secrets.map(({ name }) => name)).toEqual(['WLAN_SECRET_A_PSK'])
    expect((await layersOf(hidden)).secrets.map(({ name }) => name)).toEqual(
      [0, 1, 2].map(n => `WLAN_SECRET_S${n}_A_PSK`)
    )
  })

  it('extends the base with the network of a single site, and with a copy of it', async () => {
    const wlan = (id: number, ssid: string, fields: object) => ({ id: nth(id), ssid, ...fields })
    const fleet = alike(n => [
      wlan(10 + n, 'A', { dtim: 1, isolation: true }),
      wlan(20 + n, 'B', { auth: { type: 'psk', psk: 'one-for-all' } }),
      wlan(30 + n, 'C', { vlan_enabled: true, vlan_id: 5 }),
      ...(n === 1 ? [40, 41].map(id => wlan(id, 'Lab', { max_num_clients: id })) : [])
    ])
    const made = await layersOf(fleet)
    expect(
      textsOf(made)
        .get('sites.yaml')
        ?.match(/^ {6}lab.*\n.*\n.*\n.*/gm)
    ).toEqual(
      ['lab', 'lab-2'].map(
        (key, n) =>
          `      ${key}:\n        $extends: base\n        id: ${nth(40 + n)}\n        ssid: Lab`
      )
    )
    const plan = await planned(textsOf(made), made.secrets, fleet)
    expect(new Set(Object.values(plan))).toEqual(new Set(['unchanged']))
  })

  it('does not repeat a null of the profile with --all-fields', async () => {
    const fleet = alike(n => [
      { id: nth(10 + n), ssid: 'A', dtim: 1, vlan_enabled: true, vlan_id: null, hide_ssid: n === 1 }
    ])
    const { 'profiles.yaml': profiles, ...sites } = Object.fromEntries(
      textsOf(await layersOf(fleet, [], true))
    )
    expect(profiles).toContain('vlan_id: null')
    expect(Object.values(sites).join()).not.toContain('null')
  })

  it('is that of each site alone if nothing is on several sites', async () => {
    const sites = importsOf(alike(n => [{ id: nth(10 + n), ssid: ['A', 'B', 'C'][n] }]))
    expect(await writtenFleet(sites, true)).toEqual(await writtenFleet(sites, false))
  })

  it('declares a second network with the same SSID by its id', async () => {
    const copies = (n: number) => [20, 30].map(more => ({ id: nth(n + more), ssid: 'A', dtim: 1 }))
    const texts = textsOf(await layersOf(alike(copies)))
    expect(texts.get('sites.yaml')).toContain(`
      a: { id: ${nth(21)} }
      a-2:
        $extends: a
        ssid: A
        id: ${nth(31)}
`)
  })
})

describe('the site lists of a fleet', () => {
  const wlan = (id: number, ssid: string) => ({ id: nth(id), ssid, dtim: 1, vlan_id: 5 })

  /** The files of sites with these names and WLANs. */
  async function filesOf(sites: readonly (readonly [name: string, ...ssids: string[]])[]) {
    const fleet = sites.map(([name, ...ssids], n) => {
      const records = ssids.map((ssid, at) => wlan(100 + 10 * n + at, ssid))
      return liveSite({ id: nth(n), name }, records)
    })
    return textsOf(await layersOf(fleet))
  }

  it.each<[file: string, names: string[]]>([
    ['stores.yaml', ['store-1', 'store-2', 'store-10']],
    ['stores.yaml', ['store-berlin', 'store-bergen']],
    ['factories.yaml', ['Factory A', 'Factory B']],
    ['hotels.yaml', ['hotels1', 'hotels2']],
    ['sites.yaml', ['berlin', 'bergen', 'oslo']],
    ['sites.yaml', ['site-5497967e', 'site-59e095e6']],
    ['sites.yaml', ['site-c5881f7b', 'site-c9e095e6']],
    ['sites.yaml', ['😀', 'a: b']]
  ])('%s are %j', async (file, names) => {
    const texts = await filesOf(names.map(name => [name, 'A', 'B']))
    expect([...texts.keys()]).toEqual(['profiles.yaml', file])
  })

  it('keep sites that lack a WLAN, and those that have one more', async () => {
    const store = (n: number, ...ssids: string[]) => [`store-${n}`, 'A', ...ssids] as const
    const texts = await filesOf([
      ...Array.from({ length: 12 }, (_, n) => store(n, 'B')),
      ...[12, 13].map(n => store(n, 'B', 'Event')),
      ...[14, 15, 16].map(n => store(n)),
      ['lab-1', 'A', 'Event'],
      ['lab-2', 'A', 'Event']
    ])
    expect([...texts.keys()]).toEqual(['profiles.yaml', 'groups.yaml', 'stores.yaml', 'labs.yaml'])
    expect(texts.get('groups.yaml')).toBe('groups:\n  stores: {}\n\n  labs: {}\n')
    expect(texts.get('stores.yaml')?.match(/name: /g)).toHaveLength(17)
    expect(texts.get('stores.yaml')).toContain(
      `{ id: ${nth(14)}, name: store-14, groups: [stores], wlans: { b: { $managed: false } } }`
    )
    expect(texts.get('stores.yaml')).toContain(
      `name: store-12, groups: [stores],
      wlans: { event: { $extends: event, ssid: Event } } }`
    )
    expect(texts.get('labs.yaml')).toContain('wlans:\n  a: { $extends: a }\n  event: { $ext')
  })

  it('declare what all sites of a kind have otherwise once', async () => {
    const site = (n: number, name: string, ...more: object[]) =>
      liveSite({ id: nth(n), name }, [
        {
          ...wlan(100 + 10 * n, 'A'),
          vlan_enabled: true,
          ...(name.startsWith('lab') && { vlan_id: 99 })
        },
        ...more
      ])
    const labs = [0, 1, 2].map(n => site(n, `lab-${n}`, wlan(101 + 10 * n, 'B')))
    const stores = [3, 4, 5, 6].map(n => site(n, `store-${n}`))
    const texts = textsOf(await layersOf([...labs, ...stores]))
    expect(texts.get('labs.yaml')).toContain('  a: { $extends: a, vlan_id: 99 }\n')
    expect([...texts.values()].join('').match(/99/g)).toHaveLength(1)
  })
})

describe('the overlay on a profile', () => {
  const [PSK, EAP] = [{ type: 'psk' }, { type: 'eap' }]
  const apps = (all: object) => ({ app_limit: { apps: all } })
  it.each([
    ['nothing', { a: 1 }, { a: 1 }, {}],
    ['another value', { a: 1, b: 2 }, { a: 1, b: 3 }, { b: 3 }],
    ['another type that means the same', { vlan_id: 5 }, { vlan_id: '5' }, {}],
    ['the same set in another order', { bands: ['5', '24'] }, { bands: ['24', '5'] }, {}],
    ['one more member', { auth: PSK }, { auth: { ...PSK, owe: 'x' } }, { auth: { owe: 'x' } }],
    ['a list, whole', { bands: ['5'] }, { bands: ['5', '6'] }, { bands: ['5', '6'] }],
    ['a map that counts as one', apps({ a: 1, b: 2 }), apps({ a: 1 }), apps({ a: 1 })],
    ['a field less', { a: 1, b: 2 }, { a: 1 }, { $unset: ['b'] }],
    ['less', { auth: { ...PSK, owe: 'x' } }, { auth: EAP }, { $unset: ['/auth/owe'], auth: EAP }]
  ])('is %s', (_, base, wanted, over) => {
    const wlan = { fields: wanted, record: wanted } as unknown as ImportedWlan
    expect(overrideFor(base as ValueObject, wlan)).toEqual(over)
  })
})

describe('a text that contains the name of the site', () => {
  it.each<[what: string, text: (n: number) => string, inProfile: string]>([
    ['at its end', n => `ap-store-${n}`, '"ap-{site}"'],
    ['inside', n => `https://store-${n}.example`, '"https://{site}.example"'],
    ['with an exception', n => (n === 4 ? 'other' : `a-store-${n}-b`), '"a-{site}-b"'],
    ['as a part of another number', n => `store-${n}1`, ''],
    ['next to braces', n => `{a}store-${n}`, '']
  ])('%s, is a format, and whole otherwise', async (_, text, format) => {
    const fleet = [1, 2, 3, 4, 5].map(n => {
      const wlan = { id: nth(100 + n), ssid: 'A', portal: { enabled: true, auth: 'password' } }
      const portal = { ...wlan.portal, forward_url: text(n) }
      return liveSite({ id: nth(n), name: `store-${n}` }, [{ ...wlan, portal }])
    })
    const profiles = textsOf(await layersOf(fleet)).get('profiles.yaml')
    const [found] = profiles?.match(/(?<=forward_url: \{ ).*(?= \})/) ?? []
    expect(found).toBe(format === '' ? '$var: a_forward_url' : `$format: ${format}`)
  })
})

const PROFILES = `profiles:
  corp:
    ssid: Corp
    auth:
      type: eap
      pairwise: [wpa2-ccmp]
      enable_mac_auth: false
    mist_nac: { enabled: false }
    vlan_enabled: false
    dynamic_vlan: { enabled: false }
    interface: all
    enabled: true
    hide_ssid: false
    schedule: { enabled: false }
    bands: ["24", "5", "6"]
    auth_servers:
      - host: { $var: radius_1 }
        secret: { $env: WLAN_SECRET_CORP_RADIUS_SECRET }
      - host: { $var: radius_2 }
        secret: { $env: WLAN_SECRET_CORP_RADIUS_SECRET }
    radsec: { enabled: false }
    isolation: false
    block_blacklist_clients: false
    portal: { enabled: false }
    disable_message_authenticator_check: false
    enable_wireless_bridging: false

  store:
    ssid: { $var: store_ssid }
    auth:
      type: psk
      psk: { $env: "WLAN_SECRET_{site}_STORE_PSK" }
      pairwise: [wpa2-ccmp]
      multi_psk_only: false
      enable_mac_auth: false
    dynamic_psk: { enabled: false }
    vlan_enabled: true
    vlan_id: 40
    interface: all
    enabled: true
    hide_ssid: false
    schedule: { enabled: false }
    bands: ["24", "5", "6"]
    isolation: false
    block_blacklist_clients: false
    portal:
      enabled: true
      auth: none
      bypass_when_cloud_down: false
    portal_allowed_subnets: [192.0.2.0/24]
    enable_wireless_bridging: false
`

import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import type { GroupName } from '../../../../src/core/audit/kinds.ts'
import { liveSite, nth } from '../estates.ts'
import { planned, textsOf } from '../import.ts'
import { acmeEstate } from './acme.ts'
import { layersOf } from './factored.ts'

describe('38 stores and two laboratories in two regions, with deviations made by hand', () => {
  const fleet = acmeEstate()
  let made: Awaited<ReturnType<typeof layersOf>>
  let texts: ReturnType<typeof textsOf>

  beforeAll(async () => {
    made = await layersOf(fleet, [{ name: 'north', glob: '10.10.*' }])
    texts = textsOf(made)
  })

  const all = () => [...texts.values()].join('\n')

  /** The lines of a site in the lists of sites, without its id. */
  function item(name: string): string {
    const found = [...texts.values()]
      .flatMap(text => text.split('\n  - '))
      .find(each => each.includes(`name: ${name}`) && each.startsWith('{'))
    return (found ?? '').replace(/id: [^,]+, /, '').trimEnd()
  }

  it('have an empty plan', async () => {
    const plan = await planned(texts, made.secrets, fleet)
    expect(Object.keys(plan)).toHaveLength(fleet.flatMap(({ wlans }) => wlans).length)
    expect(new Set(Object.values(plan))).toEqual(new Set(['unchanged']))
  })

  it('take 205 lines, in a file for each kind of site', () => {
    expect(made.lines).toEqual({ plain: 4825, factored: 205 })
    const guide = readFileSync('examples/README.md', 'utf8').replaceAll(/\s+/g, ' ')
    expect(guide).toContain('4,825 lines for 40 sites, not 205')
    expect([...texts.keys()]).toEqual(['profiles.yaml', 'groups.yaml', 'stores.yaml', 'labs.yaml'])
    expect(texts.get('stores.yaml')?.match(/name: /g)).toHaveLength(38)
  })

  it('keep the sites that lack a network, or misspell it, in the list of their kind', () => {
    for (const name of ['store-116', 'store-121', 'store-133']) {
      expect(item(name)).toContain('wlans: { acme-guest: { $managed: false } }')
    }
    expect(item('store-124')).toContain('wlans: { acme-guest: { ssid: ACME Geust } }')
  })

  it('keep their files if another store joins, which adds its own line', async () => {
    const more = textsOf(await layersOf(acmeEstate(39), [{ name: 'north', glob: '10.10.*' }]))
    const lines = (all: typeof texts) => [...all.values()].join('').split('\n')
    const before = lines(texts)
    expect(before.filter(line => !lines(more).includes(line))).toEqual([])
    expect(lines(more).length - before.length).toBe(1)
  })

  it('declare a copy by its id and the lines that differ', () => {
    expect(texts.get('stores.yaml')).toContain(`    name: store-118
    groups: [stores, north]
    wlans:
      acme-guest: { id: ${nth(1191)} }
      acme-guest-2:
        $extends: acme-guest
        ssid: ACME Guest
        id: ${nth(1194)}
        vlan_id: 41
        bands: ["24"]
`)
  })

  it('declare what all profiles have in common once', () => {
    const [head, base, ...profiles] = texts.get('profiles.yaml')?.split(/^ {2}\S+:\n/m) ?? []
    expect([head, base]).toEqual(['profiles:\n', BASE])
    for (const profile of profiles) {
      expect(profile).toMatch(/^ {4}\$extends: base\n/)
      expect(profile).not.toMatch(/hide_ssid|schedule|enable_mac_auth/)
    }
    expect(profiles).toHaveLength(5)
    expect(all().match(/portal: \{ enabled: false \}/g)).toHaveLength(2)
  })

  it('have no variable for a part of an SSID that does not name the site', () => {
    expect(item('lab-0')).toContain('vars: { lab_ssid: Lab-0 }')
  })

  it('declare an exception to true as false', () => {
    expect(item('store-104')).toContain('wlans: { acme-guest: { client_limit_up_enabled: false } }')
    expect(item('store-107')).toContain('wlans: { acme-guest: { isolation: false } }')
    expect(item('store-112')).toContain('wlans: { acme-iot: { l2_isolation: false } }')
    expect(item('store-126')).toContain('wlans: { acme-guest: { portal: { enabled: false } } }')
    expect(all()).not.toContain('$unset')
  })

  it('name the secret of each site by the site, in one line', () => {
    const [inProfile, ...others] = all().match(/.*ACME_IOT_PSK.*/g) ?? []
    expect(inProfile).toBe('      psk: { $env: "WLAN_SECRET_{site}_ACME_IOT_PSK" }')
    expect(item('store-102')).not.toContain('vars')
    // Two stores with the same key by mistake: no name reads like that of the key of all stores.
    const name = 'WLAN_SECRET_STORE_117_ACME_IOT_PSK'
    const override = `acme-iot: { auth: { psk: { $env: ${name} } } }`
    expect(others).toEqual([expect.stringContaining(override)])
    expect(item('store-119')).toContain(override)
  })

  it('have a group for each region, with the values of most of its sites', () => {
    expect(texts.get('groups.yaml')?.match(/^ {2}\S.*/gm)).toEqual([
      '  stores: {}',
      '  labs: {}',
      '  north:',
      '  radius-10-20-0-11:'
    ])
    expect(item('store-102')).toContain('groups: [stores, north]')
    expect(item('store-102')).not.toContain('radius')
    expect(item('store-138')).toContain('groups: [stores, radius-10-20-0-11]')
  })

  it('declare an exception to a group at its site', () => {
    // The servers of the other region, in the other order, and with another secret.
    expect(item('store-108')).toContain('groups: [stores, radius-10-20-0-11]')
    expect(all()).toMatch(
      /name: store-115\n.*\[stores, north\]\n.*radius_1: 10.10.0.12, radius_2: 10.10.0.11.*\n +wlans:\n +acme-corp:\n +acct_servers:\n/
    )
    expect(all()).not.toContain('accounting_1')
    expect(item('store-131')).toMatch(
      /groups: \[stores, radius-10-20-0-11\].*radius_secret: \{ \$env: .*STORE_131/s
    )
    expect(all().match(/radius_secret: .*/g)).toEqual([
      'radius_secret: { $env: WLAN_SECRET_NORTH_ACME_CORP_RADIUS_SECRET }',
      'radius_secret: { $env: WLAN_SECRET_RADIUS_10_20_0_11_ACME_CORP_RADIUS_SECRET }',
      'radius_secret: { $env: WLAN_SECRET_STORE_131_ACME_CORP_RADIUS_SECRET } } }'
    ])
  })
})

const BASE = `    auth: { enable_mac_auth: false }
    vlan_enabled: true
    interface: all
    enabled: true
    hide_ssid: false
    apply_to: site
    schedule: { enabled: false }
    block_blacklist_clients: true
    portal: { enabled: false }
    enable_wireless_bridging: false

`

it('the secret of each site has its name, and sites with similar names no such secret', async () => {
  const named = async (names: readonly string[]) => {
    const fleet = names.map((name, n) => {
      const auth = { type: 'psk', psk: `key-of-${n}` }
      return liveSite({ id: nth(n), name }, [{ id: nth(100 + n), ssid: 'IoT', auth }])
    })
    const made = await layersOf(fleet)
    const [template] = [...textsOf(made).values()].join('\n').match(/(?<=psk: \{ ).*(?= \})/) ?? []
    return [template, ...made.secrets.map(({ name }) => name)]
  }
  expect(await named(['Store 01', 'lab'])).toEqual([
    '$env: "WLAN_SECRET_{site}_IOT_PSK"',
    'WLAN_SECRET_STORE_01_IOT_PSK',
    'WLAN_SECRET_LAB_IOT_PSK'
  ])
  expect(await named(['store-1', 'Store 1'])).toEqual([
    '$var: iot_psk',
    'WLAN_SECRET_STORE_1_IOT_PSK',
    'WLAN_SECRET_STORE_1_2_IOT_PSK'
  ])
})

describe('the name of a group', () => {
  const named = async (sites: readonly string[], names: readonly GroupName[] = []) => {
    const fleet = sites.map((name, n) => {
      const region = n < sites.length / 2 ? 1 : 2
      const hosts = [11, 12].map(last => ({ host: `10.${region}.0.${last}`, secret: 'of-all' }))
      const record = { id: nth(100 + n), ssid: 'Corp', auth: { type: 'eap' }, auth_servers: hosts }
      return liveSite({ id: nth(n), name }, [record])
    })
    const { unmatched, ...made } = await layersOf(fleet, names)
    const groups = textsOf(made)
      .get('groups.yaml')
      ?.match(/(?<=^ {2})\S+(?=:)/gm)
    return { groups, unmatched }
  }
  const berlin = [1, 2, 3].map(n => `berlin-${n}`)
  const oslo = [1, 2, 3].map(n => `shop-oslo-${n}`)

  it.each<[from: string, sites: string[], names: string[], groups: string[]]>([
    ['the common word of its sites', [...berlin, ...oslo], [], ['berlin', 'shop']],
    [
      'its first value',
      ['a', 'b', 'c', 'd', 'e', 'f'],
      [],
      ['radius-10-1-0-11', 'radius-10-2-0-11']
    ],
    ['a value', [...berlin, ...oslo], ['north=10.1.*'], ['north', 'shop']],
    ['the names of its sites', [...berlin, ...oslo], ['south=*oslo*', 'x=*-1'], ['berlin', 'south']]
  ])('comes from %s', async (_, sites, names, groups) => {
    const pairs = names
      .map(text => text.split('='))
      .map(([name = '', glob = '']) => ({ name, glob }))
    const unmatched = pairs.filter(({ name }) => name === 'x')
    expect(await named(sites, pairs)).toEqual({ groups, unmatched })
  })
})

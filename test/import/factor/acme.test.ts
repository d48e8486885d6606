import { beforeAll, describe, expect, it } from 'vitest'
import type { GroupName } from '../../../src/import/factor/group-names.ts'
import { liveSite, nth } from '../estates.ts'
import { planned } from '../import.ts'
import { acmeEstate } from './acme.ts'
import { layersOf, textsOf } from './factored.ts'

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

  it('declare an exception to true as false', () => {
    expect(item('store-104')).toContain('wlans: { acme-guest: { client_limit_up_enabled: false } }')
    expect(item('store-107')).toContain('wlans: { acme-guest: { isolation: false } }')
    expect(item('store-112')).toContain('wlans: { acme-iot: { l2_isolation: false } }')
    expect(item('store-126')).toContain('wlans: { acme-guest: { portal: { enabled: false } } }')
    expect(all()).not.toContain('$unset')
  })

  it('name the secret of each site by the site, in one line', () => {
    expect(all().match(/.*ACME_IOT_AUTH_PSK.*/g)).toEqual([
      '      psk: { $env: "WLAN_SECRET_{site}_ACME_IOT_AUTH_PSK" }'
    ])
    expect(item('store-102')).toContain('vars: { site: store-102 }')
    // Two stores with the same key by mistake: no name reads like that of the key of all stores.
    const names = made.secrets.map(({ name }) => name)
    expect(names).toEqual(
      expect.arrayContaining([117, 119].map(n => `WLAN_SECRET_STORE_${n}_ACME_IOT_AUTH_PSK`))
    )
    expect(names).not.toContain('WLAN_SECRET_ACME_IOT_AUTH_PSK')
  })

  it('have a group for each region, with the values of most of its sites', () => {
    expect(texts.get('groups.yaml')?.match(/^ {2}\S.*/gm)).toEqual(['  north:', '  group-2:'])
    expect(item('store-102')).toContain('groups: [north]')
    expect(item('store-102')).not.toContain('radius')
    expect(item('store-138')).toContain('groups: [group-2]')
  })

  it('declare an exception to a group at its site', () => {
    // The servers of the other region, in the other order, and with another secret.
    expect(item('store-108')).toContain('groups: [group-2]')
    expect(item('store-115')).toMatch(
      /groups: \[north\].*radius_1: 10.10.0.12, radius_2: 10.10.0.11/s
    )
    expect(item('store-131')).toMatch(/groups: \[group-2\].*radius_secret: \{ \$env: .*STORE_131/s)
    expect(all().match(/radius_secret: /g)).toHaveLength(3)
  })
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
    ['its number', ['a', 'b', 'c', 'd', 'e', 'f'], [], ['group-1', 'group-2']],
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

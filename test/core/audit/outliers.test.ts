import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { Auditor } from '../../../src/core/audit/auditor.ts'
import { clearMajority } from '../../../src/core/audit/outliers.ts'
import type { Audit } from '../../../src/core/model/audit.ts'
import type { LiveWlan } from '../../../src/core/model/live.ts'
import { isList, type ValueObject } from '../../../src/core/values/value.ts'
import { wlanValue } from '../../../src/service/live.ts'
import { acmeEstate } from '../../author/import/factor/acme.ts'
import { runs } from '../../support/properties.ts'
import { readTable } from '../table.ts'
import { change, estate, estates, remove, type Store, servers } from './estate.ts'

function auditOf(
  stores: readonly Store[],
  groupsOf: (nth: number) => readonly string[] = () => []
): Audit {
  const auditor = new Auditor()
  for (const [nth, { id, name, wlans }] of stores.entries()) {
    const live = wlans.map(wlan => {
      const record = wlanValue(structuredClone(wlan) as never) as ValueObject
      return { id: String(wlan['id']), ssid: String(wlan['ssid']), record, readAt: 0 }
    })
    auditor.add({ site: { id, name }, wlans: live }, groupsOf(nth))
  }
  return auditor.result({ baseUrl: 'https://api.example.com', requests: 0, unread: [] })
}

/** Each outlier as `SSID @ sites: kind field`. */
function found({ outliers }: Audit): string[] {
  return outliers.map(({ ssid, sites, differences }) => {
    const what = differences.map(each => {
      if (each.kind === 'missing' && each.similar !== undefined) return `misspelled ${each.similar}`
      return 'field' in each ? `${each.kind} ${each.field}` : each.kind
    })
    return `${ssid} @ ${sites.join(' ').replaceAll(/[A-Za-z]+-/g, '')}: ${what.sort().join(', ')}`
  })
}

describe('networks whose SSIDs differ in a number alone', () => {
  const tills = (sites: number, ssid = (site: number) => `Tills ${site}`): Store[] =>
    Array.from({ length: sites }, (_, site) => ({
      id: `00000000-0000-4000-8000-${String(site).padStart(12, '0')}`,
      name: `store-${site}`,
      wlans: [
        {
          id: `00000000-0000-4000-9000-${String(site).padStart(12, '0')}`,
          ...{ ssid: ssid(site), vlan_enabled: true, vlan_id: site === 4 ? 61 : 60 }
        }
      ]
    }))

  it('are one network, whose differences are found', () => {
    const audited = auditOf(tills(12))
    expect(found(audited)).toEqual(['Tills * @ 4: value /vlan_id'])
    expect(audited.networks.map(({ ssid, wlans }) => [ssid, wlans])).toEqual([['Tills *', 12]])
  })

  it('are missed where a site has none', () => {
    const stores = tills(12).map((store, at) => (at === 7 ? { ...store, wlans: [] } : store))
    expect(found(auditOf(stores))).toEqual(['Tills * @ 7: missing', 'Tills * @ 4: value /vlan_id'])
  })

  it('are several where a site has two of them, or many sites have one', () => {
    const [first, ...others] = tills(12)
    const two = { ...first, wlans: [...(first?.wlans ?? []), ...(tills(20)[19]?.wlans ?? [])] }
    const names = ({ networks }: Audit) => networks.map(({ ssid }) => ssid)
    expect(names(auditOf([two as Store, ...others]))).not.toContain('Tills *')
    expect(names(auditOf(tills(12, site => `Guest ${site % 3}`))).sort()).toEqual([
      'Guest 0',
      'Guest 1',
      'Guest 2'
    ])
  })
})

test.each<[counts: readonly number[], usual: number | undefined]>([
  [[], undefined],
  [[2], undefined],
  [[3], 0],
  [[2, 1], 0],
  [[3, 2], undefined],
  [[1, 99], 1],
  [[1, 1, 1], undefined]
])('the clear majority of %j is %j', (counts, usual) => {
  expect(clearMajority(counts.entries())).toBe(usual)
})

type Planted = readonly [
  estate: string,
  site: number,
  ssid: string,
  fields: ValueObject | null,
  outlier: string
]

const planted = readTable<readonly Planted[]>('outliers.txt', import.meta.url)

function plant(stores: readonly Store[], [, nth, ssid, fields]: Planted): void {
  const store = stores[nth]
  if (fields === null) remove(store, ssid)
  else if (store?.wlans.some(wlan => wlan['ssid'] === ssid)) change(store, ssid, fields)
  else store?.wlans.push({ ssid, ...fields })
}

it.each(Object.keys(estates))(
  '%s have no outliers for equivalent notations, and for what each site or kind has of its own',
  name => {
    expect(found(auditOf(estate(name)))).toEqual([])
  }
)

it.each(['equal stores', 'a hospital group', 'schools'])(
  'the outliers of %s are all deviations at once, without a false one and without a secret',
  name => {
    const stores = estate(name)
    const own = planted.filter(([estate]) => estate === name)
    expect(own.length).toBeGreaterThanOrEqual(25)
    for (const each of own) plant(stores, each)
    const audit = auditOf(stores)
    expect(found(audit).sort()).toEqual(own.map(([, , , , outlier]) => outlier).sort())
    expect(JSON.stringify(audit.outliers)).not.toMatch(/psk-of|radius-of|another-|welcome|-of-one/)
  }
)

describe('the outliers of equal stores', () => {
  it('have the usual and the other value, and equal ones of several stores are one', () => {
    const stores = estate()
    change(stores[1], 'ACME Corp', { auth_servers: servers(['10.1.0.2', '10.1.0.1'], 0) })
    for (const nth of [2, 3]) change(stores[nth], 'ACME Guest', { enabled: false })
    for (const nth of [4, 5]) {
      change(stores[nth], 'ACME IoT', { vlan_id: 61, max_num_clients: 0 })
    }
    expect(auditOf(stores).outliers).toEqual([
      {
        ssid: 'ACME Corp',
        sites: ['store-1'],
        differences: [
          {
            kind: 'value',
            field: '/auth_servers',
            usual: ['10.1.0.1', '10.1.0.2'],
            value: ['10.1.0.2', '10.1.0.1'],
            usualCount: 39
          }
        ]
      },
      {
        ssid: 'ACME Guest',
        sites: ['store-2', 'store-3'],
        differences: [
          { kind: 'value', field: '/enabled', usual: true, value: false, usualCount: 38 }
        ]
      },
      {
        ssid: 'ACME IoT',
        sites: ['store-4', 'store-5'],
        differences: [
          { kind: 'value', field: '/max_num_clients', usual: 64, value: 0, usualCount: 38 },
          { kind: 'value', field: '/vlan_id', usual: 60, value: 61, usualCount: 38 }
        ]
      }
    ])
  })

  it('compare no secret that the service masks', () => {
    const stores = estate()
    for (const { wlans } of stores) {
      for (const wlan of wlans) {
        if ('auth_servers' in wlan) wlan['auth_servers'] = servers(['10.1.0.1'], 0, '********')
      }
    }
    change(stores[1], 'ACME Corp', { auth_servers: servers(['10.1.0.1'], 0, 'shown-by-chance') })
    expect(found(auditOf(stores))).toEqual([])
  })
})

describe('with the groups of a fleet, the outliers', () => {
  const east = servers(['10.1.0.1', '10.1.0.2'], 0)
  const west = servers(['10.2.0.1', '10.2.0.2'], 0)
  const isWest = (nth: number) => nth >= 20
  const twoRegions = () => {
    const stores = estate()
    for (const store of stores.slice(20)) change(store, 'ACME Corp', { auth_servers: west })
    for (const store of stores.slice(20)) remove(store, 'ACME IoT')
    return stores
  }
  const regionOf = (nth: number) => ['stores', isWest(nth) ? 'west' : 'east']

  it('are those within a region', () => {
    const stores = twoRegions()
    expect(found(auditOf(stores, regionOf))).toEqual([])
    change(stores[1], 'ACME Corp', { auth_servers: west })
    change(stores[21], 'ACME Corp', { auth_servers: east })
    remove(stores[2], 'ACME IoT')
    const audit = auditOf(stores, regionOf)
    expect(found(audit)).toEqual([
      'ACME IoT @ 2: missing',
      'ACME Corp @ 1: value /auth_servers',
      'ACME Corp @ 21: value /auth_servers'
    ])
    expect(audit.outliers.map(({ peers }) => peers)).toEqual([
      'group east',
      'group east',
      'group west'
    ])
    // Without groups, store-2 has the networks of the west.
    expect(found(auditOf(stores))).toEqual([
      'ACME Corp @ 1: value /auth_servers',
      'ACME Corp @ 2 21: value /auth_servers'
    ])
  })

  it('are those of the next group where the first has no majority', () => {
    const stores = estate()
    change(stores[0], 'ACME Guest', { isolation: false })
    const pairs = (nth: number) => ['stores', `pair-${nth >> 1}`]
    expect(auditOf(stores, pairs).outliers.map(({ peers }) => peers)).toEqual(['group stores'])
  })

  it('compare no site of a group of two with sites of other groups', () => {
    const stores = estate()
    for (const nth of [0, 1]) change(stores[nth], 'ACME Guest', { isolation: false, vlan_id: nth })
    const labs = (nth: number) => [nth < 2 ? 'labs' : 'stores']
    expect(found(auditOf(stores, labs))).toEqual([])
  })
})

describe('without groups, where several values are usual, the outliers', () => {
  it('are the lists that few sites have, and that share elements with a usual one', () => {
    const auditor = new Auditor()
    for (const { site, wlans } of acmeEstate()) {
      const isShort = site.name === 'store-113'
      const live = wlans.map(wlan => (isShort ? withOneServer(wlan) : wlan))
      auditor.add({ site, wlans: live })
    }
    const { outliers } = auditor.result({ baseUrl: '', requests: 0, unread: [] })
    const north = ['10.10.0.11', '10.10.0.12']
    const lists = outliers.flatMap(({ sites, differences }) =>
      differences.flatMap(each =>
        each.kind === 'value' && each.field === '/auth_servers'
          ? [[sites, each.value, each.usual, each.usualCount]]
          : []
      )
    )
    expect(lists).toEqual([
      [['store-113'], north.slice(0, 1), north, 17],
      [['store-115'], [...north].reverse(), north, 17]
    ])
  })

  function withOneServer(wlan: LiveWlan): LiveWlan {
    const servers = wlan.record['auth_servers']
    if (!isList(servers)) return wlan
    return { ...wlan, record: { ...wlan.record, auth_servers: servers.slice(0, 1) } }
  }

  /** Servers that share none with those of another region. */
  const hostsOf = (region: number, count: number) =>
    Array.from({ length: count }, (_, last) => `10.${region}.0.${last + 1}`)

  /** The numbers of stores of one to three regions; none has two thirds of several. */
  const sizes = fc.constantFrom([40], [20, 20], [26, 14], [14, 13, 13], [10, 20, 10], [10, 12, 18])

  function storesIn(counts: readonly number[], hosts: number): Store[] {
    const regions = counts.flatMap((count, region) => Array<number>(count).fill(region))
    return estate().map((store, nth) => {
      const region = regions[nth] ?? 0
      const own = servers(hostsOf(region, hosts + region), nth, `radius-of-${region}`)
      change(store, 'ACME Corp', { auth_servers: own, vlan_id: 10 + region })
      return store
    })
  }

  it('are none where no site deviates, and else the one that does', () => {
    const edit = fc.constantFrom<(hosts: readonly string[]) => readonly string[]>(
      hosts => [...hosts].reverse(),
      hosts => hosts.slice(1),
      () => [],
      hosts => [...hosts, '10.9.9.9'],
      hosts => ['10.9.9.9', ...hosts.slice(1)]
    )
    const count = fc.integer({ min: 2, max: 4 })
    const at = fc.integer({ min: 0, max: 39 })
    const property = fc.property(sizes, count, edit, at, (counts, hosts, edited, nth) => {
      const stores = storesIn(counts, hosts)
      expect(found(auditOf(stores))).toEqual([])
      const corp = stores[nth]?.wlans.find(({ ssid }) => ssid === 'ACME Corp')
      const own = corp?.['auth_servers'] as { host: string; secret: string }[]
      const secret = own[0]?.secret
      const deviating = edited(own.map(({ host }) => host))
      change(stores[nth], 'ACME Corp', { auth_servers: servers(deviating, nth, secret) })
      expect(found(auditOf(stores))).toEqual([`ACME Corp @ ${nth}: value /auth_servers`])
    })
    fc.assert(property, runs(2))
  })
})

import type { LiveSite } from '../../../../src/core/model/live.ts'
import { commonFields } from '../../../../src/simulator/fleet/generate.ts'
import { liveSite, nth } from '../estates.ts'

type Fields = Readonly<Record<string, unknown>>
type Change = (wlans: readonly Fields[]) => readonly Fields[]

/** The RADIUS servers of the two regions, with their secrets. */
const REGIONS = {
  north: ['10.10.0', 'radius-of-the-north'],
  south: ['10.20.0', 'radius-of-the-south']
} as const
type Region = keyof typeof REGIONS

function servers(region: Region, secret: string = REGIONS[region][1]): Fields {
  const hosts = [11, 12].map(last => ({ host: `${REGIONS[region][0]}.${last}`, secret }))
  return { auth_servers: hosts, acct_servers: hosts.slice(0, 1) }
}

function usual(n: number, region: Region): readonly Fields[] {
  const portal = { enabled: true, auth: 'none', expire: 1440 }
  return [
    {
      ssid: 'ACME Corp',
      auth: { type: 'eap', pairwise: ['wpa2-ccmp', 'wpa3'] },
      vlan_enabled: true,
      vlan_id: 10,
      ...servers(region)
    },
    {
      ssid: 'ACME Guest',
      vlan_enabled: true,
      vlan_id: 20,
      isolation: true,
      client_limit_up_enabled: true,
      client_limit_up: 2000,
      portal
    },
    {
      ssid: 'ACME IoT',
      auth: { type: 'psk', psk: `key-of-the-things-${n}` },
      vlan_enabled: true,
      vlan_id: 30,
      bands: ['24'],
      isolation: true,
      l2_isolation: true
    },
    {
      ssid: 'ACME Voice',
      auth: { type: 'psk', psk: 'voice-of-all-stores' },
      vlan_enabled: true,
      vlan_id: 50,
      bands: ['5'],
      qos: { class: 'voice', overwrite: true }
    }
  ]
}

const [corp, guest, iot] = ['ACME Corp', 'ACME Guest', 'ACME IoT'] as const

function changed(ssid: string, fields: Fields): Change {
  return wlans => wlans.map(wlan => (wlan['ssid'] === ssid ? { ...wlan, ...fields } : wlan))
}

function without(ssid: string): Change {
  return wlans => wlans.filter(wlan => wlan['ssid'] !== ssid)
}

const reversed = REGIONS.north[1]

/** The deviations by store. */
const DEVIATIONS: Readonly<Record<string, Change>> = {
  'store-104': changed(guest, { client_limit_up_enabled: false }),
  'store-107': changed(guest, { isolation: false }),
  'store-108': changed(corp, servers('south')),
  'store-110': changed(corp, { vlan_id: 11 }),
  'store-112': changed(iot, { l2_isolation: false }),
  'store-115': changed(corp, {
    auth_servers: [12, 11].map(last => ({ host: `10.10.0.${last}`, secret: reversed }))
  }),
  'store-116': without(guest),
  // The same key as that of store-119.
  'store-117': changed(iot, { auth: { type: 'psk', psk: 'key-of-the-things-20' } }),
  // A second guest network with the same SSID.
  'store-118': wlans => [
    ...wlans,
    ...changed(guest, { vlan_id: 41, bands: ['24'] })(wlans.slice(1, 2))
  ],
  'store-121': without(guest),
  'store-124': changed(guest, { ssid: 'ACME Geust' }),
  'store-126': changed(guest, { portal: { enabled: false } }),
  'store-131': changed(corp, servers('south', 'radius-of-one-store')),
  'store-133': without(guest),
  'store-135': changed(corp, { enabled: false }),
  'lab-0': wlans => [
    ...wlans,
    {
      ssid: 'Lab-0',
      auth: { type: 'psk', psk: 'key-of-the-lab-0' },
      vlan_enabled: true,
      vlan_id: 99
    }
  ],
  'lab-1': wlans => [
    ...wlans,
    {
      ssid: 'Lab-1',
      auth: { type: 'psk', psk: 'key-of-the-lab-1' },
      vlan_enabled: true,
      vlan_id: 99
    }
  ]
}

/** Two laboratories and some stores in two regions; of 38, 15 have deviations that people made by hand. */
export function acmeEstate(stores = 38): LiveSite[] {
  const names = ['lab-0', 'lab-1', ...Array.from({ length: stores }, (_, n) => `store-${101 + n}`)]
  return names.map((name, n) => {
    const wlans = usual(n, n < 20 ? 'north' : 'south')
    const records = (DEVIATIONS[name]?.(wlans) ?? wlans).map((fields, at) => ({
      ...commonFields,
      ...fields,
      id: nth(1000 + 10 * n + at),
      site_id: nth(n)
    }))
    return liveSite({ id: nth(n), name }, JSON.parse(JSON.stringify(records)))
  })
}

import type { LiveSite } from '../../../../src/core/model/live.ts'
import { liveSite, nth } from '../estates.ts'

type Fields = Readonly<Record<string, unknown>>

/** The two regions of the fleet with their RADIUS servers. */
const REGIONS = [
  ['10.1.0.10', '10.1.0.11'],
  ['10.2.0.10', '10.2.0.11']
]

function corp(n: number): Fields {
  const servers = (REGIONS[n < 22 ? 0 : 1] ?? []).map(host => ({ host, secret: 'of-all-stores' }))
  return {
    ssid: 'Corp',
    auth: { type: 'eap' },
    vlan_enabled: true,
    vlan_id: 20,
    auth_servers: servers
  }
}

function guest(n: number): Fields {
  const portal = { enabled: true, auth: 'none', expire: 480 }
  return { ssid: 'Guest', vlan_enabled: true, vlan_id: 100 + n, isolation: true, portal }
}

const scanners: Fields = {
  ssid: 'Scanners',
  auth: { type: 'psk', psk: 'key-of-the-scanners' },
  vlan_enabled: true,
  vlan_id: '60',
  bands: ['24'],
  hide_ssid: true
}

/** The differences of 15 stores, by number: fields of a WLAN, or a change of the list of WLANs. */
const ODD: Readonly<Record<number, (wlans: readonly Fields[]) => readonly Fields[]>> = {
  2: changed('Guest', { dtim: 1 }),
  5: changed('Guest', { isolation: false }),
  8: changed('Corp', { vlan_id: 21 }),
  10: changed('Corp', { bands: ['5'] }),
  11: changed('Corp', { max_idletime: 600 }),
  14: changed('Scanners', { hide_ssid: false }),
  15: changed('Scanners', { vlan_id: 60, bands: ['24', '5'] }),
  17: changed('Scanners', { auth: { type: 'psk', psk: 'key-of-one-store' } }),
  20: changed('Guest', { portal: { enabled: true, auth: 'none', expire: 60 } }),
  // The documented default, which is not imported.
  23: changed('Guest', { portal: { enabled: true, auth: 'none' } }),
  26: changed('Guest', { portal: { enabled: false } }),
  29: wlans => [...wlans, { ...guest(29), ssid: 'Event', vlan_id: 300 }],
  32: wlans => wlans.filter(({ ssid }) => ssid !== 'Guest'),
  35: changed('Corp', { enabled: false }),
  38: changed('Guest', { dtim: 1, hide_ssid: true })
}

function changed(ssid: string, fields: Fields) {
  return (wlans: readonly Fields[]) =>
    wlans.map(wlan => (wlan['ssid'] === ssid ? { ...wlan, ...fields } : wlan))
}

/** The numbers of the stores with differences. */
export const oddStores: readonly number[] = Object.keys(ODD).map(Number)

/** 40 stores with three WLANs each, 15 of them with differences if `odd`. */
export function trialEstate(odd: boolean): LiveSite[] {
  return Array.from({ length: 40 }, (_, n) => {
    // Every other store has a number as string, which is equivalent.
    const usual = [corp(n), guest(n), n % 2 === 0 ? scanners : { ...scanners, vlan_id: 60 }]
    const wlans = (odd ? ODD[n] : undefined)?.(usual) ?? usual
    const records = wlans.map((fields, at) => ({ ...fields, id: nth(1000 + 10 * n + at) }))
    const site = { id: nth(n), name: `store-${String(n + 1).padStart(3, '0')}` }
    return liveSite(site, JSON.parse(JSON.stringify(records)))
  })
}

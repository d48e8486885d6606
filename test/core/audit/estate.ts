/** A store of the estate; the tests change its WLANs. */
export interface Store {
  readonly id: string
  readonly name: string
  readonly wlans: Record<string, unknown>[]
}

const uuid = (nth: number) => `00000000-0000-4000-8000-${String(nth).padStart(12, '0')}`

/** Notations of the same values, one for each store in turn. */
const vlans = [30, '30']
const ports = [1812, '1812']
const bands = [
  ['24', '5'],
  ['5', '24']
]
const defaults = [{}, { hide_ssid: false, max_idletime: 1800 }, { hide_ssid: null, ap_ids: [] }]

/** RADIUS servers at these addresses. */
export const servers = (hosts: readonly string[], nth: number, secret = 'radius-of-all') =>
  hosts.map(host => ({ host, secret, port: ports[nth % 2] }))

/** 40 stores with five networks, equal but for notations and for what each store has of its own. */
export function estate(): Store[] {
  return Array.from({ length: 40 }, (_, nth) => {
    const own = { site_id: uuid(nth), enabled: true, ...defaults[nth % 3], vlan_enabled: true }
    const wlans = [
      {
        ssid: 'ACME Corp',
        auth: { type: 'eap', pairwise: ['wpa3'] },
        auth_servers: servers(['10.1.0.1', '10.1.0.2'], nth),
        acct_servers: servers(['10.1.0.3'], 0),
        auth_servers_nas_id: `nas-${nth}`,
        vlan_id: vlans[nth % 2]
      },
      {
        ssid: 'ACME Guest',
        auth: { type: 'open' },
        portal: { enabled: true, auth: 'password', password: 'welcome-to-acme' },
        portal_allowed_hostnames: ['acme.example', 'pay.example'],
        isolation: true,
        client_limit_down_enabled: true,
        client_limit_down: 5000,
        vlan_id: 40,
        bands: bands[nth % 2]
      },
      {
        ssid: 'ACME Staff',
        auth: { type: 'psk', psk: `psk-of-store-${nth}` },
        schedule: { enabled: true, hours: { mon: '06:00-22:00', sat: '08:00-20:00' } },
        vlan_id: 100 + nth
      },
      {
        ssid: 'ACME Voice',
        auth: { type: 'psk', psk: 'psk-of-all-voice' },
        template_id: uuid(999),
        bands: ['5'],
        vlan_id: 50
      },
      {
        ssid: 'ACME IoT',
        auth: { type: 'psk', psk: 'psk-of-all-things' },
        max_num_clients: 64,
        vlan_id: 60
      }
    ].map((wlan, place) => ({ id: uuid(1000 + 10 * nth + place), ...own, ...wlan }))
    return { id: uuid(nth), name: `store-${nth}`, wlans }
  })
}

/** Replaces fields of a WLAN. */
export function change(store: Store | undefined, ssid: string, fields: object): void {
  const wlan = store?.wlans.find(each => each['ssid'] === ssid)
  if (wlan === undefined) throw new Error(`no WLAN ${ssid}`)
  Object.assign(wlan, fields)
}

export function remove(store: Store | undefined, ssid: string): void {
  const at = store?.wlans.findIndex(each => each['ssid'] === ssid) ?? -1
  if (at < 0) throw new Error(`no WLAN ${ssid}`)
  store?.wlans.splice(at, 1)
}

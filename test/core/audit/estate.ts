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

/** A kind of site: its name, the networks of the five that it lacks, those that it has more, and what it has otherwise. */
interface Kind {
  readonly name: string
  readonly lacks?: readonly string[]
  readonly more?: readonly string[]
  readonly otherwise?: Readonly<Record<string, object>>
}

const hospital: Kind = {
  name: 'hospital',
  more: ['Med'],
  otherwise: { 'ACME Corp': { vlan_id: 31 }, 'ACME Guest': { isolation: false, vlan_id: 41 } }
}
const [guest, staff, voice, iot] = ['ACME Guest', 'ACME Staff', 'ACME Voice', 'ACME IoT'] as const
const common = ['ACME Corp', guest, staff, voice, iot]
const cities = ['Wien', 'Graz', 'Linz', 'Bern', 'Basel', 'Rom', 'Mailand', 'Turin', 'Genua', 'Pisa']
const halls = ['library', 'chemistry', 'dormitory', 'refectory', 'stadium', 'rectorate', 'theatre']

/** An office with two of the common networks, another pair at each of ten, and two of its own. */
function office(nth: number): Kind {
  const pairs = common.flatMap((a, at) => common.slice(at + 1).map(b => [a, b]))
  const city = cities[nth] ?? ''
  return {
    name: city,
    lacks: common.filter(ssid => !pairs[nth]?.includes(ssid)),
    more: [`${city} Team`, `Werkstatt ${city}`],
    otherwise: { 'ACME Corp': { vlan_id: 200 + nth }, [iot]: { max_num_clients: 8 * nth } }
  }
}

/** The kind of the nth site of an estate; every fourth of the first 32 is of another kind, where there are several. */
export const estates: Readonly<Record<string, readonly [sites: number, (nth: number) => Kind]>> = {
  'equal stores': [40, () => ({ name: 'store' })],
  'a hospital group': [
    46,
    nth => {
      if (nth < 32) return nth % 4 === 3 ? hospital : { name: 'clinic' }
      if (nth === 45) return { name: 'campus', more: ['Med', 'Lab', 'Aula'] }
      const otherwise = { 'ACME Corp': { auth_servers: servers(['10.7.0.1'], 0), vlan_id: 70 } }
      return nth < 40
        ? { name: 'lab', lacks: [staff, voice, iot, 'ACME Guest'], more: ['Lab'], otherwise }
        : { name: 'office', lacks: [voice, iot], otherwise }
    }
  ],
  'a chain with two formats': [
    40,
    nth =>
      nth % 4 === 3
        ? { ...hospital, name: 'store', more: ['Kiosk', 'Café'] }
        : { name: 'store', otherwise: { 'ACME Guest': { max_num_clients: 9 } } }
  ],
  'hotels with names of their own': [
    40,
    nth => ({ ...(nth % 4 === 3 && hospital), name: cities[nth % 10] ?? '' })
  ],
  schools: [
    40,
    nth =>
      nth % 4 === 3
        ? {
            name: 'high-school',
            lacks: [voice],
            more: ['Boarders', 'Exams'],
            otherwise: { [guest]: { vlan_id: 45, portal: { enabled: true, auth: 'none' } } }
          }
        : { name: 'primary-school' }
  ],
  'one big campus': [
    40,
    nth => ({
      name: halls[nth % halls.length] ?? '',
      otherwise: { [staff]: { vlan_id: 110, auth: { type: 'psk', psk: 'psk-of-the-campus' } } }
    })
  ],
  'offices that are all different': [10, office]
}

/** The sites of an estate, those of a kind equal but for notations and for what each has of its own. */
export function estate(name = 'equal stores'): Store[] {
  const [sites = 0, kindOf = () => ({ name })] = estates[name] ?? []
  return Array.from({ length: sites }, (_, nth) => {
    const kind: Kind = kindOf(nth)
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
      },
      ...(kind.more ?? []).map((ssid, place) => ({
        ssid,
        auth: { type: 'eap' },
        vlan_id: 80 + place
      }))
    ]
    const made = wlans
      .map((wlan, place) => {
        const id = uuid(1000 + 10 * nth + place)
        return { id, ...own, ...wlan, ...kind.otherwise?.[wlan.ssid] }
      })
      .filter(({ ssid }) => !kind.lacks?.includes(ssid))
    return { id: uuid(nth), name: `${kind.name}-${nth}`, wlans: made }
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

import type { JsonObject, WlanRecord } from '../json.ts'
import type { SimulatedSite } from '../store.ts'
import { type Random, randomInt, randomText, randomUuid, seededRandom } from './random.ts'

export interface FleetSize {
  readonly sites: number
  readonly wlans: number
  /** The same seed gives the same fleet, with the same ids and secrets. */
  readonly seed: number
}

/** The earliest `created_time`, in seconds since 1970. */
const EARLIEST = 1_600_000_000
const YEAR = 365 * 24 * 3600

/**
 * Generates a realistic fleet: shops, schools and hospitals that share a few WLANs. The records of a site are
 * generated when `wlans` is read, which keeps large fleets cheap. With the same seed, a smaller fleet is a
 * prefix of a larger one.
 */
export function generateFleet({ sites, wlans, seed }: FleetSize): SimulatedSite[] {
  const organisation = randomUuid(seededRandom(seed, 'organisation'))
  return Array.from({ length: sites }, (_, site) => {
    const id = randomUuid(seededRandom(seed, 'site', site))
    return {
      id,
      name: siteName(site),
      org: organisation,
      get wlans() {
        const random = seededRandom(seed, 'wlans', site)
        const owners = { org_id: organisation, site_id: id }
        return Array.from({ length: wlans }, (_, nth) => generateWlan(nth, site, owners, random))
      }
    }
  })
}

interface Owners {
  readonly org_id: string
  readonly site_id: string
}

/**
 * The nth WLAN; templates repeat, numbered. The record's own fields come first: V8 is ten times
 * faster at that than at adding them last.
 */
function generateWlan(nth: number, site: number, owners: Owners, random: Random): WlanRecord {
  const template = wlanTemplates[nth % wlanTemplates.length] as WlanTemplate
  const round = Math.floor(nth / wlanTemplates.length)
  const created = EARLIEST + randomInt(random, YEAR)
  return {
    id: randomUuid(random),
    ssid: round === 0 ? template.ssid : `${template.ssid} ${round + 1}`,
    ...owners,
    created_time: created,
    modified_time: created + randomInt(random, YEAR),
    ...commonFields,
    ...template.fields({ site, random })
  }
}

const places = [
  'Harbour',
  'Lakeside',
  'Northgate',
  'Old Mill',
  'Riverside',
  'Station Road',
  'Market Square',
  'Hillcrest',
  'Elm Park',
  'Castle View',
  'Airport',
  'Westfield',
  'Chapel Street',
  'Docklands',
  'Meadow Lane',
  'Kingsway',
  'Orchard',
  'Quarry Hill',
  'Saint Anne',
  'University'
] as const

const siteKinds = [
  'Hospital',
  'Primary School',
  'Clinic',
  'High School',
  'Office',
  'Library'
] as const

/** Every fourth site is not a shop, as in the fleets of retailers. */
const SITES_PER_ROW = 4

/** The unique name of a fleet's nth site, from 0: `Store 0042 Harbour`, `Lakeside Hospital`. */
export function siteName(nth: number): string {
  const row = Math.floor(nth / SITES_PER_ROW)
  if (nth % SITES_PER_ROW < SITES_PER_ROW - 1) {
    const number = String(nth + 1).padStart(4, '0')
    return `Store ${number} ${places[nth % places.length]}`
  }
  const place = places[row % places.length]
  const kind = siteKinds[Math.floor(row / places.length) % siteKinds.length]
  const round = Math.floor(row / (places.length * siteKinds.length))
  return round === 0 ? `${place} ${kind}` : `${place} ${kind} ${round + 1}`
}

interface TemplateContext {
  readonly site: number
  readonly random: Random
}

interface WlanTemplate {
  readonly ssid: string
  fields(context: TemplateContext): JsonObject
}

const eap = { type: 'eap', pairwise: ['wpa2-ccmp', 'wpa3'], eap_reauth: false, private_wlan: false }

const wlanTemplates: readonly WlanTemplate[] = [
  {
    ssid: 'Corp',
    fields: context => ({ ...vlan(20), ...radius(context), auth: eap, roam_mode: '11r' })
  },
  {
    ssid: 'Guest',
    fields: context => ({ ...vlan(40), ...guestPortal(context), auth: { type: 'open' } })
  },
  {
    ssid: 'IoT',
    fields: context => ({ ...vlan(60), ...psk(context), bands: ['24'], isolation: true })
  },
  {
    ssid: 'Staff',
    fields: context => ({ ...vlan(30), ...radius(context), auth: eap, ...dynamicVlan })
  },
  { ssid: 'Voice', fields: context => ({ ...vlan(50), ...psk(context), ...voice }) },
  {
    ssid: 'Scanners',
    fields: context => ({ ...vlan('70'), ...psk(context), hide_ssid: true, dtim: 1 })
  },
  { ssid: 'Printers', fields: context => ({ ...vlan(80), ...psk(context), allow_mdns: true }) },
  { ssid: 'BYOD', fields: context => ({ ...vlan(90), ...psk(context), ...dynamicPsk(context) }) },
  { ssid: 'Signage', fields: context => ({ ...vlan('100'), ...psk(context), bands: ['5'] }) },
  {
    ssid: 'Events',
    fields: context => ({ ...vlan(110), ...psk(context), ...eventsSchedule, enabled: false })
  }
]

const dynamicVlan: JsonObject = {
  dynamic_vlan: {
    enabled: true,
    type: 'standard',
    default_vlan_ids: [999],
    vlans: { '31': 'teachers', '32': 'admin' }
  }
}

const voice: JsonObject = {
  roam_mode: '11r',
  bands: ['5'],
  qos: { class: 'voice', overwrite: true },
  disable_11ax: false,
  limit_bcast: true
}

const eventsSchedule: JsonObject = {
  schedule: { enabled: true, hours: { fri: '18:00-23:00', sat: '10:00-23:00' } }
}

function vlan(id: number | string): JsonObject {
  return { vlan_enabled: true, vlan_id: id }
}

function psk({ random }: TemplateContext): JsonObject {
  return { auth: { type: 'psk', pairwise: ['wpa2-ccmp'], psk: randomText(random, 20) } }
}

function dynamicPsk({ random }: TemplateContext): JsonObject {
  return {
    dynamic_psk: {
      enabled: true,
      source: 'cloud_psks',
      default_psk: randomText(random, 16),
      default_vlan_id: 90
    }
  }
}

function radius({ site, random }: TemplateContext): JsonObject {
  const secret = randomText(random, 24)
  const host = (last: number) => `10.${(site >> 8) & 255}.${site & 255}.${last}`
  return {
    auth_servers: [
      { host: host(11), port: 1812, secret, require_message_authenticator: true },
      { host: host(12), port: '1812', secret, require_message_authenticator: true }
    ],
    acct_servers: [{ host: host(11), port: 1813, secret }],
    acct_interim_interval: 600,
    coa_servers: [{ enabled: true, ip: host(11), port: '3799', secret }]
  }
}

function guestPortal({ random }: TemplateContext): JsonObject {
  return {
    isolation: true,
    portal: {
      enabled: true,
      auth: 'password',
      password: randomText(random, 10),
      expire: 480 + 60 * randomInt(random, 5),
      privacy: true,
      forward: true,
      forward_url: 'https://www.example.com/welcome'
    },
    portal_allowed_hostnames: ['www.example.com', 'static.example.com'],
    portal_allowed_subnets: ['192.0.2.0/24'],
    portal_api_secret: randomText(random, 32),
    portal_template_url: 'https://portal.example.com/templates/guest.json',
    wlan_limit_down: 20000,
    wlan_limit_down_enabled: true,
    wlan_limit_up: '10000',
    wlan_limit_up_enabled: true
  }
}

/** The fields of every record, with the defaults of the web console. */
export const commonFields: JsonObject = {
  acct_immediate_update: false,
  acct_interim_interval: 0,
  acct_servers: [],
  allow_ipv6_ndp: true,
  allow_mdns: false,
  allow_ssdp: false,
  ap_ids: null,
  app_limit: { enabled: false, apps: {}, wxtag_ids: {} },
  app_qos: { enabled: false, apps: {}, others: [] },
  apply_to: 'site',
  arp_filter: false,
  auth_server_selection: 'ordered',
  auth_servers: [],
  auth_servers_nas_id: '',
  auth_servers_nas_ip: '',
  auth_servers_retries: 2,
  auth_servers_timeout: 5,
  band_steer: false,
  band_steer_force_band5: false,
  bands: ['24', '5'],
  block_blacklist_clients: true,
  client_limit_down: 1000,
  client_limit_down_enabled: false,
  client_limit_up: 512,
  client_limit_up_enabled: false,
  coa_servers: [],
  disable_11ax: false,
  disable_ht_vht_rates: false,
  disable_uapsd: false,
  disable_wmm: false,
  dtim: 2,
  enable_local_keycaching: false,
  enabled: true,
  fast_dot1x_timers: false,
  for_site: true,
  hide_ssid: false,
  hostname_ie: false,
  interface: 'all',
  isolation: false,
  l2_isolation: false,
  limit_bcast: false,
  limit_probe_response: false,
  max_idletime: 1800,
  no_static_dns: false,
  no_static_ip: false,
  portal_image: null,
  portal_sso_url: null,
  qos: { class: 'best_effort', overwrite: false },
  rateset: {
    '24': { template: 'no-legacy', min_rssi: 0 },
    '5': { template: 'no-legacy', min_rssi: 0 }
  },
  roam_mode: 'NONE',
  schedule: { enabled: false },
  sle_excluded: false,
  thumbnail: null,
  use_eapol_v1: false,
  vlan_enabled: false,
  wlan_limit_down: 20000,
  wlan_limit_down_enabled: false,
  wlan_limit_up: 10000,
  wlan_limit_up_enabled: false,
  wxtag_ids: null,
  wxtunnel_id: '',
  wxtunnel_remote_id: ''
}

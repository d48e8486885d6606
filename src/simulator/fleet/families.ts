import type { JsonObject } from '../json.ts'
import { below, letters, type Random } from './random.ts'

/** What a WLAN's fields may depend on: where it is, and chance. */
interface Circumstances {
  /** The site's place in the fleet, from 0. */
  readonly site: number
  readonly random: Random
}

/** A kind of WLAN that most sites have; its fields are laid over the common ones. */
export interface Family {
  readonly ssid: string
  fields(circumstances: Circumstances): JsonObject
}

const eap = { type: 'eap', pairwise: ['wpa2-ccmp', 'wpa3'], eap_reauth: false, private_wlan: false }

/** The families in the order in which a site gets them. */
export const families: readonly Family[] = [
  { ssid: 'Corp', fields: at => ({ ...vlan(20), ...radius(at), auth: eap, roam_mode: '11r' }) },
  { ssid: 'Guest', fields: at => ({ ...vlan(40), ...guestPortal(at), auth: { type: 'open' } }) },
  { ssid: 'IoT', fields: at => ({ ...vlan(60), ...psk(at), bands: ['24'], isolation: true }) },
  { ssid: 'Staff', fields: at => ({ ...vlan(30), ...radius(at), auth: eap, ...dynamicVlan }) },
  { ssid: 'Voice', fields: at => ({ ...vlan(50), ...psk(at), ...voice }) },
  { ssid: 'Scanners', fields: at => ({ ...vlan('70'), ...psk(at), hide_ssid: true, dtim: 1 }) },
  { ssid: 'Printers', fields: at => ({ ...vlan(80), ...psk(at), allow_mdns: true }) },
  { ssid: 'BYOD', fields: at => ({ ...vlan(90), ...psk(at), ...dynamicPsk(at) }) },
  { ssid: 'Signage', fields: at => ({ ...vlan('100'), ...psk(at), bands: ['5'] }) },
  {
    ssid: 'Events',
    fields: at => ({ ...vlan(110), ...psk(at), ...eventsSchedule, enabled: false })
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

function psk({ random }: Circumstances): JsonObject {
  return { auth: { type: 'psk', pairwise: ['wpa2-ccmp'], psk: letters(random, 20) } }
}

function dynamicPsk({ random }: Circumstances): JsonObject {
  return {
    dynamic_psk: {
      enabled: true,
      source: 'cloud_psks',
      default_psk: letters(random, 16),
      default_vlan_id: 90
    }
  }
}

function radius({ site, random }: Circumstances): JsonObject {
  const secret = letters(random, 24)
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

function guestPortal({ random }: Circumstances): JsonObject {
  return {
    isolation: true,
    portal: {
      enabled: true,
      auth: 'password',
      password: letters(random, 10),
      expire: 480 + 60 * below(random, 5),
      privacy: true,
      forward: true,
      forward_url: 'https://www.example.com/welcome'
    },
    portal_allowed_hostnames: ['www.example.com', 'static.example.com'],
    portal_allowed_subnets: ['192.0.2.0/24'],
    portal_api_secret: letters(random, 32),
    portal_template_url: 'https://portal.example.com/templates/guest.json',
    wlan_limit_down: 20000,
    wlan_limit_down_enabled: true,
    wlan_limit_up: '10000',
    wlan_limit_up_enabled: true
  }
}

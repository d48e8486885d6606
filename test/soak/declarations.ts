import type { JsonObject } from '../../src/simulator/json.ts'

/** A field that the service of the campaign accepts and does not store; only `events` declares it. */
export const DROPPED = '/hostname_ie'

/** Undeclared fields, which another user edits. */
export const UNDECLARED = ['client_limit_up', 'acct_interim_interval', 'auth_servers_retries']

/** The secrets of the declarations, by the variables of the run. */
export const secrets: Readonly<Record<string, string>> = {
  WLAN_SECRET_RADIUS: 'soak-radius-secret-4711',
  WLAN_SECRET_IOT: 'soak-iot-passphrase-0815',
  WLAN_SECRET_VOICE: 'soak-voice-passphrase-33',
  WLAN_SECRET_PORTAL: 'soak-portal-password-12',
  WLAN_SECRET_BYOD: 'soak-byod-passphrase-77'
}

const env = (name: string) => ({ $env: `WLAN_SECRET_${name}` })
/**
 * The declaration of every site in a campaign, by SSID; each differs from the records that the embedded
 * service generates. It contains members of objects, lists of servers merged with live ones, secrets, and
 * variables. If the service masks secrets, those next to a changed member must be declared.
 */
export function declarations(hidden: boolean): Readonly<Record<string, JsonObject>> {
  const server = (format: string) => ({
    host: { $format: format },
    secret: env('RADIUS'),
    // A masked secret is no change by itself.
    ...(hidden ? { port: 1645 } : {})
  })
  return {
    Corp: {
      vlan_id: { $var: 'vlan' },
      auth: { eap_reauth: true },
      auth_servers: [server('10.{high}.{low}.11'), server('10.{high}.{low}.12')]
    },
    Guest: {
      wlan_limit_down: 15000,
      portal: { expire: 90, ...(hidden ? { password: env('PORTAL') } : {}) }
    },
    IoT: {
      vlan_id: { $var: 'vlan' },
      auth: { psk: env('IOT'), ...(hidden ? { owe: 'enabled' } : {}) }
    },
    Staff: {
      dynamic_vlan: { vlans: { '31': 'teachers', '33': 'guests' } },
      acct_servers: [{ host: '10.200.0.1', port: 1813, secret: env('RADIUS') }]
    },
    Voice: { qos: { class: 'video' }, auth: { psk: env('VOICE'), owe: 'enabled' } },
    Scanners: { hide_ssid: false, dtim: 3, roam_mode: '11r' },
    Printers: { rateset: { '24': { min_rssi: -70 } }, max_idletime: 3600 },
    BYOD: {
      vlan_id: 91,
      dynamic_psk: { default_vlan_id: 91, ...(hidden ? { default_psk: env('BYOD') } : {}) }
    },
    Signage: { bands: ['24', '5'], arp_filter: true },
    Events: { limit_probe_response: true, hostname_ie: true, dtim: 4 }
  }
}

import { nth } from '../../support/ids.ts'

/** A fleet of three sites in one file, for its tests. */
export const SITES = `groups: { stores: {}, labs: {}, empty: {} }
sites:
  - { id: ${nth(1)}, name: store-a, groups: [stores], vars: { timezone: Europe/Berlin } }
  - { id: ${nth(2)}, name: store-b, groups: [stores], vars: { timezone: America/New_York } }
  - id: ${nth(3)}
    name: lab-1
    groups: [labs]
    vars: { timezone: Europe/Berlin }
    wlans: { guest: { isolation: false, vlan_id: 60 } }
wlans:
  corp:
    ssid: Corp
    auth: { type: psk, pairwise: [wpa3], psk: { $env: WLAN_SECRET_CORP } }
  guest:
    ssid: Guest
    isolation: true
    vlan_enabled: true
    vlan_id: 40
    auth: { type: open }
`

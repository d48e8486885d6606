// Realistic fleets: a file of profiles, and for each site a file of about 2 kB with ten WLANs that extend
// them; or all sites in one list. They declare the state of the simulated sites.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { simulatedSites } from './sites.js'

/** The sites of a list, as `import` writes them. */
const LIST = 5_000

/** The value on the simulated WLANs. */
const DTIM = 2

/**
 * Writes the fleet of `size` simulated sites below a folder, and a file with their ids.
 * @param {string} folder
 * @param {number} size
 * @param {'files' | 'ids' | 'own-ssids' | 'list'} shape a file a site, with SSIDs or ids to match, or SSIDs as of `ownSsids`;
 *   or all in lists
 */
export async function writeFleet(folder, size, shape = 'files') {
  const sites = await simulatedSites(size)
  const fleet = join(folder, `${shape}-${size}`)
  writeProfiles(fleet, DTIM)
  if (shape === 'list') writeLists(fleet, sites)
  else writeFiles(fleet, sites, shape)
  const ids = `${fleet}.ids`
  writeFileSync(ids, sites.map(({ id }) => id).join('\n'))
  return { fleet, ids }
}

/**
 * Writes the profiles of a fleet; `dtim` applies to one WLAN of each site.
 * @param {string} fleet
 * @param {number} dtim
 */
export function writeProfiles(fleet, dtim) {
  mkdirSync(fleet, { recursive: true })
  writeFileSync(join(fleet, 'profiles.yaml'), profiles(dtim))
}

/**
 * @param {string} fleet
 * @param {readonly Site[]} sites
 * @param {'files' | 'ids' | 'own-ssids'} shape
 */
function writeFiles(fleet, sites, shape) {
  for (const [nth, site] of sites.entries()) {
    const region = join(fleet, `sites/region-${String(Math.floor(nth / 100)).padStart(3, '0')}`)
    if (nth % 100 === 0) mkdirSync(region, { recursive: true })
    const file = `${site.name.toLowerCase().replaceAll(/\W+/g, '-')}.yaml`
    const text = siteFile(site, nth)
    const own = shape === 'own-ssids' ? text.replace(/^ {4}ssid: .*$/gm, `$& ${nth}`) : text
    writeFileSync(join(region, file), shape === 'ids' ? withIds(text, site) : own)
  }
}

/**
 * @param {string} text
 * @param {Site} site
 */
function withIds(text, { wlans: live }) {
  const idOf = new Map(live.map(({ ssid, id }) => [ssid, id]))
  return text.replace(/^ {4}ssid: (.*)$/gm, (line, ssid) => `    id: ${idOf.get(ssid)}\n${line}`)
}

/**
 * @param {string} fleet
 * @param {readonly Site[]} sites
 */
function writeLists(fleet, sites) {
  for (let start = 0; start < sites.length; start += LIST)
    writeFileSync(join(fleet, `sites-${start}.yaml`), list(sites.slice(start, start + LIST), start))
}

/**
 * @param {readonly Site[]} sites
 * @param {number} start the number of sites in lists before
 */
function list(sites, start) {
  const items = sites.map(
    ({ id, name }, place) =>
      `  - { id: ${id}, name: ${name}, vars: { servers: ${network(start + place)}, idle: 1800 } }\n`
  )
  return `sites:\n${items.join('')}wlans:\n${wlans(undefined)}`
}

/** @typedef {{ readonly id: string, readonly name: string, readonly wlans: readonly any[] }} Site */

/** @param {number} nth */
function network(nth) {
  return `10.${(nth >> 8) & 255}.${nth & 255}`
}

/**
 * @param {Site} site
 * @param {number} nth
 */
function siteFile(site, nth) {
  return `# ${site.name}
site:
  id: ${site.id}
  name: ${site.name}
  vars:
    servers: ${network(nth)}   # the first three numbers of its addresses
    idle: 1800

wlans:
${wlans(site.wlans[1].portal.expire)}`
}

/** @param {number | undefined} expire */
function wlans(expire) {
  return `  corp:
    $extends: [corporate]
    ssid: Corp
    vlan_id: 20
    acct_interim_interval: 600
${servers}
  guest:
    $extends: guest
    ssid: Guest
    vlan_id: 40
    isolation: true
    wlan_limit_down: 20000
    wlan_limit_up: 10000
    portal:
      enabled: true
      auth: password
${expire === undefined ? '' : `      expire: ${expire}\n`}      forward_url: https://www.example.com/welcome

  iot:
    $extends: [shared-key, quiet]
    ssid: IoT
    vlan_id: 60
    bands: ['24']
    isolation: true

  staff:
    $extends: corporate
    ssid: Staff
    vlan_id: 30
    roam_mode: NONE
${servers}
    dynamic_vlan:
      enabled: true
      type: standard
      default_vlan_ids: [999]

  voice:
    $extends: shared-key
    ssid: Voice
    vlan_id: 50
    roam_mode: 11r
    bands: ['5']
    qos: { class: voice, overwrite: true }
    limit_bcast: true

  scanners:
    $extends: [shared-key, quiet]
    ssid: Scanners
    vlan_id: 70
    hide_ssid: true
    dtim: 1

  printers:
    $extends: shared-key
    ssid: Printers
    vlan_id: 80
    allow_mdns: true   # AirPrint

  byod:
    $extends: shared-key
    ssid: BYOD
    vlan_id: 90
    max_idletime: { $var: idle }

  signage:
    $extends: [shared-key, quiet]
    ssid: Signage
    vlan_id: "100"
    bands: ["5"]

  events:
    $extends: [shared-key, events]
    ssid: Events
    vlan_id: 110
    enabled: false   # only when there is one
`
}

const servers = `    auth_servers:
      - host: { $format: "{servers}.11" }
        port: 1812
      - host: { $format: "{servers}.12" }
        port: 1812`

/** @param {number} dtim */
function profiles(dtim) {
  return `# What the WLANs of all sites have in common.
profiles:
  common:
    enabled: true
    interface: all
    apply_to: site
    bands: ['24', '5']
    vlan_enabled: true
    max_idletime: 1800
    disable_uapsd: false
    disable_wmm: false
    arp_filter: false
    allow_mdns: false
    rateset:
      '24': { template: no-legacy, min_rssi: 0 }
      '5': { template: no-legacy, min_rssi: 0 }
  corporate:
    $extends: common
    roam_mode: 11r
    auth: { type: eap, pairwise: [wpa2-ccmp, wpa3] }
    auth_servers_timeout: 5
    auth_servers_retries: 2
  shared-key:
    $extends: common
    roam_mode: NONE
    auth: { type: psk, pairwise: [wpa2-ccmp] }
  guest:
    $extends: common
    auth: { type: open }
    wlan_limit_down_enabled: true
    wlan_limit_up_enabled: true
    portal_allowed_hostnames: [www.example.com, static.example.com]
    portal_allowed_subnets: [192.0.2.0/24]
  quiet:
    allow_ssdp: false
    no_static_ip: false
    limit_probe_response: false
  events:
    dtim: ${dtim}
    schedule:
      enabled: true
      hours: { fri: '18:00-23:00', sat: '10:00-23:00' }
`
}

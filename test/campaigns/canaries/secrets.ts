import type { WlanRecord } from '../../../src/simulator/json.ts'
import { HQ } from '../../simulator/simulate.ts'
import type { Canary } from '../../support/scanner.ts'

/** A secret, and its only valid positions in a request body: `<SSID><pointer>`. */
export interface Planted extends Canary {
  readonly homes: readonly string[]
}

/** The API token; only the header `authorization` may contain it. */
export const TOKEN = 'tok-9fWc2LrXv7QmZs4T'

/** Declared secrets that resemble other values, each with another length, by the key of their WLAN. */
export const keys = {
  html: `<b title='k1'>&lt;"q"</b>`,
  json: String.raw`{"psk":"\u0041\n",[1,2]}!`,
  percent: '100%25%0a%s%d{{x}}$1$&/..;z',
  regexp: String.raw`^(.*)+$|[x-z]{3}\d(?=kk)`
} as const

export type Key = keyof typeof keys

const FIRST = 'first line of radius\nsecond line of it\n third'
const SECOND = 'geheim-東京\u202e-ключ-🔑-№2'

/** The content of the secrets directory. */
export const secretFiles = { first: FIRST, 'deep/second': SECOND } as const

const live = {
  html: 'live-html-Rt5vB8nM2',
  json: 'live-json-Yp3kL6wQ9x',
  percent: 'live-percent-Hd7sG1jF4',
  regexp: 'live-regexp-Zc9bN2mK5w',
  first: 'live-radius-Uy8tR4eW1q',
  second: 'live-radius-Op6aS3dF7gh',
  riding: 'live-riding-Jk2lZ8xC5vbn',
  amazon: 'live-amazon-Bn4mQ9wE1rty1',
  api: 'live-api-Gf3dS6aP0oiu1234',
  thing: 'live-iot-Ty7uI5oP9asdfgh'
} as const

/** All secrets, which no output may contain. */
export const planted: readonly Planted[] = [
  { name: 'the token', value: TOKEN, homes: [] },
  ...names().map(name => ({
    name: `declared key of ${name}`,
    value: keys[name],
    homes: [`${name}/auth/psk`]
  })),
  ...names().map(name => ({
    name: `live key of ${name}`,
    value: live[name],
    homes: [`${name}/auth/psk`]
  })),
  { name: 'first of $file', value: FIRST, homes: ['corp/auth_servers/0/secret'] },
  { name: 'second of $file', value: SECOND, homes: ['corp/auth_servers/1/secret'] },
  { name: 'live first of RADIUS', value: live.first, homes: [] },
  { name: 'live second of RADIUS', value: live.second, homes: [] },
  { name: 'undeclared of RADIUS', value: live.riding, homes: ['corp/auth_servers/2/secret'] },
  {
    name: 'undeclared of a portal',
    value: live.amazon,
    homes: ['portal/portal/amazon_client_secret']
  },
  { name: 'next to the changes', value: live.api, homes: [] },
  { name: 'live key of an unmanaged WLAN', value: live.thing, homes: [] }
]

export function names(): Key[] {
  return Object.keys(keys) as Key[]
}

/** The live WLANs; their SSIDs are the keys of the fleet. */
export const wlans: readonly WlanRecord[] = [
  ...names().map((name, n) =>
    record(n, name, { vlan_id: 10, auth: { type: 'psk', psk: live[name] } })
  ),
  record(4, 'corp', {
    auth: { type: 'eap' },
    auth_servers: [
      { host: '10.0.0.1', port: 1812, secret: live.first },
      { host: '10.0.0.2', port: 1812, secret: live.second },
      { host: '10.0.0.3', port: 1812, secret: live.riding }
    ]
  }),
  record(5, 'portal', {
    portal: { enabled: true, auth: 'multi', sms_expire: 60, amazon_client_secret: live.amazon },
    portal_api_secret: live.api
  }),
  record(6, 'things', { auth: { type: 'psk', psk: live.thing } })
]

export const site = { id: HQ, name: 'hq', wlans }

function record(n: number, ssid: string, fields: object): WlanRecord {
  return { id: `7d6f1c5e-0000-4000-8000-00000000000${n}`, site_id: HQ, ssid, ...fields }
}

/** The matching fleet: every managed WLAN differs, each in its secret. */
export const FLEET = `site: { id: ${HQ}, name: hq }
wlans:
${names()
  .map(
    name => `  ${name}:
    ssid: ${name}
    vlan_id: 11
    auth: { psk: { $env: WLAN_SECRET_${name.toUpperCase()} } }
`
  )
  .join('')}  corp:
    ssid: corp
    auth_servers:
      - { host: 10.0.0.1, port: 1645, secret: { $file: first } }
      - { host: 10.0.0.2, secret: { $file: deep/second } }
      - { host: 10.0.0.3 }
  portal:
    ssid: portal
    portal: { sms_expire: 30 }
`

/** The environment with the declared keys. */
export const keyVariables: Readonly<Record<string, string>> = Object.fromEntries(
  names().map(name => [`WLAN_SECRET_${name.toUpperCase()}`, keys[name]])
)

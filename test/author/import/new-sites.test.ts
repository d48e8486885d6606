import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { addToLists } from '../../../src/author/import/new-sites.ts'
import { liveSite, nth } from './estates.ts'
import { ENV, imported } from './import.ts'

const names = ['Rome', 'Oslo', 'Bern']
const zones = ['Europe/Rome', 'Europe/Oslo', 'Europe/Zurich']

/** A list as people write it: a variable is a part of a text, one a whole list, and one is in no network. */
const STORES = `wlans:
  store: { ssid: { $format: "Store {number}" }, auth: { type: psk, psk: { $var: key } } }
  staff: { ssid: Staff, auth: { type: eap }, auth_servers: { $var: servers },
    auth_servers_nas_id: { $format: "{site}-{room}" } }

sites:
${names
  .map(
    (name, n) => `  - id: ${nth(n)}
    name: ${name}
    vars: { number: ${n}, room: a${n}, key: { $env: WLAN_SECRET_${n} }, servers: [{ host: 10.0.0.${n}, secret: { $env: WLAN_SECRET_RADIUS } }], phone: ${n}, timezone: ${zones[n]} }
`
  )
  .join('')}`

const store = { id: nth(20), ssid: 'Store 26', auth: { type: 'psk', psk: 'a-key-of-its-own' } }
const servers = (secret: unknown) => [{ host: '10.0.0.9', secret }]
const named = servers({ $env: 'WLAN_SECRET_KIEL_STAFF_RADIUS_1_SECRET' })
const staff = {
  ...{ id: nth(21), ssid: 'Staff', auth: { type: 'eap' } },
  ...{ auth_servers: servers('a-secret-of-its-own'), auth_servers_nas_id: 'Kiel-b7' }
}

it.each<[what: string, wlans: readonly object[], vars: object, secrets: string[]]>([
  [
    'the values of its networks',
    [store, staff],
    { number: 26, room: 'b7', servers: named, key: { $env: 'WLAN_SECRET_KIEL_STORE_26_PSK' } },
    ['WLAN_SECRET_KIEL_STAFF_RADIUS_1_SECRET', 'WLAN_SECRET_KIEL_STORE_26_PSK']
  ],
  [
    'none for a network that it lacks',
    [staff],
    { room: 'b7', servers: named },
    ['WLAN_SECRET_KIEL_STAFF_RADIUS_1_SECRET']
  ]
])('the variables of a new site are %s, and its time zone', async (_, wlans, vars, secrets) => {
  const site = imported(liveSite({ id: nth(9), name: 'Kiel' }, wlans))
  const added = { ...site, timezone: 'Europe/Berlin' }
  const { listed } = await addToLists(new Map([['stores.yaml', STORES]]), [added], ENV)
  expect(listed.map(each => each.secrets.map(({ name }) => name))).toEqual([secrets])
  const [item] = parse(listed[0]?.lines.join('\n') ?? '')
  expect(item.vars).toEqual({ ...vars, timezone: 'Europe/Berlin' })
  expect(Object.keys(item.wlans.staff)).not.toEqual(expect.arrayContaining(['auth_servers']))
})

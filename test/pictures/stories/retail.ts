import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readSeed } from '../../../src/simulator/fleet/seed.ts'
import type { JsonObject } from '../../../src/simulator/json.ts'
import type { Simulator } from '../../../src/simulator/server.ts'
import { folder, ROOT } from '../../support/program.ts'

const example = join(ROOT, 'examples/retail')

/** The example's secrets. */
export const secrets = {
  WLAN_SECRET_RADIUS: 'radius-of-retail',
  WLAN_SECRET_TILLS_PSK: 'tills-of-this-year',
  WLAN_SECRET_CAFE_PSK: 'coffee-and-cake'
}

/** The edits of a pull request: another guest network in all stores, and a café with an open network. */
export const wanted = {
  'profiles.yaml': {
    'vlan_id: 40': 'vlan_id: 45',
    'client_limit_down: 4000': 'client_limit_down: 8000'
  },
  'store-hamburg.yaml': {
    'type: psk\n      psk: { $env: WLAN_SECRET_CAFE_PSK }': 'type: open'
  }
}

/** Texts of the example's files, each with its replacement. */
type Edits = Readonly<Record<string, Readonly<Record<string, string>>>>

/** A checkout of the example. Throws if an edit does not apply. */
export function checkout(edits: Edits = {}): string {
  const directory = folder()
  cpSync(example, directory, { recursive: true })
  change(directory, edits)
  return directory
}

/** Edits a checkout of the example. Throws if an edit does not apply. */
export function change(directory: string, edits: Edits): void {
  for (const [file, changes] of Object.entries(edits)) {
    const path = join(directory, file)
    writeFileSync(path, Object.entries(changes).reduce(replaced, readFileSync(path, 'utf8')))
  }
}

function replaced(text: string, [old, instead]: readonly [string, string]): string {
  if (!text.includes(old)) throw new Error(`the example holds no ${JSON.stringify(old)}`)
  return text.replaceAll(old, instead)
}

/** The initial sites of the example's service. */
export function sites() {
  return readSeed(readFileSync(join(example, 'simulator.json'), 'utf8')).sites
}

/** Edits the network with this SSID in a store, as in the web console. */
export function edit(simulator: Simulator, store: string, ssid: string, fields: JsonObject): void {
  const site = sites().find(({ name }) => name === store)
  const wlan = site?.wlans.find(each => each['ssid'] === ssid)
  if (site === undefined) throw new Error(`there is no ${store}`)
  simulator.edit(site.id, String(wlan?.['id']), fields)
}

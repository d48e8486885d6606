import { wrongInput } from '../../core/model/failure.ts'
import { isNilId } from '../../core/model/live.ts'
import { nameProblem, ssidProblem } from '../../core/values/ssid.ts'
import { isUuid } from '../../core/values/uuid.ts'
import { isList, isObject, member } from '../../core/values/value.ts'
import { type Json, type JsonObject, tryParseJson, type WlanRecord } from '../json.ts'
import { DEFAULT_ORG, type SimulatedSite } from '../store.ts'
import { defaultSwitches, isSwitch, type Switches } from '../switches.ts'
import { generateFleet } from './generate.ts'

/** What a simulated service starts with. */
export interface Seed {
  readonly sites: SimulatedSite[]
  readonly switches: Partial<Switches>
}

/**
 * Reads the JSON with the initial sites and WLANs of the simulator, and its switches:
 *
 *     { "sites": [{ "id": "<uuid>", "name": "hq", "wlans": [{ "id": "<uuid>", "ssid": "Corp" }] }],
 *       "switches": { "hiddenSecrets": "masked", "latency": 20 } }
 *
 * A WLAN may have any further fields of a record. The default name of a site is its id, and its default
 * organization, `org`, is that of its first WLAN. A `site_id` with the nil UUID, or `null` for none, makes a
 * WLAN of the organization. `{ "sites": 300, "wlans": 4 }` generates so many sites, each with so many WLANs. Throws a
 * `Failure` that lists every problem with its place, but never a value, which may be a secret.
 */
export function readSeed(text: string): Seed {
  const reader = new SeedReader()
  const seed = reader.read(text)
  const [first, ...others] = reader.problems
  if (first === undefined) return seed
  const message = `invalid seed: ${first}`
  throw wrongInput(message, others.length === 0 ? undefined : others.join('\n'))
}

const defaultFields: JsonObject = {
  org_id: DEFAULT_ORG,
  for_site: true,
  created_time: 1_700_000_000,
  modified_time: 1_700_000_000
}

const siteMembers = ['id', 'name', 'org', 'timezone', 'wlans']

/** The number of WLANs of a generated site, unless the seed has one. */
const WLANS = 4

const MAX_SITES = 100_000
const MAX_WLANS = 1_000

function isCount(value: Json | undefined, most: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most
}

/** Collects all problems; if there are any, the result is meaningless. */
class SeedReader {
  readonly problems: string[] = []
  readonly #ids = new Set<string>()

  read(text: string): Seed {
    const seed = tryParseJson(text)
    if (isObject(seed)) {
      return { sites: this.#readSites(seed), switches: this.#readSwitches(seed) }
    }
    this.problems.push(seed === undefined ? 'not valid JSON' : 'expected a JSON object')
    return { sites: [], switches: {} }
  }

  #readSites(seed: JsonObject): SimulatedSite[] {
    const { sites, wlans = WLANS } = seed
    if (isCount(sites, MAX_SITES) && isCount(wlans, MAX_WLANS)) {
      return generateFleet({ sites, wlans, seed: 1 })
    }
    return this.#readList(seed, 'sites', 'sites', (site, place) => this.#readSite(site, place))
  }

  /** A switch has the type of its default, unless that is null. */
  #readSwitches({ switches = {} }: JsonObject): Partial<Switches> {
    if (!isObject(switches)) {
      this.problems.push('switches: expected an object')
      return {}
    }
    for (const [name, value] of Object.entries(switches)) {
      const usual = isSwitch(name) ? defaultSwitches[name] : undefined
      if (usual === undefined) this.problems.push(`switches: unknown key`)
      else if (usual !== null && typeof usual !== typeof value) {
        this.problems.push(`switches.${name}: expected ${typeof usual}`)
      }
    }
    return switches
  }

  #readSite(site: JsonObject, place: string): SimulatedSite {
    for (const name of Object.keys(site)) {
      if (!siteMembers.includes(name)) this.problems.push(`${place}: unknown key`)
    }
    const id = this.#readId(site, place)
    const name = Object.hasOwn(site, 'name') ? this.#readText(site, 'name', place, nameProblem) : id
    const wlans = this.#readList(site, 'wlans', `${place}.wlans`, (wlan, at) =>
      this.#readWlan(wlan, at, id)
    )
    const org = site['org'] ?? wlans[0]?.['org_id']
    const { timezone } = site
    if (timezone !== undefined && typeof timezone !== 'string') {
      this.problems.push(`${place}.timezone: expected a string`)
    }
    const read = { id, name, ...(typeof timezone === 'string' && { timezone }), wlans }
    if (org === undefined) return read
    if (isUuid(org)) return { ...read, org }
    this.problems.push(`${place}.org: expected a UUID`)
    return read
  }

  #readWlan(wlan: JsonObject, place: string, site: string): WlanRecord {
    const id = this.#readId(wlan, place)
    const ssid = this.#readText(wlan, 'ssid', place, ssidProblem)
    const owner = Object.hasOwn(wlan, 'site_id') ? wlan['site_id'] : site
    if (owner !== site && owner !== null && !isNilId(owner)) {
      this.problems.push(`${place}.site_id: expected the id of its site, the nil UUID, or null`)
    }
    const { site_id: _, ...others } = wlan
    const ownerFields = owner === null || owner === undefined ? {} : { site_id: owner }
    return { ...defaultFields, ...others, id, ssid, ...ownerFields }
  }

  #readList<T>(
    object: JsonObject,
    name: string,
    place: string,
    read: (element: JsonObject, place: string) => T
  ): T[] {
    const list = member(object, name)
    if (!isList(list)) {
      this.problems.push(`${place}: expected a list`)
      return []
    }
    return list.flatMap((element, index) => {
      const at = `${place}[${index}]`
      if (isObject(element)) return [read(element, at)]
      this.problems.push(`${at}: expected an object`)
      return []
    })
  }

  #readId(object: JsonObject, place: string): string {
    const id = this.#readText(object, 'id', place, text =>
      isUuid(text) ? undefined : 'expected a UUID'
    )
    if (this.#ids.has(id.toLowerCase())) this.problems.push(`${place}.id: duplicate id`)
    this.#ids.add(id.toLowerCase())
    return id
  }

  #readText(
    object: JsonObject,
    name: string,
    place: string,
    problemOf: (text: string) => string | undefined
  ): string {
    const text = member(object, name)
    const problem = typeof text === 'string' ? problemOf(text) : 'expected a string'
    if (problem !== undefined) this.problems.push(`${place}.${name}: ${problem}`)
    return String(text)
  }
}

import { exit, Failure } from '../../model/failure.ts'
import { isUuid, nameProblem, ssidProblem } from '../../model/names.ts'
import type { WlanRecord } from '../json.ts'
import { isJsonList, isJsonObject, type JsonObject, memberOf, parsed } from '../json.ts'
import type { SimulatedSite } from '../service/store.ts'

/**
 * Reads the JSON that says which sites and WLANs the simulator begins with:
 *
 *     { "sites": [{ "id": "<uuid>", "name": "hq", "wlans": [{ "id": "<uuid>", "ssid": "Corp" }] }] }
 *
 * A WLAN has any further fields of a record; a site without a name has its id for one. Throws a
 * `Failure` that names every place where the seed is wrong, and never a value: some are secrets.
 */
export function readSeed(text: string): SimulatedSite[] {
  const reader = new SeedReader()
  const sites = reader.sites(text)
  const [first, ...others] = reader.problems
  if (first === undefined) return sites
  const message = `the seed cannot be used: ${first}`
  throw new Failure(exit.wrongInput, message, others.length === 0 ? undefined : others.join('\n'))
}

/** What a record gets that does not say it itself. */
const added: JsonObject = {
  org_id: '00000000-0000-4000-8000-000000000000',
  for_site: true,
  created_time: 1_700_000_000,
  modified_time: 1_700_000_000
}

const siteMembers = ['id', 'name', 'wlans']

/** Reads on after a problem, so that all of them are told at once; what it gives then is no use. */
class SeedReader {
  readonly problems: string[] = []
  readonly #ids = new Set<string>()

  sites(text: string): SimulatedSite[] {
    const seed = parsed(text)
    if (seed === undefined) this.problems.push('it is not JSON')
    else if (!isJsonObject(seed)) this.problems.push('it is not an object')
    else return this.#each(seed, 'sites', 'sites', (site, place) => this.#site(site, place))
    return []
  }

  #site(site: JsonObject, place: string): SimulatedSite {
    for (const name of Object.keys(site)) {
      if (!siteMembers.includes(name)) this.problems.push(`${place} has an unknown member`)
    }
    const id = this.#id(site, place)
    const name = Object.hasOwn(site, 'name') ? this.#text(site, 'name', place, nameProblem) : id
    const wlans = this.#each(site, 'wlans', `${place}.wlans`, (wlan, at) =>
      this.#wlan(wlan, at, id)
    )
    return { id, name, wlans }
  }

  #wlan(wlan: JsonObject, place: string, site: string): WlanRecord {
    const id = this.#id(wlan, place)
    const ssid = this.#text(wlan, 'ssid', place, ssidProblem)
    const owner = memberOf(wlan, 'site_id') ?? site
    if (owner !== site) this.problems.push(`${place}.site_id is not the id of its site`)
    return { ...added, ...wlan, id, ssid, site_id: site }
  }

  #each<T>(
    object: JsonObject,
    name: string,
    place: string,
    read: (element: JsonObject, place: string) => T
  ): T[] {
    const list = memberOf(object, name)
    if (!isJsonList(list)) {
      this.problems.push(`${place} is not a list`)
      return []
    }
    return list.flatMap((element, index) => {
      const at = `${place}[${index}]`
      if (isJsonObject(element)) return [read(element, at)]
      this.problems.push(`${at} is not an object`)
      return []
    })
  }

  #id(object: JsonObject, place: string): string {
    const id = this.#text(object, 'id', place, text => (isUuid(text) ? undefined : 'it is no UUID'))
    if (this.#ids.has(id.toLowerCase())) this.problems.push(`${place}.id: it occurs twice`)
    this.#ids.add(id.toLowerCase())
    return id
  }

  #text(
    object: JsonObject,
    name: string,
    place: string,
    problemOf: (text: string) => string | undefined
  ): string {
    const text = memberOf(object, name)
    const problem = typeof text === 'string' ? problemOf(text) : 'it is no text'
    if (problem !== undefined) this.problems.push(`${place}.${name}: ${problem}`)
    return String(text)
  }
}

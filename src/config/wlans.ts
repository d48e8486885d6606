import { wlanField } from '../fields/field.ts'
import type { DesiredSite, DesiredWlan } from '../model/desired.ts'
import { finding } from '../model/finding.ts'
import { byCodeUnit, isUuid } from '../model/identity.ts'
import { expectMap } from './expect.ts'
import { Profiles } from './profiles.ts'
import type { Run } from './run.ts'
import type { FleetSite } from './sites.ts'
import { at, atKey } from './source.ts'
import { type Entry, kindOf, type MapNode } from './tree.ts'
import { checkFields, ssidFindings } from './validate.ts'
import { Values } from './values.ts'

/** What a block declares, without the names that a site gives it. */
type Content = Pick<DesiredWlan, 'id' | 'matchSsid' | 'fields' | 'protect'>

/** Keys of a WLAN that speak to wlanctl. */
const OWN_KEYS = ['$extends', '$match', '$protect']

/** Turns the blocks of the files into the WLANs of the sites. Unused profiles are checked too. */
export function declareWlans(
  sites: readonly FleetSite[],
  profiles: ReadonlyMap<string, Entry>,
  run: Run
): DesiredSite[] {
  const wlans = new Wlans(new Profiles(profiles, run), run)
  const declared = sites.map(site => {
    const { id, name, owner } = site
    return { id, name, ...(owner === undefined ? {} : { owner }), wlans: wlans.of(site) }
  })
  wlans.checkUnused()
  if (run.budget.exhausted) run.findings.push(finding('FLEET_TOO_LARGE', {}))
  return declared
}

class Wlans {
  readonly #profiles: Profiles
  readonly #run: Run
  readonly #merged = new Map<Entry, MapNode>()
  /** Of blocks without variables, which say the same for every site. */
  readonly #contents = new Map<Entry, Content>()

  constructor(profiles: Profiles, run: Run) {
    this.#profiles = profiles
    this.#run = run
  }

  /** The WLANs of a site, sorted by key. */
  of(site: FleetSite): DesiredWlan[] {
    const wlans: DesiredWlan[] = []
    for (const [key, block] of site.wlans) {
      if (!this.#run.budget.spend(1)) break
      const content = this.#contents.get(block) ?? this.#content(block, site)
      const { source } = block.value
      const place = source.place(block.offset)
      const origin = { ...place, file: source.inFleet }
      wlans.push({ address: `${site.name}/${key}`, key, ...content, origin, place })
    }
    return wlans.sort((a, b) => byCodeUnit(a.key, b.key))
  }

  /** Checks the profiles that no WLAN uses. What variables would give is not known there. */
  checkUnused(): void {
    for (const profile of this.#profiles.unused()) {
      const fields = new Values(this.#run, undefined).object(profile.entries, wlanField)
      checkFields(fields, profile, this.#run)
    }
  }

  #content(entry: Entry, site: FleetSite): Content {
    const block = expectMap(entry.value, this.#run.findings)
    if (block === undefined) {
      if (entry.value.kind === 'scalar' && entry.value.value === null) this.#unidentified(entry)
      return { fields: {} }
    }
    const declared = this.#merged.get(entry) ?? this.#profiles.effective(block)
    this.#merged.set(entry, declared)
    const values = new Values(this.#run, site.vars)
    const content = this.#read(entry, block, declared, values)
    if (!values.usesVariables) this.#contents.set(entry, content)
    return content
  }

  #read(entry: Entry, block: MapNode, declared: MapNode, values: Values): Content {
    const fields = values.object(this.#fieldsOf(block, declared), wlanField)
    checkFields(fields, declared, this.#run)
    const id = this.#id(block, values)
    const matchSsid = this.#matchSsid(block, values)
    const identified = ['id', '$match'].some(key => block.entries.has(key))
    if (!identified && !declared.entries.has('ssid')) this.#unidentified(entry)
    return {
      ...(id === undefined ? {} : { id }),
      ...(matchSsid === undefined ? {} : { matchSsid }),
      fields,
      ...(this.#isProtected(block) ? { protect: true } : {})
    }
  }

  /** All but the block's `id`, which is its identity, and what speaks to wlanctl. */
  *#fieldsOf(block: MapNode, declared: MapNode): Generator<readonly [string, Entry]> {
    const id = block.entries.get('id')
    for (const pair of declared.entries) {
      const [name, entry] = pair
      if (entry === id) continue
      if (!name.startsWith('$')) yield pair
      else if (!OWN_KEYS.includes(name)) {
        const near = this.#run.suggestions.near(name, OWN_KEYS)
        this.#run.findings.push(finding('UNKNOWN_KEY', atKey(entry), name, near, OWN_KEYS))
      }
    }
  }

  #id(block: MapNode, values: Values): string | undefined {
    const entry = block.entries.get('id')
    const id = entry && values.of(entry.value, wlanField.member('id'))
    if (entry === undefined || id === undefined) return undefined
    if (isUuid(id)) return id
    this.#run.findings.push(finding('ID_NOT_UUID', at(entry.value)))
    return undefined
  }

  #matchSsid(block: MapNode, values: Values): string | undefined {
    const entry = block.entries.get('$match')
    const match = entry && expectMap(entry.value, this.#run.findings)
    const ssid = match?.entries.get('ssid')
    if (match === undefined || ssid === undefined) {
      if (entry !== undefined) this.#run.findings.push(finding('MATCH_WITHOUT_SSID', atKey(entry)))
      return undefined
    }
    const text = values.of(ssid.value, wlanField.member('ssid'))
    if (typeof text === 'string') {
      this.#run.findings.push(...ssidFindings(text, at(ssid.value)))
      return text
    }
    if (text !== undefined) {
      const where = at(ssid.value)
      this.#run.findings.push(finding('WRONG_TYPE', where, 'a text', kindOf(ssid.value)))
    }
    return undefined
  }

  #isProtected(block: MapNode): boolean {
    const value = block.entries.get('$protect')?.value
    if (value === undefined) return false
    if (value.kind === 'scalar' && typeof value.value === 'boolean') return value.value
    this.#run.findings.push(finding('WRONG_TYPE', at(value), 'true or false', kindOf(value)))
    return false
  }

  #unidentified(entry: Entry): void {
    this.#run.findings.push(finding('WLAN_UNIDENTIFIED', atKey(entry)))
  }
}

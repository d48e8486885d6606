import type { DesiredSite, DesiredWlan } from '../../core/model/desired.ts'
import { finding, type Where } from '../../core/model/finding.ts'
import { wlanField } from '../../core/schema/field.ts'
import { sortBy } from '../../core/values/collections.ts'
import type { ValueObject } from '../../core/values/value.ts'
import { checkInstructions, expectMap } from '../expect.ts'
import { at, atKey } from '../files/source.ts'
import { limits, nodesOfObject } from '../limits.ts'
import { ruleSiteOf } from '../policy/rules/effective.ts'
import { isSelected, type Selection } from '../select.ts'
import type { FleetSite } from '../sites.ts'
import { type Entry, isNull, type MapNode } from '../yaml/tree.ts'
import { BlockCache, ProfileCache, placesOf, type Reading } from './block-caches.ts'
import { covering } from './layers.ts'
import type { LoadContext } from './load-context.ts'
import { extendedNames, Profiles } from './profiles.ts'
import { checkFields, identityIn, isNotManaged } from './validate.ts'
import { Values } from './values.ts'

interface BlockSource {
  readonly entry: Entry
  readonly block: MapNode
  readonly override?: MapNode
  readonly declared: () => MapNode
}

class Blocks {
  readonly #profiles: Profiles
  readonly #run: LoadContext
  readonly #unmanagedRun: LoadContext
  readonly #profileCache: ProfileCache
  readonly #cache: BlockCache

  constructor(profiles: Profiles, run: LoadContext) {
    this.#profiles = profiles
    this.#run = run
    this.#unmanagedRun = { ...run, secrets: run.secrets.checking, variablesOptional: true }
    this.#profileCache = new ProfileCache(run)
    this.#cache = new BlockCache(run)
  }

  /** The WLAN of a block at a site; undefined if it declares none. */
  declare(site: FleetSite, key: string, entry: Entry): DesiredWlan | undefined {
    this.#run.usage.add('wlans')
    const block = this.#blockOf(entry)
    if (block === undefined) return undefined
    const override = site.overrides.get(key)
    const declared = once(() => this.#profiles.effective(block, override))
    const { content, complete } =
      override === undefined
        ? (this.#cache.of(entry, block, site) ?? this.#readShared({ entry, block, declared }, site))
        : this.#read({ entry, block, override, declared }, site)
    // A joined text takes less memory than a template, of which its parts stay.
    const wlan = { ...content, address: [site.name, key].join('/'), key }
    const isJudged = complete && wlan.managed === undefined
    if (isJudged) this.#run.rules?.evaluate(wlan, declared, entry, () => ruleSiteOf(site))
    return wlan
  }

  /** Checks the profiles that no WLAN uses, without their variables. */
  checkUnused(): void {
    for (const profile of this.#profiles.unused()) {
      const values = new Values(this.#run, undefined)
      const fields = values.fields(profile)
      this.#check(fields, () => profile, values, { where: () => at(profile) })
    }
  }

  #blockOf(entry: Entry): MapNode | undefined {
    if (isNull(entry.value)) this.#unidentified(entry)
    return isNull(entry.value) ? undefined : expectMap(entry.value, this.#run.findings)
  }

  /** Reads a block and caches it, unless an override, or a variable in its identity, makes it that of one site. */
  #readShared(source: BlockSource, site: FleetSite): Reading {
    const { pushes } = this.#run.findings
    const { own, values, names, ...reading } = this.#read(source, site)
    const isClean = reading.complete && pushes === this.#run.findings.pushes
    const { entry, block } = source
    if (!names.usesVariables) this.#cache.add(entry, block, reading, own, { values, isClean })
    return reading
  }

  #read({ entry, block, override, declared }: BlockSource, site: FleetSite) {
    const extended = this.#profiles.extended(block)
    const identity = this.#profiles.identity(block, extended, override)
    // The secrets and variables of an unmanaged WLAN are not needed.
    const run = isNotManaged(identity) ? this.#unmanagedRun : this.#run
    const [values, names] = [new Values(run, site), new Values(run, site)]
    const profiles = override ? this.#profiles.below(block, override) : extended?.fields
    const base = profiles && this.#profileCache.of(profiles)
    // The `id` of the block identifies its WLAN; an `id` from a profile would be an invalid field.
    const id = (override ?? block).entries.get('id')
    const isField = (name: string, member: Entry) => member !== id && !name.startsWith('$')
    checkInstructions(block, 'a WLAN', this.#run.findings)
    values.count += base?.size ?? 0
    const own =
      base === undefined ? declared() : covering(override ?? block, base.declared, wlanField)
    const ownFields = values.fields(own, isField)
    this.#check(ownFields, declared, values, { where: () => atKey(entry), site })
    const fields = base === undefined ? ownFields : { ...base.fields, ...ownFields }
    run.usage.add('nodes', nodesOfObject(values.count))
    const isIdentified = ['id', '$match'].some(key => identity.entries.has(key))
    const hasSsid = own.entries.has('ssid') || profiles?.entries.has('ssid')
    // An unknown profile, which is reported, may have the SSID.
    const lacksProfile = extended === undefined && extendedNames(block).length > 0
    if (!isIdentified && !hasSsid && !lacksProfile) this.#unidentified(entry)
    const isLayered = extended !== undefined || override !== undefined || values.usesVariables
    const content: Reading['content'] = {
      fields,
      ...(isLayered && { isLayered }),
      ...placesOf(entry),
      ...identityIn(identity, names, run)
    }
    return { content, own, values, names, complete: values.complete }
  }

  #check(
    fields: ValueObject,
    declared: () => MapNode,
    values: Values,
    { where, site }: { readonly where: () => Where; readonly site?: FleetSite }
  ): void {
    if (!values.tooMany) checkFields(fields, declared, this.#run, values.holdsSecret, site)
    else this.#run.findings.push(finding('WLAN_TOO_LARGE', where(), limits.values))
  }

  #unidentified(entry: Entry): void {
    this.#run.findings.push(finding('WLAN_UNIDENTIFIED', atKey(entry)))
  }
}

function once<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

export async function declareWlans(
  sites: readonly FleetSite[],
  profiles: ReadonlyMap<string, Entry>,
  selection: Selection,
  run: LoadContext,
  { checksUnused }: { readonly checksUnused: boolean }
): Promise<DesiredSite[]> {
  const layers = new Profiles(profiles, run)
  const selected = new Blocks(layers, run)
  // Excluded WLANs are checked, too, but without their secrets and rules.
  const { secrets, rules: _, ...unjudged } = run
  const others = new Blocks(layers, { ...unjudged, secrets: secrets.checking })
  const declared: DesiredSite[] = []
  for (const site of sites) {
    const blocksOf = (key: string) => (isSelected(selection, site, key) ? selected : others)
    declared.push(await declareSite(site, run, blocksOf))
    if (run.findings.full) break
  }
  if (checksUnused) others.checkUnused()
  return declared
}

/** As `declareWlans`, for sites with all of their WLANs selected, one at a time. Unused profiles are not checked. */
export async function* declareSites(
  sites: readonly FleetSite[],
  profiles: ReadonlyMap<string, Entry>,
  run: LoadContext
): AsyncGenerator<DesiredSite> {
  const blocks = new Blocks(new Profiles(profiles, run), run)
  for (const site of sites) yield await declareSite(site, run, () => blocks)
}

async function declareSite(
  site: FleetSite,
  { usage, findings, exposesVars }: LoadContext,
  blocksOf: (key: string) => Blocks
): Promise<DesiredSite> {
  const { id, name, groups } = site
  const { vars } = exposesVars ? ruleSiteOf(site) : {}
  const wlans: DesiredWlan[] = []
  for (const [key, block] of site.wlans) {
    const wlan = blocksOf(key).declare(site, key, block)
    if (wlan !== undefined) wlans.push(wlan)
    if (findings.full) break
    await usage.time.pause()
  }
  return {
    id,
    name,
    ...(groups.length === 0 ? {} : { groups }),
    ...(vars === undefined ? {} : { vars }),
    wlans: sortBy(wlans, ({ key }) => key)
  }
}

import { type Field, wlanField } from '../../core/schema/field.ts'
import { getOrInsert, groupBy } from '../../core/values/collections.ts'
import { asPointer, child, isAtOrBelow, type Pointer } from '../../core/values/pointer.ts'
import type { DeclaredFleet } from '../../fleet/declared.ts'
import type { SiteDeclaration } from '../../fleet/documents.ts'
import type { FleetSite } from '../../fleet/sites.ts'
import type { Layer, Profiles } from '../../fleet/wlans/profiles.ts'
import { profilesOf } from '../../fleet/wlans/provenance.ts'
import { isReference, variablesInFormat } from '../../fleet/wlans/references.ts'
import { type Entry, type MapNode, type Node, textOf } from '../../fleet/yaml/tree.ts'

/** A field of a WLAN that reads its value from a place in the files. */
export interface FieldReader {
  readonly address: string
  readonly pointer: Pointer
}

/** A WLAN of a site, with the origins of its fields. */
export interface IndexedWlan {
  readonly site: FleetSite
  readonly key: string
  readonly address: string
  /** Its own block, which the sites of a file share. */
  readonly entry: Entry
  readonly override: MapNode | undefined
  readonly origins: ReadonlyMap<Pointer, FieldOrigin>
}

/** A profile, and the WLANs that extend it, directly or indirectly. */
export interface SharedProfile {
  readonly name: string
  readonly block: MapNode
  readonly wlans: readonly IndexedWlan[]
}

/** Maps places in the files to the fields that read them, so that an edit changes no other field. */
export class ReferenceIndex {
  readonly #declarations: readonly SiteDeclaration[]
  readonly #profiles: Profiles
  readonly #wlans = new Map<string, IndexedWlan>()
  readonly #origins = new Map<MapNode, ReadonlyMap<Pointer, FieldOrigin>>()
  readonly #byBlock: ReadonlyMap<Node, readonly IndexedWlan[]>
  #byProfile: ReadonlyMap<MapNode, SharedProfile> | undefined
  #bySite: ReadonlyMap<string, readonly SiteDeclaration[]> | undefined

  constructor({ sites, declarations }: DeclaredFleet) {
    this.#declarations = declarations.sites
    this.#profiles = profilesOf(declarations)
    for (const site of sites) {
      for (const [key, entry] of site.wlans) {
        if (entry.value.kind !== 'map') continue
        const address = `${site.name}/${key}`
        const override = site.overrides.get(key)
        const origins = this.#originsOf(entry.value, override)
        this.#wlans.set(address, { site, key, address, entry, override, origins })
      }
    }
    this.#byBlock = groupBy(this.#wlans.values(), ({ entry }) => entry.value)
  }

  wlan(address: string): IndexedWlan | undefined {
    return this.#wlans.get(address)
  }

  /** The fields that read each of these places, of the whole fleet. */
  readersOf(places: Iterable<Entry | Node>): ReadonlyMap<Entry | Node, readonly FieldReader[]> {
    const readers = new Map<Entry | Node, FieldReader[]>()
    for (const place of places) readers.set(place, [])
    if (readers.size === 0) return readers
    for (const { site, address, origins } of this.#wlans.values()) {
      for (const { pointer, entry, open } of origins.values()) {
        const read = [entry, entry.value, ...(open ? [] : variableNodes(entry.value, site))]
        for (const place of read) readers.get(place)?.push({ address, pointer })
      }
    }
    return readers
  }

  wlansWithBlock(block: Node): readonly IndexedWlan[] {
    return this.#byBlock.get(block) ?? []
  }

  /** The profiles that a WLAN extends, directly or indirectly, those of the most WLANs first. */
  profilesOf({ entry, override }: IndexedWlan): readonly SharedProfile[] {
    this.#byProfile ??= this.#indexProfiles()
    const layers = entry.value.kind === 'map' ? this.#profiles.layersOf(entry.value, override) : []
    const profiles = layers.flatMap(({ block }) => this.#byProfile?.get(block) ?? [])
    return profiles.sort((a, b) => b.wlans.length - a.wlans.length)
  }

  /** Of maps that only profiles are: an alias may make one a WLAN, too. */
  #indexProfiles(): ReadonlyMap<MapNode, SharedProfile> {
    const found = new Map<MapNode, SharedProfile & { readonly wlans: IndexedWlan[] }>()
    for (const wlan of this.#wlans.values()) {
      const { value } = wlan.entry
      if (value.kind !== 'map') continue
      for (const { block, profile } of this.#profiles.layersOf(value, wlan.override)) {
        if (profile === undefined || this.#byBlock.has(block)) continue
        const known = found.get(block) ?? { name: profile, block, wlans: [] }
        found.set(block, known)
        known.wlans.push(wlan)
      }
    }
    return found
  }

  /** The site in the file that declares the WLAN, to which an override is written. */
  siteDeclarationOf({ site, key, entry }: IndexedWlan): MapNode | undefined {
    this.#bySite ??= groupBy(this.#declarations, ({ map }) => declaredId(map))
    const declarations = this.#bySite.get(site.id.toLowerCase()) ?? []
    return declarations.find(({ wlans }) => wlans.get(key) === entry)?.map
  }

  /** The sites of a file share their blocks; an override belongs to one site. */
  #originsOf(block: MapNode, override: MapNode | undefined): ReadonlyMap<Pointer, FieldOrigin> {
    if (override !== undefined) {
      return byPointer(originsIn(this.#profiles.layersOf(block, override)))
    }
    return getOrInsert(this.#origins, block, () =>
      byPointer(originsIn(this.#profiles.layersOf(block)))
    )
  }
}

function byPointer(origins: readonly FieldOrigin[]): ReadonlyMap<Pointer, FieldOrigin> {
  return new Map(origins.map(origin => [origin.pointer, origin]))
}

/** The id of a declared site in lower case; empty without one. */
function declaredId(site: MapNode): string {
  return textOf(site.entries.get('id')?.value)?.toLowerCase() ?? ''
}

function variableNodes(node: Node, { vars }: FleetSite): Node[] {
  return variablesIn(node).flatMap(name => vars.get(name) ?? [])
}

export interface FieldOrigin {
  readonly pointer: Pointer
  /** The key and its value; the value may be an alias. */
  readonly entry: Entry
  /** The layer of the entry: the override of a site, the WLAN's own block, or a profile. */
  readonly layer: Layer
  /** True for an object whose members are merged as fields of their own. */
  readonly open: boolean
}

/**
 * The effective entry of every field that the layers of a WLAN declare, for objects and their members. A
 * list, a reference or another single value hides the fields below it, as in `Profiles`. Fields that an
 * override unsets have no origin in the layers below it.
 */
function originsIn(layers: readonly Layer[]): FieldOrigin[] {
  const maps = layers.map(layer => ({ layer, map: layer.block }))
  const removed = layers.flatMap(({ block, isOverride }) => (isOverride ? unsetBy(block) : []))
  return originsBelow(maps, wlanField, '').filter(({ pointer, layer }) => {
    if (pointer.startsWith('/$')) return false
    return layer.isOverride || !removed.some(at => isAtOrBelow(pointer, at))
  })
}

/** True if the override of a site unsets the field. */
export function isUnsetByOverride({ override }: IndexedWlan, pointer: Pointer): boolean {
  return override !== undefined && unsetBy(override).some(at => isAtOrBelow(pointer, at))
}

function unsetBy({ entries }: MapNode): Pointer[] {
  const names = entries.get('$unset')?.value
  return names?.kind === 'list' ? names.items.map(item => asPointer(textOf(item) ?? '')) : []
}

/** A map of a layer, which overrides those of the next layers. */
interface LayerMap {
  readonly layer: Layer
  readonly map: MapNode
}

function originsBelow(layers: readonly LayerMap[], field: Field, at: Pointer): FieldOrigin[] {
  const names = new Set(layers.flatMap(({ map }) => [...map.entries.keys()]))
  return [...names].flatMap(name => {
    const pointer = child(at, name)
    const inner = field.member(name)
    const declared = layers.flatMap(({ layer, map }) => {
      const entry = map.entries.get(name)
      return entry === undefined
        ? []
        : [{ pointer, entry, layer, open: isOpen(entry.value, inner) }]
    })
    const closed = declared.findIndex(({ open }) => !open)
    const above = closed === -1 ? declared : declared.slice(0, closed)
    const below = above.map(({ entry, layer }) => ({ layer, map: entry.value as MapNode }))
    return [...declared.slice(0, 1), ...originsBelow(below, inner, pointer)]
  })
}

/** True for a map whose members are merged as fields of their own. */
function isOpen(node: Node, field: Field): node is MapNode {
  return node.kind === 'map' && !isReference(node) && field.compare !== 'whole'
}

/** The name in a value `{ $var: name }`; undefined for any other value. */
export function wholeVariable(node: Node): string | undefined {
  return node.kind === 'map' && isReference(node)
    ? textOf(node.entries.get('$var')?.value)
    : undefined
}

function variablesIn(node: Node): string[] {
  if (node.kind === 'scalar') return []
  if (node.kind === 'list') return node.items.flatMap(variablesIn)
  const variable = textOf(node.entries.get('$var')?.value)
  if (variable !== undefined) {
    const fallback = node.entries.get('$default')?.value
    return [variable, ...(fallback === undefined ? [] : variablesIn(fallback))]
  }
  for (const kind of ['$format', '$env', '$file']) {
    const text = textOf(node.entries.get(kind)?.value)
    if (text === undefined) continue
    return variablesInFormat(text)
  }
  return [...node.entries.values()].flatMap(({ value }) => variablesIn(value))
}

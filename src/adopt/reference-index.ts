import type { FleetSite } from '../config/site-builder.ts'
import { piecesOf } from '../config/wlans/format.ts'
import type { Layer } from '../config/wlans/profiles.ts'
import { isReference } from '../config/wlans/references.ts'
import type { WrittenFleet } from '../config/written.ts'
import { type Entry, type MapNode, type Node, textOf } from '../config/yaml/tree.ts'
import { child, type Pointer } from '../model/pointer.ts'
import { type Field, wlanField } from '../schema/field.ts'

/** A field of a WLAN, as one that is written somewhere. */
export interface FieldReader {
  readonly address: string
  readonly pointer: Pointer
}

/** A WLAN of a site, with all that declares it. */
export interface IndexedWlan {
  readonly site: FleetSite
  readonly address: string
  /** Its own block. */
  readonly entry: Entry
  readonly origins: ReadonlyMap<Pointer, FieldOrigin>
}

/** Which field is written where: for whoever wants to change the one and not the others. */
export class ReferenceIndex {
  readonly #wlans = new Map<string, IndexedWlan>()
  readonly #origins = new Map<MapNode, ReadonlyMap<Pointer, FieldOrigin>>()
  readonly #readers = new Map<Entry | Node, FieldReader[]>()
  readonly #byBlock = new Map<Node, IndexedWlan[]>()

  constructor(fleet: WrittenFleet) {
    for (const site of fleet.sites) {
      for (const [key, entry] of site.wlans) {
        if (entry.value.kind !== 'map') continue
        const address = `${site.name}/${key}`
        const origins = this.#originsOf(entry.value, fleet)
        const wlan = { site, address, entry, origins }
        this.#wlans.set(address, wlan)
        const sharing = this.#byBlock.get(entry.value)
        if (sharing === undefined) this.#byBlock.set(entry.value, [wlan])
        else sharing.push(wlan)
      }
    }
  }

  wlan(address: string): IndexedWlan | undefined {
    return this.#wlans.get(address)
  }

  /** The fields that read these places, each place with its own; to be asked once, as it reads the whole fleet. */
  indexReaders(places: ReadonlySet<Entry | Node>): void {
    for (const { site, address, origins } of this.#wlans.values()) {
      for (const { pointer, entry, open } of origins.values()) {
        const read = [entry, entry.value, ...(open ? [] : variableNodes(entry.value, site))]
        for (const place of read)
          if (places.has(place)) this.#addReader(place, { address, pointer })
      }
    }
  }

  readersOf(place: Entry | Node): readonly FieldReader[] {
    return this.#readers.get(place) ?? []
  }

  /** The WLANs that have this block for their own. */
  wlansWithBlock(block: Node): readonly IndexedWlan[] {
    return this.#byBlock.get(block) ?? []
  }

  #addReader(place: Entry | Node, user: FieldReader): void {
    const users = this.#readers.get(place)
    if (users === undefined) this.#readers.set(place, [user])
    else users.push(user)
  }

  /** The sites of a file share their blocks. */
  #originsOf(block: MapNode, fleet: WrittenFleet): ReadonlyMap<Pointer, FieldOrigin> {
    const known = this.#origins.get(block)
    if (known !== undefined) return known
    const found = originsIn(fleet.layersOf(block))
    const origins = new Map(found.map(origin => [origin.pointer, origin]))
    this.#origins.set(block, origins)
    return origins
  }
}

/** What the variables in a value stand for on a site. */
function variableNodes(node: Node, { vars }: FleetSite): Node[] {
  return variablesIn(node).flatMap(name => vars.get(name) ?? [])
}

/** What declares a field of a WLAN. */
export interface FieldOrigin {
  readonly pointer: Pointer
  /** The key and its value; the value may be an alias of something elsewhere. */
  readonly entry: Entry
  /** Where the entry stands: in the WLAN's own block, or in a profile. */
  readonly layer: Layer
  /** True for an object whose members are fields of their own. */
  readonly open: boolean
}

/**
 * Everything that the layers of a WLAN declare together, objects and what is in them: of each the entry
 * that wins. A list, a reference or another single value covers what is below it, as in `Profiles`.
 */
export function originsIn(layers: readonly Layer[]): FieldOrigin[] {
  const sheets = layers.map(layer => ({ layer, map: layer.block }))
  return originsBelow(sheets, wlanField, '').filter(({ pointer }) => !pointer.startsWith('/$'))
}

/** A map that a layer lays over those of the layers behind it. */
interface LayerMap {
  readonly layer: Layer
  readonly map: MapNode
}

function originsBelow(sheets: readonly LayerMap[], field: Field, at: Pointer): FieldOrigin[] {
  const names = new Set(sheets.flatMap(({ map }) => [...map.entries.keys()]))
  return [...names].flatMap(name => {
    const pointer = child(at, name)
    const inner = field.member(name)
    const declared = sheets.flatMap(({ layer, map }) => {
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

/** True for a map whose members are fields of their own. */
function isOpen(node: Node, field: Field): node is MapNode {
  return node.kind === 'map' && !isReference(node) && field.compare !== 'whole'
}

/** The variable that a value is, as a whole; undefined for any other. */
export function wholeVariable(node: Node): string | undefined {
  return node.kind === 'map' && isReference(node)
    ? textOf(node.entries.get('$var')?.value)
    : undefined
}

/** Every variable that is used in a value, at any depth. */
export function variablesIn(node: Node): string[] {
  if (node.kind === 'scalar') return []
  if (node.kind === 'list') return node.items.flatMap(variablesIn)
  const variable = textOf(node.entries.get('$var')?.value)
  if (variable !== undefined) return [variable]
  const format = textOf(node.entries.get('$format')?.value)
  if (format !== undefined) {
    return (piecesOf(format) ?? []).flatMap(piece => ('variable' in piece ? piece.variable : []))
  }
  return [...node.entries.values()].flatMap(({ value }) => variablesIn(value))
}

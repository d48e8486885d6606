import type { FleetSite } from '../config/sites.ts'
import type { WrittenFleet } from '../config/written.ts'
import type { Entry, MapNode, Node } from '../config/yaml/tree.ts'
import type { Pointer } from '../model/pointer.ts'
import { type Origin, originsIn, variablesIn } from './origin.ts'

/** A field of a WLAN, as one that is written somewhere. */
export interface ReferencingWlan {
  readonly address: string
  readonly pointer: Pointer
}

/** A WLAN of a site, with all that declares it. */
export interface WrittenWlan {
  readonly site: FleetSite
  readonly address: string
  /** Its own block. */
  readonly entry: Entry
  readonly origins: ReadonlyMap<Pointer, Origin>
}

/** Which field is written where: for whoever wants to change the one and not the others. */
export class ReferenceIndex {
  readonly #wlans = new Map<string, WrittenWlan>()
  readonly #origins = new Map<MapNode, ReadonlyMap<Pointer, Origin>>()
  readonly #users = new Map<Entry | Node, ReferencingWlan[]>()
  readonly #byBlock = new Map<Node, WrittenWlan[]>()

  constructor(fleet: WrittenFleet) {
    for (const site of fleet.sites) {
      for (const [key, entry] of site.wlans()) {
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

  wlan(address: string): WrittenWlan | undefined {
    return this.#wlans.get(address)
  }

  /** The fields that read these places, each place with its own; to be asked once, as it reads the whole fleet. */
  note(places: ReadonlySet<Entry | Node>): void {
    for (const { site, address, origins } of this.#wlans.values()) {
      for (const { pointer, entry, open } of origins.values()) {
        const read = [entry, entry.value, ...(open ? [] : variablesOf(entry.value, site))]
        for (const place of read) if (places.has(place)) this.#add(place, { address, pointer })
      }
    }
  }

  of(place: Entry | Node): readonly ReferencingWlan[] {
    return this.#users.get(place) ?? []
  }

  /** The WLANs that have this block for their own. */
  wlansOf(block: Node): readonly WrittenWlan[] {
    return this.#byBlock.get(block) ?? []
  }

  #add(place: Entry | Node, user: ReferencingWlan): void {
    const users = this.#users.get(place)
    if (users === undefined) this.#users.set(place, [user])
    else users.push(user)
  }

  /** The sites of a file share their blocks. */
  #originsOf(block: MapNode, fleet: WrittenFleet): ReadonlyMap<Pointer, Origin> {
    const known = this.#origins.get(block)
    if (known !== undefined) return known
    const found = originsIn(fleet.layersOf(block))
    const origins = new Map(found.map(origin => [origin.pointer, origin]))
    this.#origins.set(block, origins)
    return origins
  }
}

/** What the variables in a value stand for on a site. */
function variablesOf(node: Node, { vars }: FleetSite): Node[] {
  return variablesIn(node).flatMap(name => vars.get(name) ?? [])
}

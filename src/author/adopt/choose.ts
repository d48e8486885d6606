import type { LeftField } from '../../core/model/adoption.ts'
import type { Pointer } from '../../core/values/pointer.ts'
import { plural } from '../../core/values/text.ts'
import type { Layer } from '../../fleet/wlans/profiles.ts'
import type { Entry, MapNode, Node } from '../../fleet/yaml/tree.ts'
import type { AdoptableField } from './fields.ts'
import {
  type FieldOrigin,
  type FieldReader,
  type IndexedWlan,
  isUnsetByOverride,
  type ReferenceIndex,
  type SharedProfile,
  wholeVariable
} from './reference-index.ts'

export interface EditTarget {
  readonly field: AdoptableField
  readonly wlan: IndexedWlan
  /** The entry or variable whose value is replaced; absent if the field is added. */
  readonly place?: Entry | Node
  /** The site to whose override the field is added; absent if it is added to the WLAN's own block. */
  readonly site?: MapNode
  /** The profile to which the field is added. */
  readonly profile?: MapNode
  /** For messages: `the block of hq/guest`, `the override of s1/guest`, `variable guest_vlan of hq`. */
  readonly layer: string
}

/**
 * Chooses for each adopted value a place without other readers: the site's variable that it comes from, or
 * the WLAN's own block, where it overrides a profile. An undeclared field goes to a profile all of whose WLANs get the
 * same value. A site of a list, which shares the block with others, gets an override. A field without such a place is
 * skipped with a reason.
 */
export class TargetChooser {
  readonly #index: ReferenceIndex
  /** The adopted value of each field, as JSON: a reader that adopts the same value does not conflict. */
  readonly #adoptedValues: ReadonlyMap<string, string>
  /** The fields that read each place to which a value may be written. */
  readonly #readers: ReadonlyMap<Entry | Node, readonly FieldReader[]>

  /** Caches of `#otherReaders` by first place and value, and of `#sharedValue` by profile and pointer, because each WLAN of a profile asks for the same. */
  readonly #readersBesides = new Map<Entry | Node, Map<string, readonly FieldReader[]>>()
  readonly #sharedValues = new Map<MapNode, Map<Pointer, string | undefined>>()

  constructor(fields: readonly AdoptableField[], index: ReferenceIndex) {
    this.#index = index
    this.#adoptedValues = new Map(
      fields.map(field => [fieldKey(field), JSON.stringify(field.value)])
    )
    this.#readers = index.readersOf(fields.flatMap(field => candidatePlaces(field, index)))
  }

  choose(field: AdoptableField): EditTarget | LeftField {
    const wlan = this.#index.wlan(field.address)
    if (wlan !== undefined && field.isAdded) {
      return this.#inProfile(field, wlan) ?? this.#added(field, wlan, false)
    }
    const origin = wlan?.origins.get(field.pointer)
    if (wlan === undefined || origin === undefined) {
      return leftField(field, 'it is part of a variable or an alias; edit it manually')
    }
    return this.#inVariable(field, wlan, origin) ?? this.#whereDeclared(field, wlan, origin)
  }

  #inVariable(
    field: AdoptableField,
    wlan: IndexedWlan,
    { entry }: FieldOrigin
  ): EditTarget | undefined {
    const name = wholeVariable(entry.value)
    const place = name === undefined ? undefined : wlan.site.vars.get(name)
    if (place === undefined || this.#otherReaders([place], field).length > 0) return undefined
    return {
      field,
      wlan,
      place,
      layer: `variable ${name} of ${wlan.site.name}`
    }
  }

  /** The profile with the most WLANs, of several blocks, that all adopt the value or declare another one themselves. */
  #inProfile(field: AdoptableField, wlan: IndexedWlan): EditTarget | undefined {
    const value = JSON.stringify(field.value)
    const found = this.#index
      .profilesOf(wlan)
      .find(profile => this.#sharedValue(profile, field.pointer) === value)
    if (found === undefined) return undefined
    return { field, wlan, profile: found.block, layer: `profile ${found.name}` }
  }

  /** The value (JSON) that the WLANs of a profile without a declaration of their own adopt; undefined without one. */
  #sharedValue({ block, wlans }: SharedProfile, pointer: Pointer): string | undefined {
    const known = this.#sharedValues.get(block) ?? new Map<Pointer, string | undefined>()
    this.#sharedValues.set(block, known)
    if (!known.has(pointer)) {
      const inheriting = wlans.filter(
        ({ origins }) => origins.get(pointer)?.layer.profile !== undefined || !origins.has(pointer)
      )
      const values = new Set(inheriting.map(wlan => this.#inheritable(wlan, pointer)))
      const blocks = new Set(wlans.map(({ entry }) => entry.value))
      known.set(pointer, values.size === 1 && blocks.size > 1 ? [...values][0] : undefined)
    }
    return known.get(pointer)
  }

  /** The value that a WLAN adopts and can inherit; undefined if it does not adopt the field. */
  #inheritable(wlan: IndexedWlan, pointer: Pointer): string | undefined {
    const { address } = wlan
    const isUnset = isUnsetByOverride(wlan, pointer)
    return isUnset ? undefined : this.#adoptedValues.get(fieldKey({ address, pointer }))
  }

  #whereDeclared(
    field: AdoptableField,
    wlan: IndexedWlan,
    { entry, layer }: FieldOrigin
  ): EditTarget | LeftField {
    const otherReaders = this.#otherReaders(placesRead(entry), field)
    const own = layer.profile === undefined
    if (own && otherReaders.length === 0) {
      const name = `the ${layer.isOverride ? 'override' : 'block'} of ${field.address}`
      return { field, wlan, place: entry, layer: name }
    }
    return this.#added(field, wlan, own, layer, otherReaders)
  }

  #added(
    field: AdoptableField,
    wlan: IndexedWlan,
    isOwn: boolean,
    layer?: Layer,
    otherReaders: readonly FieldReader[] = []
  ): EditTarget | LeftField {
    const sharing = this.#index.wlansWithBlock(wlan.entry.value)
    if (!isOwn && sharing.every(other => this.#adoptsSame({ ...field, address: other.address }))) {
      return { field, wlan, layer: `the block of ${field.address}` }
    }
    const site = this.#index.siteDeclarationOf(wlan)
    if (sharing.length > 1 && site !== undefined && !layer?.isOverride) {
      return { field, wlan, site, layer: `the override of ${field.address}` }
    }
    const others = new Set([...otherReaders, ...sharing].map(({ address }) => address))
    others.delete(field.address)
    return leftField(field, sharedReason(others.size))
  }

  #otherReaders(places: readonly (Entry | Node)[], field: AdoptableField): readonly FieldReader[] {
    const [place] = places
    const value = JSON.stringify(field.value)
    const known = (place && this.#readersBesides.get(place)) ?? new Map<string, FieldReader[]>()
    if (place !== undefined) this.#readersBesides.set(place, known)
    const readers =
      known.get(value) ??
      places
        .flatMap(each => this.#readers.get(each) ?? [])
        .filter(reader => !this.#adoptsSame({ ...reader, value: field.value }))
    known.set(value, readers)
    return readers
  }

  #adoptsSame(field: FieldReader & Pick<AdoptableField, 'value'>): boolean {
    return this.#adoptedValues.get(fieldKey(field)) === JSON.stringify(field.value)
  }
}

function candidatePlaces(field: AdoptableField, index: ReferenceIndex): (Entry | Node)[] {
  const wlan = index.wlan(field.address)
  const origin = wlan?.origins.get(field.pointer)
  if (wlan === undefined || origin === undefined) return []
  const variable = wlan.site.vars.get(wholeVariable(origin.entry.value) ?? '')
  return [...placesRead(origin.entry), ...(variable === undefined ? [] : [variable])]
}

/** An alias has one reader, its key; an anchored value may have aliases elsewhere. */
function placesRead(entry: Entry): (Entry | Node)[] {
  return isAlias(entry) ? [entry] : [entry, entry.value]
}

/** True for an alias: its value precedes its key, since an anchor precedes its aliases. */
export function isAlias({ offset, value }: Entry): boolean {
  return value.offset < offset
}

function sharedReason(others: number): string {
  return `${plural(others, 'other WLAN')} ${others === 1 ? 'reads' : 'read'} it from the same place: edit it there for all, or use a variable`
}

function leftField({ address, pointer }: AdoptableField, reason: string): LeftField {
  return { address, pointer, reason }
}

function fieldKey({ address, pointer }: FieldReader): string {
  return `${address} ${pointer}`
}

import type { Entry, Node } from '../config/yaml/tree.ts'
import type { LeftField } from '../model/adoption.ts'
import { plural } from '../model/text.ts'
import type { AdoptableField } from './fields.ts'
import {
  type FieldOrigin,
  type FieldReader,
  type IndexedWlan,
  type ReferenceIndex,
  wholeVariable
} from './reference-index.ts'

/** Where a wanted value is going to be written. */
export interface EditTarget {
  readonly field: AdoptableField
  readonly wlan: IndexedWlan
  /** The key or the variable whose value it replaces; absent where it is added to the WLAN's own block. */
  readonly place?: Entry | Node
  /** In words: `the block of hq/guest`, `variable guest_vlan of hq`, `profile guest-base`. */
  readonly layer: string
  /** Fields of other WLANs that get it, too. */
  readonly alsoChanged: readonly FieldReader[]
}

/**
 * Chooses for each wanted value a place that nobody else reads: the site's variable that it comes from,
 * else the WLAN's own block, where it wins over a profile. With `shared` it is written where it is
 * declared, whoever else reads it there. What has no such place is left, and the reason told.
 */
export class TargetChooser {
  readonly #index: ReferenceIndex
  readonly #shared: boolean
  /** What is wanted of each field, as JSON: who wants the same is no stranger. */
  readonly #adoptedValues: ReadonlyMap<string, string>

  constructor(wants: readonly AdoptableField[], users: ReferenceIndex, shared: boolean) {
    this.#index = users
    this.#shared = shared
    this.#adoptedValues = new Map(wants.map(want => [fieldKey(want), JSON.stringify(want.value)]))
    users.indexReaders(new Set(wants.flatMap(want => candidatePlaces(want, users))))
  }

  choose(want: AdoptableField): EditTarget | LeftField {
    const wlan = this.#index.wlan(want.address)
    const origin = wlan?.origins.get(want.pointer)
    if (wlan === undefined || origin === undefined) {
      return leftField(want, 'it is a part of a variable or an alias; edit it by hand')
    }
    return this.#inVariable(want, wlan, origin) ?? this.#whereDeclared(want, wlan, origin)
  }

  #inVariable(
    want: AdoptableField,
    wlan: IndexedWlan,
    { entry }: FieldOrigin
  ): EditTarget | undefined {
    const name = wholeVariable(entry.value)
    const place = name === undefined ? undefined : wlan.site.vars.get(name)
    if (place === undefined || this.#otherReaders([place], want).length > 0) return undefined
    return {
      field: want,
      wlan,
      place,
      layer: `variable ${name} of ${wlan.site.name}`,
      alsoChanged: []
    }
  }

  #whereDeclared(
    want: AdoptableField,
    wlan: IndexedWlan,
    { entry, layer }: FieldOrigin
  ): EditTarget | LeftField {
    const { profile } = layer
    const strangers = this.#otherReaders(placesRead(entry), want)
    const own = profile === undefined
    const rival = strangers.find(user => this.#adoptedValues.has(fieldKey(user)))
    if (this.#shared && rival !== undefined) {
      return leftField(
        want,
        `${rival.address} has it from the same place, and another value is live there`
      )
    }
    if (this.#shared || (own && strangers.length === 0)) {
      const name = own ? `the block of ${want.address}` : `profile ${profile}`
      return { field: want, wlan, place: entry, layer: name, alsoChanged: strangers }
    }
    const sharing = this.#index.wlansWithBlock(wlan.entry.value)
    if (!own && sharing.length === 1) {
      return { field: want, wlan, layer: `the block of ${want.address}`, alsoChanged: [] }
    }
    const others = new Set([...strangers, ...sharing].map(({ address }) => address))
    others.delete(want.address)
    return leftField(want, sharedReason(others.size))
  }

  /** Those who read a place, and do not want of it what this one wants. */
  #otherReaders(places: readonly (Entry | Node)[], want: AdoptableField): readonly FieldReader[] {
    const value = JSON.stringify(want.value)
    return places
      .flatMap(place => this.#index.readersOf(place))
      .filter(user => this.#adoptedValues.get(fieldKey(user)) !== value)
  }
}

/** Every place that the value of a field could be written to. */
function candidatePlaces(want: AdoptableField, users: ReferenceIndex): (Entry | Node)[] {
  const wlan = users.wlan(want.address)
  const origin = wlan?.origins.get(want.pointer)
  if (wlan === undefined || origin === undefined) return []
  const variable = wlan.site.vars.get(wholeVariable(origin.entry.value) ?? '')
  return [...placesRead(origin.entry), ...(variable === undefined ? [] : [variable])]
}

/** An alias is read by its own key alone; what stands there itself may have aliases elsewhere. */
function placesRead(entry: Entry): (Entry | Node)[] {
  return isAlias(entry) ? [entry] : [entry, entry.value]
}

/** An anchor stands before its aliases, and a value behind its key. */
export function isAlias({ offset, value }: Entry): boolean {
  return value.offset < offset
}

function sharedReason(others: number): string {
  return `${plural(others, 'other WLAN')} ${others === 1 ? 'has' : 'have'} it from the same place: write it there for all with --layer profile, or make it a variable`
}

function leftField({ address, pointer }: AdoptableField, reason: string): LeftField {
  return { address, pointer, reason }
}

function fieldKey({ address, pointer }: FieldReader): string {
  return `${address} ${pointer}`
}
